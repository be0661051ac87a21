// What the removed C++ bindings do, one line a fact and rank. It is built by MPICH's and Open MPI's compilers; the
// lines of the peer's own library are the oracle for Pamir's.
//
// Functions take references, so that the libraries' tables of virtual functions are used.

#include <mpi.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <thread>

// Open MPI's C++ takes functions of C's beside its own.
#ifdef OPEN_MPI
#define COPIES_NO_TYPE MPI_TYPE_NULL_COPY_FN
#define COPIES_NO_WINDOW MPI_WIN_NULL_COPY_FN
#else
#define COPIES_NO_TYPE MPI::Datatype::NULL_COPY_FN
#define COPIES_NO_WINDOW MPI::Win::NULL_COPY_FN
#endif

static int rank, size;

static void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char text[256];
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    std::printf("%d: %s\n", rank, text);
    std::fflush(stdout);
}

#define SAME(object, constant) say("%s is %s: %d", #object, #constant, (int)((MPI_Comm)object == (constant)))

static void objects()
{
    SAME(MPI::COMM_WORLD, MPI_COMM_WORLD);
    SAME(MPI::COMM_SELF, MPI_COMM_SELF);
    SAME(MPI::COMM_NULL, MPI_COMM_NULL);
#define TYPE(name) say("MPI::" #name ": %d", (int)((MPI_Datatype)MPI::name == MPI_##name))
    TYPE(CHAR); TYPE(SIGNED_CHAR); TYPE(UNSIGNED_CHAR); TYPE(BYTE); TYPE(PACKED); TYPE(WCHAR);
    TYPE(SHORT); TYPE(UNSIGNED_SHORT); TYPE(INT); TYPE(UNSIGNED); TYPE(LONG); TYPE(UNSIGNED_LONG);
    TYPE(LONG_LONG); TYPE(UNSIGNED_LONG_LONG); TYPE(FLOAT); TYPE(DOUBLE); TYPE(LONG_DOUBLE);
    TYPE(FLOAT_INT); TYPE(DOUBLE_INT); TYPE(LONG_INT); TYPE(SHORT_INT); TYPE(LONG_DOUBLE_INT);
    TYPE(INTEGER); TYPE(REAL); TYPE(DOUBLE_PRECISION); TYPE(LOGICAL); TYPE(CHARACTER); TYPE(DATATYPE_NULL);
#undef TYPE
    say("MPI::TWOINT: %d", (int)((MPI_Datatype)MPI::TWOINT == MPI_2INT));
    say("MPI::BOOL: %d", (int)((MPI_Datatype)MPI::BOOL == MPI_CXX_BOOL));
    say("MPI::COMPLEX: %d", (int)((MPI_Datatype)MPI::COMPLEX == MPI_CXX_FLOAT_COMPLEX));
    say("MPI::DOUBLE_COMPLEX: %d", (int)((MPI_Datatype)MPI::DOUBLE_COMPLEX == MPI_CXX_DOUBLE_COMPLEX));
    say("MPI::F_COMPLEX: %d", (int)((MPI_Datatype)MPI::F_COMPLEX == MPI_COMPLEX));
#define OP(name) say("MPI::" #name ": %d", (int)((MPI_Op)MPI::name == MPI_##name))
    OP(MAX); OP(MIN); OP(SUM); OP(PROD); OP(MAXLOC); OP(MINLOC); OP(BAND); OP(BOR); OP(BXOR); OP(LAND); OP(LOR);
    OP(LXOR); OP(REPLACE); OP(OP_NULL);
#undef OP
    say("null: %d %d %d %d %d", (int)((MPI_Group)MPI::GROUP_NULL == MPI_GROUP_NULL),
        (int)((MPI_Group)MPI::GROUP_EMPTY == MPI_GROUP_EMPTY), (int)((MPI_Info)MPI::INFO_NULL == MPI_INFO_NULL),
        (int)((MPI_Win)MPI::WIN_NULL == MPI_WIN_NULL), (int)((MPI_Request)MPI::REQUEST_NULL == MPI_REQUEST_NULL));
    say("errors: %d %d", (int)((MPI_Errhandler)MPI::ERRORS_RETURN == MPI_ERRORS_RETURN),
        (int)((MPI_Errhandler)MPI::ERRORS_ARE_FATAL == MPI_ERRORS_ARE_FATAL));
    say("constants: %d %d %d %d", MPI::ANY_SOURCE == MPI_ANY_SOURCE, MPI::ERR_RANK == MPI_ERR_RANK,
        MPI::BOTTOM == MPI_BOTTOM, MPI::IN_PLACE == MPI_IN_PLACE);
    say("constants: %d %d %d %d", MPI::UNDEFINED == MPI_UNDEFINED, MPI::TAG_UB == MPI_TAG_UB,
        MPI::THREAD_MULTIPLE == MPI_THREAD_MULTIPLE, MPI::MODE_NOCHECK == MPI_MODE_NOCHECK);
}

