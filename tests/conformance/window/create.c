// ranks: 1 2 3 5
// timeout: 20
// Windows of every flavor: created over the program's memory, allocated, shared (contiguous or not, queried), dynamic
// (attached and detached); of size 0 at some ranks, with a displacement unit for each rank, with large-count calls;
// many at a time and many one after the other; null after they are freed.
#include "check.h"

static MPI_Comm node; // ranks that can share memory
static int node_rank, node_size;

// Every rank puts a number into its right neighbour's window, and its left neighbour's number is in `mine` then.
static void works(MPI_Win win, MPI_Comm comm, volatile long *mine, MPI_Aint displacement, long seed) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    long value = seed + rank, got = -1;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_LONG, right, displacement, 1, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(*mine, seed + left);
    OK(MPI_Get(&got, 1, MPI_LONG, right, displacement, 1, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(got, value);
}

static void freed(MPI_Win *win) {
    OK(MPI_Win_free(win));
    CHECK(*win == MPI_WIN_NULL);
}

static void created(void) {
    long memory[4] = {0};
    MPI_Win win, other;
    MPI_Comm copy;
    OK(MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    works(win, MPI_COMM_WORLD, &memory[3], 3, 100);
    // A second window over the same memory, of a communicator that is freed first.
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, copy, &other));
    OK(MPI_Comm_free(&copy));
    works(other, MPI_COMM_WORLD, &memory[2], 16, 200);
    works(win, MPI_COMM_WORLD, &memory[2], 2, 300);
    freed(&win);
    works(other, MPI_COMM_WORLD, &memory[1], 8, 400);
    freed(&other);
    OK(MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_SELF, &win));
    works(win, MPI_COMM_SELF, &memory[0], 0, 500);
    freed(&win);
    // A unit for each rank, sizes that end right behind the number.
    int right = (world_rank + 1) % world_size;
    OK(MPI_Win_create(memory, 24, 1 << world_rank % 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    long value = 600 + world_rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_LONG, right, 16 >> right % 4, 1, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(memory[2], 600 + (world_rank + world_size - 1) % world_size);
    freed(&win);
    // Windows of halves of the world beside each other.
    OK(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &copy));
    OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, copy, &win));
    works(win, copy, &memory[1], 1, 700 + 1000 * (world_rank % 2));
    freed(&win);
    OK(MPI_Comm_free(&copy));
}

