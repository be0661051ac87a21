// ranks: 2 3 4 5
// timeout: 40
// Blocking collectives of few bytes while some ranks have other work under way (a large send that nobody takes yet, a
// nonblocking barrier, an operation on another communicator) and others have none: whatever way each rank goes, the data
// and the order of operations are the same. Sizes around a cache line and a post, derived and predefined types mixed.
#include "check.h"

enum { LARGE = 1 << 22, MOST = 5000 };

static double out[MOST], in[MOST];
static char *large;
static unsigned seed = 12345;

static unsigned chance(void) { return seed = seed * 1103515245u + 12345u, seed >> 16; }

static double value(int rank, int block, int i) { return rank * 7 + block * 1009 + i % 97; }

// A pair of doubles, or one: the same bytes, another way.
static MPI_Datatype pair;

static void operation(unsigned kind, int count, int root, int derived, MPI_Comm comm) {
    int me = world_rank, n = world_size, all = count * n;
    MPI_Datatype type = derived ? pair : MPI_DOUBLE;
    int elements = derived ? count / 2 : count;
    double sum = 0;
    memset(in, 0xee, sizeof in);
    for (int block = 0; block < n; block++)
        for (int i = 0; i < count; i++) out[block * count + i] = value(me, block, i);
    switch (kind) {
    case 0:
        OK(MPI_Barrier(comm));
        return;
    case 1:
        if (me == root) memcpy(in, out, (size_t)count * 8);
        OK(MPI_Bcast(in, elements, type, root, comm));
        for (int i = 0; i < count; i++) CHECK(in[i] == value(root, 0, i));
        return;
    case 2:
        OK(MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, comm));
        break;
    case 3:
        OK(MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm));
        break;
    case 4:
        OK(MPI_Gather(out, elements, type, in, elements, type, root, comm));
        for (int r = 0; r < n && me == root; r++)
            for (int i = 0; i < count; i++) CHECK(in[r * count + i] == value(r, 0, i));
        return;
    case 5:
        OK(MPI_Scatter(out, elements, type, in, elements, type, root, comm));
        for (int i = 0; i < count; i++) CHECK(in[i] == value(root, me, i));
        return;
    case 6:
        OK(MPI_Allgather(out, elements, type, in, elements, type, comm));
        for (int r = 0; r < n; r++)
            for (int i = 0; i < count; i++) CHECK(in[r * count + i] == value(r, 0, i));
        return;
    case 7:
        OK(MPI_Alltoall(out, elements, type, in, elements, type, comm));
        for (int r = 0; r < n; r++)
            for (int i = 0; i < count; i++) CHECK(in[r * count + i] == value(r, me, i));
        return;
    case 8: // In place.
        memcpy(in, out, (size_t)count * 8);
        OK(MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_DOUBLE, MPI_SUM, comm));
        break;
    case 9:
        memcpy(in + me * count, out, (size_t)count * 8);
        OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, count, MPI_DOUBLE, comm));
        for (int i = 0; i < all; i++) CHECK(in[i] == value(i / count, 0, i % count));
        return;
    default:
        memcpy(in, out, (size_t)count * 8);
        OK(MPI_Reduce(me == root ? MPI_IN_PLACE : in, in, count, MPI_DOUBLE, MPI_MAX, root, comm));
        for (int i = 0; i < count && me == root; i++) CHECK(in[i] == value(n - 1, 0, i));
        return;
    }
    for (int i = 0; i < count && (kind != 2 || me == root); i++) {
        sum = 0;
        for (int r = 0; r < n; r++) sum += value(r, 0, i);
        CHECK(in[i] == sum);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {1, 2, 5, 6, 7, 8, 64, 128, 254, 256, 512, 600};
    MPI_Comm other;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    OK(MPI_Type_contiguous(2, MPI_DOUBLE, &pair));
    OK(MPI_Type_commit(&pair));
    large = space(2 * LARGE);
    for (int round = 0; round < 40; round++) {
        // Who is busy, and how, differs from rank to rank; the operations do not.
        unsigned busy = chance() % 4;
        int from = (int)(chance() % (unsigned)world_size), to = (from + 1) % world_size;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (busy == 1 && world_rank == from)
            OK(MPI_Isend(large, LARGE, MPI_CHAR, to, 5, MPI_COMM_WORLD, &requests[0]));
        if (busy == 2) OK(MPI_Ibarrier(other, &requests[1]));
        if (busy == 3) OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]));
        for (int step = 0; step < 25; step++) {
            unsigned kind = chance() % 11;
            int count = counts[chance() % 12], root = (int)(chance() % (unsigned)world_size);
            // Some ranks name the same bytes by another type.
            int derived = count % 2 == 0 && chance() % 3 == 0 && (int)(chance() % 2) == world_rank % 2;
            operation(kind, count, root, derived, chance() % 2 ? MPI_COMM_WORLD : other);
        }
        if (busy == 1 && world_rank == to)
            OK(MPI_Recv(large + LARGE, LARGE, MPI_CHAR, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    OK(MPI_Type_free(&pair));
    OK(MPI_Comm_free(&other));
    free(large);
    return finish("short_and_general");
}