static void messages(MPI::Comm &comm)
{
    const MPI::Datatype &type = MPI::INT;
    int next = (rank + 1) % size, last = (rank + size - 1) % size, out = 10 + rank, in = -1;
    MPI::Status status;
    comm.Sendrecv(&out, 1, type, next, 1, &in, 1, type, last, 1, status);
    say("Sendrecv: %d from %d tag %d count %d", in, status.Get_source() == last, status.Get_tag(), status.Get_count(type));
    in = rank;
    comm.Sendrecv_replace(&in, 1, type, next, 2, last, 2);
    say("Sendrecv_replace: %d", in == last);
    MPI::Request requests[2];
    requests[0] = comm.Irecv(&in, 1, type, MPI::ANY_SOURCE, 3);
    requests[1] = comm.Isend(&out, 1, type, next, 3);
    MPI::Request::Waitall(2, requests);
    say("Irecv: %d %d", in, (int)(requests[0] == MPI::REQUEST_NULL));
    requests[0] = comm.Isend(&out, 1, type, next, 4);
    comm.Probe(last, 4, status);
    say("Probe: %d", status.Get_elements(type));
    say("Iprobe: %d %d", (int)comm.Iprobe(last, 4), (int)comm.Iprobe(last, 5, status));
    comm.Recv(&in, 1, type, last, 4);
    requests[0].Wait(status);
    MPI::Prequest again = comm.Recv_init(&in, 1, type, last, 6);
    for (int turn = 0; turn < 2; turn++) {
        again.Start();
        comm.Send(&turn, 1, type, next, 6);
        again.Wait();
        say("persistent: %d", in);
    }
    again.Free();
}

static void collectives(MPI::Intracomm &comm)
{
    int root = size - 1, value = rank + 1, all[64], sums[64], counts[64], places[64];
    comm.Bcast(&value, 1, MPI::INT, root);
    say("Bcast: %d", value);
    value = rank + 1;
    comm.Gather(&value, 1, MPI::INT, all, 1, MPI::INT, 0);
    if (rank == 0) say("Gather: %d %d", all[0], all[size - 1]);
    comm.Allgather(&value, 1, MPI::INT, all, 1, MPI::INT);
    say("Allgather: %d", all[size - 1]);
    for (int i = 0; i < size; i++) counts[i] = 1, places[i] = size - 1 - i;
    comm.Allgatherv(&value, 1, MPI::INT, all, counts, places, MPI::INT);
    say("Allgatherv: %d", all[0]);
    comm.Scatterv(all, counts, places, MPI::INT, &value, 1, MPI::INT, 0);
    say("Scatterv: %d", value);
    comm.Alltoall(all, 1, MPI::INT, sums, 1, MPI::INT);
    say("Alltoall: %d", sums[size - 1]);
    comm.Alltoallv(all, counts, places, MPI::INT, sums, counts, places, MPI::INT);
    say("Alltoallv: %d", sums[0]);
    MPI::Datatype types[64];
    int bytes[64];
    for (int i = 0; i < size; i++) types[i] = MPI::INT, bytes[i] = 4 * i;
    comm.Alltoallw(all, counts, bytes, types, sums, counts, bytes, types);
    say("Alltoallw: %d", sums[size - 1]);
    comm.Reduce(&value, sums, 1, MPI::INT, MPI::SUM, 0);
    if (rank == 0) say("Reduce: %d", sums[0]);
    comm.Allreduce(MPI::IN_PLACE, &value, 1, MPI::INT, MPI::MAX);
    say("Allreduce: %d", value);
    comm.Reduce_scatter(all, sums, counts, MPI::INT, MPI::SUM);
    say("Reduce_scatter: %d", sums[0]);
    comm.Scan(&rank, &value, 1, MPI::INT, MPI::SUM);
    say("Scan: %d", value);
    comm.Barrier();
}