// Only even ranks have memory; with `none` nobody has.
static void empty(int flavor, int none) {
    long memory[2] = {0}, *base = memory;
    MPI_Aint size = none || world_rank % 2 ? 0 : 16;
    MPI_Win win;
    if (flavor == 0) OK(MPI_Win_create(size ? memory : NULL, size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    else OK(MPI_Win_allocate(size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (size) base[1] = 0;
    OK(MPI_Win_fence(0, win));
    long value = 5 + world_rank;
    int target = world_rank - world_rank % 2; // puts come from the odd rank behind, or from the last even one
    if (!none && (world_rank % 2 || world_rank == world_size - 1))
        OK(MPI_Put(&value, 1, MPI_LONG, target, 1, 1, MPI_LONG, win));
    OK(MPI_Put(NULL, 0, MPI_LONG, world_size - 1, 0, 0, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    if (size) CHECK_INT(base[1], 5 + (world_rank == world_size - 1 ? world_rank : world_rank + 1));
    freed(&win);
}

static void allocated(void) {
    MPI_Win win;
    long *base = NULL;
    OK(MPI_Win_allocate(1000 * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK_INT((uintptr_t)base % 8, 0);
    for (int i = 0; i < 1000; i++) base[i] = i; // all of it is there
    works(win, MPI_COMM_WORLD, &base[999], 999, 800);
    CHECK_INT(base[998], 998);
    // Memory that a rank asked for is its own where ranks may map each other's.
    freed(&win);
    OK(MPI_Win_allocate((MPI_Aint)(world_rank + 1) << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    works(win, MPI_COMM_WORLD, &base[(1 << 17) - 1], (1 << 20) - 8, 900);
    // Where the memory is shared, a query says where it lies; where not, it gives no bytes.
    for (int r = 0; r < world_size; r++) {
        MPI_Aint size = -1;
        int unit = -1;
        long *theirs = NULL;
        NOT_PEER {
            OK(MPI_Win_shared_query(win, r, &size, &unit, &theirs));
            CHECK(size == 0 || size == (MPI_Aint)(r + 1) << 20);
            if (size) CHECK_INT(unit, 1);
            if (size) CHECK_INT(theirs[(1 << 17) - 1], 900 + (r + world_size - 1) % world_size);
            if (r == world_rank && size) CHECK(theirs == base);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    freed(&win);
}

// Shared windows: rank r has `bytes(r)`; loads and stores reach all of it.
static MPI_Aint bytes_of(int rank, int form) {
    switch (form) {
    case 0: return 4096;
    case 1: return 8 * (rank + 1);
    case 2: return rank == 0 && node_size > 1 ? 0 : 24; // the lowest rank has nothing
    case 3: return rank % 2 ? 0 : 3;                    // odd sizes
    case 4: return rank == node_size - 1 ? 100000 : 0;  // only the last rank
    default: return 0;
    }
}

static void shared(int form, int apart) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Win win;
    char *base = NULL, *theirs = NULL, *behind = NULL;
    MPI_Aint mine = bytes_of(node_rank, form), size;
    int unit, lowest = -1;
    if (apart) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    }
    OK(MPI_Win_allocate_shared(mine, 1 + node_rank, info, node, &base, &win));
    if (apart) OK(MPI_Info_free(&info));
    for (MPI_Aint i = 0; i < mine; i++) base[i] = (char)pattern((uint64_t)(form * 10 + node_rank), (uint64_t)i);
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < node_size; r++) {
        size = unit = -1;
        OK(MPI_Win_shared_query(win, r, &size, &unit, &theirs));
        CHECK_INT(size, bytes_of(r, form));
        if (size > 0) CHECK_INT(unit, 1 + r);
        else NOT_PEER CHECK_INT(unit, 1 + r); // MPICH 5.0 gives 0 with no bytes
        if (r == node_rank && size) CHECK(theirs == base);
        CHECK_FILLED(theirs, size, form * 10 + r);
        if (size > 0 && lowest < 0) lowest = r;
        if (!apart && size > 0) {
            if (behind) CHECK_THAT(theirs == behind, "form %d, rank %d is not right behind", form, r);
            behind = theirs + size;
        }
    }
    char *first = NULL;
    size = unit = -1;
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &first));
    CHECK_INT(size, lowest < 0 ? 0 : bytes_of(lowest, form));
    if (lowest >= 0) {
        CHECK_INT(unit, 1 + lowest);
        OK(MPI_Win_shared_query(win, lowest, &size, &unit, &theirs));
        CHECK(first == theirs);
    }
    OK(MPI_Win_fence(0, win));
    // A put, then a store, into the next rank's memory.
    int right = (node_rank + 1) % node_size, left = (node_rank + node_size - 1) % node_size;
    char sign = (char)(40 + node_rank);
    if (bytes_of(right, form)) OK(MPI_Put(&sign, 1, MPI_CHAR, right, 0, 1, MPI_CHAR, win));
    OK(MPI_Win_fence(0, win));
    if (mine) CHECK_INT(base[0], 40 + left);
    OK(MPI_Win_fence(0, win));
    if (bytes_of(right, form)) {
        OK(MPI_Win_shared_query(win, right, &size, &unit, &theirs));
        theirs[size - 1] = (char)(60 + node_rank);
    }
    OK(MPI_Win_fence(0, win));
    if (mine) CHECK_INT(base[mine - 1], 60 + left);
    freed(&win);
}

static void dynamic(void) {
    MPI_Win win;
    long first[8] = {0}, *second = space(80000);
    MPI_Aint addresses[2], *all = space(2 * sizeof(MPI_Aint) * (size_t)world_size);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int round = 0; round < 3; round++) {
        memset(second, 0, 80000);
        OK(MPI_Win_attach(win, first, sizeof first));
        OK(MPI_Win_attach(win, second, 80000));
        OK(MPI_Get_address(first, &addresses[0]));
        OK(MPI_Get_address(second, &addresses[1]));
        OK(MPI_Allgather(addresses, 2, MPI_AINT, all, 2, MPI_AINT, MPI_COMM_WORLD));
        long values[2] = {round * 100 + world_rank, -world_rank}, got[2] = {-1, -1};
        OK(MPI_Win_fence(0, win));
        OK(MPI_Put(&values[0], 1, MPI_LONG, right, MPI_Aint_add(all[2 * right], 24), 1, MPI_LONG, win));
        OK(MPI_Put(&values[1], 1, MPI_LONG, right, MPI_Aint_add(all[2 * right + 1], 79992), 1, MPI_LONG, win));
        OK(MPI_Win_fence(0, win));
        CHECK_INT(first[3], round * 100 + left);
        CHECK_INT(second[9999], -left);
        OK(MPI_Get(&got[0], 1, MPI_LONG, right, MPI_Aint_add(all[2 * right], 24), 1, MPI_LONG, win));
        OK(MPI_Accumulate(&values[0], 1, MPI_LONG, right, all[2 * right + 1], 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_fence(0, win));
        CHECK_INT(got[0], values[0]);
        CHECK_INT(second[0], round * 100 + left);
        // Detached in either order, attached again in the next round.
        OK(MPI_Win_detach(win, round == 1 ? (void *)first : second));
        OK(MPI_Win_detach(win, round == 1 ? (void *)second : first));
    }
    // A part alone, and many parts at a time.
    for (int i = 0; i < 100; i++) OK(MPI_Win_attach(win, second + 100 * i, 8 * 50));
    OK(MPI_Get_address(second + 4900, &addresses[0]));
    OK(MPI_Allgather(addresses, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
    works(win, MPI_COMM_WORLD, &second[4949], MPI_Aint_add(all[right], 392), 70);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 99; i >= 0; i--) OK(MPI_Win_detach(win, second + 100 * i));
    freed(&win);
    free(second);
    free(all);
}

static void large_count(void) {
    MPI_Win win;
    long memory[2] = {0}, *base = NULL;
    OK(MPI_Win_create_c(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    works(win, MPI_COMM_WORLD, &memory[1], 1, 10);
    freed(&win);
    OK(MPI_Win_allocate_c(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    works(win, MPI_COMM_WORLD, &base[3], 6, 20);
    freed(&win);
    OK(MPI_Win_allocate_shared_c(16, 2, MPI_INFO_NULL, node, &base, &win));
    works(win, node, &base[1], 4, 30);
    MPI_Aint size = -1, unit = -1;
    long *theirs;
    OK(MPI_Win_shared_query_c(win, 0, &size, &unit, &theirs));
    CHECK_INT(size, 16);
    CHECK_INT(unit, 2);
    freed(&win);
}

static void many(void) {
    enum { AT_A_TIME = 40, ONE_BY_ONE = 200 };
    MPI_Win wins[AT_A_TIME], win;
    long *bases[AT_A_TIME], memory[2], *base;
    for (int i = 0; i < AT_A_TIME; i++)
        OK(MPI_Win_allocate(8 * (i + 1), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &bases[i], &wins[i]));
    for (int i = 0; i < AT_A_TIME; i++) OK(MPI_Win_fence(0, wins[i]));
    int right = (world_rank + 1) % world_size;
    long values[AT_A_TIME];
    for (int i = 0; i < AT_A_TIME; i++) {
        values[i] = 100 * i + world_rank;
        OK(MPI_Put(&values[i], 1, MPI_LONG, right, i, 1, MPI_LONG, wins[i]));
    }
    for (int i = AT_A_TIME - 1; i >= 0; i--) OK(MPI_Win_fence(0, wins[i]));
    for (int i = 0; i < AT_A_TIME; i++) CHECK_INT(bases[i][i], 100 * i + (world_rank + world_size - 1) % world_size);
    for (int i = 0; i < AT_A_TIME; i++) freed(&wins[i * 17 % AT_A_TIME]); // in an order of its own
    for (int i = 0; i < ONE_BY_ONE; i++) {
        switch (i % 4) {
        case 0:
            OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
            if (i % 20 == 0) works(win, MPI_COMM_WORLD, &memory[1], 1, i);
            break;
        case 1:
            OK(MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
            if (i % 20 == 1) works(win, MPI_COMM_WORLD, &base[511], 511, i);
            break;
        case 2:
            OK(MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, node, &base, &win));
            if (i % 20 == 2) works(win, node, &base[7], 7, i);
            break;
        default: OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        }
        freed(&win);
    }
}

// A window over pieces that MPI_Alloc_mem gave, short and long ones, of which one begins inside of its piece. Others may be able to
// address them; whoever can sees what the owner has stored.
static void given(MPI_Aint bytes) {
    char *piece, *where;
    int right = (world_rank + 1) % world_size, unit, wrote = 100 + world_rank, got = 0;
    MPI_Aint size;
    MPI_Win win;
    OK(MPI_Alloc_mem(bytes + 64, MPI_INFO_NULL, &piece));
    memset(piece, 0, (size_t)bytes + 64);
    int *own = (int *)(piece + 64 * (world_rank % 2));
    OK(MPI_Win_create(own, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&wrote, 1, MPI_INT, right, bytes / 4 - 1, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(own[bytes / 4 - 1], 100 + (world_rank + world_size - 1) % world_size);
    own[0] = 500 + world_rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&got, 1, MPI_INT, right, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_INT(got, 500 + right);
    NOT_PEER {
        OK(MPI_Win_shared_query(win, right, &size, &unit, &where));
        CHECK_INT(size, bytes);
        CHECK_INT(*(int *)where, 500 + right);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(piece));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_rank(node, &node_rank));
    OK(MPI_Comm_size(node, &node_size));
    created();
    for (int flavor = 0; flavor < 2; flavor++) {
        empty(flavor, 0);
        empty(flavor, 1);
    }
    allocated();
    for (int form = 0; form < 6; form++) {
        shared(form, 0);
        shared(form, 1);
    }
    dynamic();
    for (MPI_Aint bytes = 4; bytes <= 4 << 20; bytes *= 32) given(bytes);
    large_count();
    many();
    OK(MPI_Comm_free(&node));
    return finish("create");
}