static void add_and_mark(const void *in, void *inout, int count, const MPI::Datatype &type)
{
    const int *a = (const int *)in;
    int *b = (int *)inout;
    for (int i = 0; i < count; i++) b[i] += a[i] + 1000 * (type.Get_size() != 4);
}

static void keep_larger(const void *in, void *inout, int count, const MPI::Datatype &)
{
    for (int i = 0; i < count; i++)
        if (((const int *)in)[i] > ((int *)inout)[i]) ((int *)inout)[i] = ((const int *)in)[i];
}

static void operations(const MPI::Intracomm &comm)
{
    MPI::Op add, larger;
    add.Init(add_and_mark, true);
    larger.Init(keep_larger, false);
    int value = rank + 1, sum = 0, most = 0;
    comm.Allreduce(&value, &sum, 1, MPI::INT, add);
    comm.Allreduce(&value, &most, 1, MPI::INT, larger);
    say("operations: %d %d", sum, most);
    add.Free();
    larger.Free();
    say("free: %d", (int)((MPI_Op)add == MPI_OP_NULL));
}

static int copy_of_comm(const MPI::Comm &comm, int, void *extra, void *in, void *out, bool &flag)
{
    say("copy %s %d of %d", (const char *)extra, *(int *)in, comm.Get_size());
    *(void **)out = in;
    flag = true;
    return MPI_SUCCESS;
}

static int end_of_comm(MPI::Comm &comm, int, void *value, void *extra)
{
    say("delete %s %d %d", (const char *)extra, *(int *)value, (int)comm.Is_inter());
    return MPI_SUCCESS;
}

static int end_of_type(MPI::Datatype &type, int, void *value, void *extra)
{
    say("delete %s %d of %d", (const char *)extra, *(int *)value, type.Get_size());
    return MPI_SUCCESS;
}

static int end_of_window(MPI::Win &, int, void *value, void *extra)
{
    say("delete %s %d", (const char *)extra, *(int *)value);
    return MPI_SUCCESS;
}

static void attributes(const MPI::Intracomm &comm)
{
    static int value = 7;
    int key = MPI::Comm::Create_keyval(copy_of_comm, end_of_comm, (void *)"comm");
    MPI::Intracomm own = comm.Dup();
    own.Set_attr(key, &value);
    MPI::Intracomm second = own.Dup();
    int *found = 0;
    say("attribute: %d %d", (int)second.Get_attr(key, &found), found ? *found : 0);
    second.Free();
    own.Delete_attr(key);
    say("attribute: %d", (int)own.Get_attr(key, &found));
    own.Free();
    MPI::Comm::Free_keyval(key);
    int type_key = MPI::Datatype::Create_keyval(COPIES_NO_TYPE, end_of_type, (void *)"type");
    MPI::Datatype type = MPI::INT.Create_contiguous(3);
    type.Set_attr(type_key, &value);
    type.Free();
    MPI::Datatype::Free_keyval(type_key);
    int *bound = 0;
    say("predefined: %d %d", (int)comm.Get_attr(MPI::TAG_UB, &bound), bound && *bound >= 32767);
}

static void datatypes(const MPI::Datatype &base)
{
    int lengths[2] = {1, 2}, places[2] = {0, 3};
    MPI::Datatype indexed = base.Create_indexed(2, lengths, places);
    indexed.Commit();
    MPI::Aint low, extent;
    indexed.Get_extent(low, extent);
    say("indexed: %d %ld %ld", indexed.Get_size(), (long)low, (long)extent);
    int integers, addresses, types, combiner;
    indexed.Get_envelope(integers, addresses, types, combiner);
    say("envelope: %d %d %d %d", integers, addresses, types, combiner == MPI::COMBINER_INDEXED);
    int numbers[8];
    MPI::Aint none[1];
    MPI::Datatype inner[1];
    indexed.Get_contents(integers, addresses, types, numbers, none, inner);
    say("contents: %d %d %d", numbers[0], numbers[4], (int)(inner[0] == base));
    MPI::Datatype wide = indexed.Create_resized(0, 64), vector = base.Create_vector(2, 1, 2);
    vector.Get_true_extent(low, extent);
    say("vector: %ld %ld", (long)low, (long)extent);
    int sizes[2] = {4, 4}, parts[2] = {2, 2}, starts[2] = {1, 1};
    MPI::Datatype part = base.Create_subarray(2, sizes, parts, starts, MPI::ORDER_C);
    say("subarray: %d", part.Get_size());
    char buffer[64];
    int position = 0, number = 42, got = 0;
    say("pack: %d", base.Pack_size(2, MPI::COMM_WORLD) >= 8);
    base.Pack(&number, 1, buffer, sizeof buffer, position, MPI::COMM_WORLD);
    int written = position;
    position = 0;
    base.Unpack(buffer, written, &got, 1, position, MPI::COMM_WORLD);
    say("unpack: %d %d", got, position == written);
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    base.Get_name(name, length);
    say("name: %s %d", name, length);
    vector.Set_name("mine");
    vector.Get_name(name, length);
    say("name: %s", name);
    wide.Free(), vector.Free(), part.Free(), indexed.Free();
}

static void topologies(const MPI::Intracomm &comm)
{
    int dims[2] = {0, 0}, coords[2], found[2];
    bool periods[2] = {true, false}, remain[2] = {true, false}, seen[2];
    MPI::Compute_dims(size, 2, dims);
    MPI::Cartcomm grid = comm.Create_cart(2, dims, periods, false);
    grid.Get_topo(2, found, seen, coords);
    say("grid: %d %d %d %d %d", grid.Get_dim(), found[0] * found[1], (int)seen[0], (int)seen[1], coords[0]);
    int from, to;
    grid.Shift(0, 1, from, to);
    say("shift: %d %d, rank %d", from, to, grid.Get_cart_rank(coords));
    say("map: %d", grid.Map(2, dims, periods));
    MPI::Cartcomm line = grid.Sub(remain);
    say("sub: %d of %d, %d", line.Get_rank(), line.Get_size(), line.Get_topology() == MPI::CART);
    MPI::Cartcomm &twin = grid.Clone();
    MPI::Comm &base = twin;
    MPI::Comm &third = base.Clone();
    say("clone: %d %d %d", twin.Get_dim(), third.Get_size(), (int)(dynamic_cast<MPI::Cartcomm *>(&third) != 0));
    third.Free(), delete &third;
    twin.Free(), delete &twin;
    line.Free(), grid.Free();
    int index[64], edges[64];
    for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = (i + 1) % size;
    MPI::Graphcomm ring = comm.Create_graph(size, index, edges, false);
    int nodes, lines, neighbour;
    ring.Get_dims(&nodes, &lines);
    ring.Get_neighbors(rank, 1, &neighbour);
    say("graph: %d %d %d %d", nodes, lines, ring.Get_neighbors_count(rank), neighbour);
    ring.Free();
}

static void groups(const MPI::Intracomm &comm)
{
    MPI::Group group = comm.Get_group();
    int first[1] = {0}, ranges[1][3] = {{0, size - 1, 2}};
    MPI::Group one = group.Incl(1, first), even = group.Range_incl(1, ranges);
    MPI::Group rest = MPI::Group::Difference(group, one);
    say("groups: %d %d %d %d", group.Get_size(), one.Get_size(), even.Get_size(), rest.Get_size());
    say("compare: %d", MPI::Group::Compare(group, one) == MPI::UNEQUAL);
    MPI::Intracomm half = comm.Split(rank % 2, rank), same = comm.Create(group);
    say("split: %d %d", half.Get_size(), same.Get_rank());
    if (size > 1) {
        MPI::Intercomm bridge = half.Create_intercomm(0, comm, 1 - rank % 2, 9);
        say("bridge: %d %d", (int)bridge.Is_inter(), bridge.Get_remote_size());
        MPI::Intracomm whole = bridge.Merge(rank % 2 == 1);
        say("merge: %d", whole.Get_size());
        whole.Free(), bridge.Free();
    }
    half.Free(), same.Free(), group.Free(), one.Free(), even.Free(), rest.Free();
    MPI::Intercomm parent = MPI::Comm::Get_parent();
    say("parent: %d", (int)(parent == MPI::COMM_NULL));
}

static void informations()
{
    MPI::Info info = MPI::Info::Create();
    info.Set("colour", "blue");
    char value[16] = "", none[16] = "", key[MPI_MAX_INFO_KEY + 1] = "";
    int length = 0;
    say("info: %d %d", (int)info.Get("colour", 15, value), (int)info.Get("size", 15, none));
    info.Get_nthkey(0, key);
    info.Get_valuelen("colour", length);
    MPI::Info copy = info.Dup();
    info.Delete("colour");
    say("info: %s %s %d %d %d", key, value, length, info.Get_nkeys(), copy.Get_nkeys());
    info.Free(), copy.Free();
}

static void windows(const MPI::Intracomm &comm)
{
    static int value = 9;
    int memory[4] = {0, 0, 0, 0};
    MPI::Win window = MPI::Win::Create(memory, sizeof memory, sizeof(int), MPI::INFO_NULL, comm);
    int key = MPI::Win::Create_keyval(COPIES_NO_WINDOW, end_of_window, (void *)"window");
    window.Set_attr(key, &value);
    const MPI::Win &own = window;
    int number = rank + 5, got = 0;
    own.Fence(0);
    own.Put(&number, 1, MPI::INT, (rank + 1) % size, 0, 1, MPI::INT);
    own.Fence(0);
    own.Accumulate(&number, 1, MPI::INT, (rank + 1) % size, 0, 1, MPI::INT, MPI::SUM);
    own.Fence(0);
    own.Get(&got, 1, MPI::INT, (rank + 1) % size, 0, 1, MPI::INT);
    own.Fence(0);
    say("window: %d %d", memory[0], got);
    MPI::Group group = own.Get_group();
    say("window's group: %d", group.Get_size());
    group.Free();
    window.Free();
    MPI::Win::Free_keyval(key);
}

static int fill(void *state, MPI::Status &status)
{
    say("query %d", *(int *)state);
    status.Set_elements(MPI::INT, 3);
    status.Set_cancelled(false);
    status.Set_source(2);
    status.Set_tag(4);
    return MPI_SUCCESS;
}

static int release(void *state)
{
    say("free %d", *(int *)state);
    return MPI_SUCCESS;
}

static int cancel(void *, bool complete)
{
    say("cancel %d", (int)complete);
    return MPI_SUCCESS;
}

static void requests()
{
    static int state = 11;
    MPI::Grequest any;
    MPI::Grequest request = any.Start(fill, release, cancel, &state);
    request.Cancel();
    say("test: %d", (int)request.Test());
    request.Complete();
    MPI::Status status;
    request.Wait(status);
    say("request: %d %d %d %d", status.Get_elements(MPI::INT), status.Get_source(), status.Get_tag(),
        (int)status.Is_cancelled());
}

static void note(MPI::Comm &comm, int *code, ...)
{
    say("handler: class %d of %d", MPI::Get_error_class(*code) == MPI::ERR_RANK, comm.Get_size() == size);
}

static void note_window(MPI::Win &, int *code, ...)
{
    say("window's handler: %d", *code != MPI::SUCCESS);
}

// Shows that frames between are unwound.
struct Frame {
    const char *name;
    ~Frame() { say("leave %s", name); }
};

static void fail(const MPI::Comm &comm)
{
    Frame frame = {"fail"};
    int value = 0;
    comm.Sendrecv(&value, 1, MPI::INT, size + 7, 1, &value, 1, MPI::INT, size + 7, 1);
    say("not thrown");
}

#define ATTEMPT(name, statement)                                                                              \
    try {                                                                                                     \
        statement;                                                                                            \
        say(name " returned");                                                                                \
    } catch (MPI::Exception & error) {                                                                        \
        int length;                                                                                           \
        char text[MPI_MAX_ERROR_STRING];                                                                      \
        MPI::Get_error_string(error.Get_error_code(), text, length);                                          \
        say(name ": class %d, text %d", error.Get_error_class(), std::strlen(error.Get_error_string()) > 0);  \
    }

#ifndef OPEN_MPI
// An exception is the one of the thread that made the error.
static void provoke(int own, int *caught)
{
    const MPI::Comm &comm = MPI::COMM_WORLD;
    int value = 0;
    for (int turn = 0; turn < 500; turn++)
        try {
            if (own == 0)
                comm.Send(&value, 1, MPI::INT, size + 7, 0);
            else
                (void)comm.Isend(&value, -1, MPI::INT, 0, 0);
        } catch (MPI::Exception &error) {
            *caught += error.Get_error_class() == (own == 0 ? MPI::ERR_RANK : MPI::ERR_COUNT);
        }
}

static void threads()
{
    int caught[2] = {0, 0};
    std::thread first(provoke, 0, &caught[0]), second(provoke, 1, &caught[1]);
    first.join(), second.join();
    say("threads: %d %d", caught[0], caught[1]);
}
#else
static void threads() {}
#endif

static void errors()
{
    int value = 0;
    MPI::Errhandler own = MPI::Comm::Create_errhandler(note);
    MPI::COMM_WORLD.Set_errhandler(own);
    MPI::COMM_WORLD.Send(&value, 1, MPI::INT, size + 7, 0);
    const MPI::Comm &comm = MPI::COMM_WORLD;
    comm.Send(&value, 1, MPI::INT, size + 7, 0);
    MPI::COMM_WORLD.Call_errhandler(MPI::ERR_RANK);
    MPI::Errhandler current = MPI::COMM_WORLD.Get_errhandler();
    say("same handler: %d", (int)((MPI_Errhandler)current == (MPI_Errhandler)own));
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    ATTEMPT("inline", MPI::COMM_WORLD.Send(&value, 1, MPI::INT, size + 7, 0));
#ifdef OPEN_MPI
    int code = MPI::mpi_errno, cls;
    MPI_Error_class(code, &cls);
    say("mpi_errno: class %d", cls == MPI::ERR_RANK);
#endif
    ATTEMPT("virtual", fail(comm));
    ATTEMPT("result", (void)comm.Isend(&value, 1, MPI::INT, size + 7, 0));
    threads();
    ATTEMPT("world", (void)MPI::INT.Create_contiguous(-1));
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_RETURN);
    MPI::COMM_WORLD.Send(&value, 1, MPI::INT, size + 7, 0);
    current = MPI::COMM_WORLD.Get_errhandler();
    say("return: %d", (int)((MPI_Errhandler)current == MPI_ERRORS_RETURN));
    MPI::Win window = MPI::Win::Create(&value, sizeof value, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
    MPI::Errhandler other = MPI::Win::Create_errhandler(note_window);
    window.Set_errhandler(other);
    window.Call_errhandler(MPI::ERR_RANK);
    window.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    ATTEMPT("window", window.Call_errhandler(MPI::ERR_RANK));
    window.Free();
    own.Free(), other.Free();
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    say("before: %d", (int)MPI::Is_initialized());
#ifdef OPEN_MPI
    MPI::Init(argc, argv);
#else
    int level = MPI::Init_thread(argc, argv, MPI::THREAD_MULTIPLE);
    say("level: %d %d", level == MPI::Query_thread(), level == MPI::THREAD_MULTIPLE);
#endif
    rank = MPI::COMM_WORLD.Get_rank();
    size = MPI::COMM_WORLD.Get_size();
    objects();
    messages(MPI::COMM_WORLD);
    collectives(MPI::COMM_WORLD);
    operations(MPI::COMM_WORLD);
    attributes(MPI::COMM_WORLD);
    datatypes(MPI::INT);
    topologies(MPI::COMM_WORLD);
    groups(MPI::COMM_WORLD);
    informations();
    windows(MPI::COMM_WORLD);
    requests();
    errors();
    say("clock: %d %d", MPI::Wtime() >= 0, MPI::Wtick() < 1);
    MPI::Finalize();
    say("after: %d", (int)MPI::Is_finalized());
    return 0;
}
