// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Reduce, MPI_Allreduce and their nonblocking forms against a sum made by hand: every root, counts from 0 to
// 1 MiB, in place, buffers of the others untouched; all ranks get the same bits of a floating-point sum.
#include "check.h"

static long value(int rank, int i) { return (long)rank * 7919 + i * 31 - 1000; }
static long sum(int i) {
    long total = 0;
    for (int r = 0; r < world_size; r++) total += value(r, i);
    return total;
}

static void reduce(int nonblocking, int count, int root, int in_place) {
    int me = world_rank;
    long *mine = space((size_t)count * sizeof *mine), *all = space((size_t)(count + 1) * sizeof *all);
    memset(all, 0xee, (size_t)(count + 1) * sizeof *all);
    for (int i = 0; i < count; i++) mine[i] = value(me, i);
    const void *from = mine;
    if (in_place && (me == root || root < 0)) {
        for (int i = 0; i < count; i++) all[i] = mine[i];
        from = MPI_IN_PLACE;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    if (root < 0) {
        if (nonblocking) OK(MPI_Iallreduce(from, all, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request));
        else OK(MPI_Allreduce(from, all, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    } else {
        // A rank that is not the root may give no receive buffer at all.
        void *to = me == root ? all : count % 2 ? (void *)all : NULL;
        if (nonblocking) OK(MPI_Ireduce(from, to, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD, &request));
        else OK(MPI_Reduce(from, to, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
    }
    if (nonblocking) OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (me == root || root < 0)
        for (int i = 0; i < count; i++) CHECK_INT(all[i], sum(i));
    else
        CHECK(all_bytes(all, (size_t)count * sizeof *all, 0xee));
    CHECK(all_bytes(all + count, sizeof *all, 0xee));
    for (int i = 0; i < count; i++) CHECK_INT(mine[i], value(me, i));
    free(all);
    free(mine);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {0, 1, 2, 3, 7, 8, 17, 100, 1023, 4096, 16385, 131072};
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int root = -1; root < world_size; root++)
                for (int in_place = 0; in_place < 2; in_place++) reduce(nonblocking, counts[c], root, in_place);

    double numbers[500], total[500], first[500];
    for (int turn = 0; turn < 5; turn++) {
        int count = turn % 2 ? 500 : 1 + turn;
        uint64_t state = (uint64_t)world_rank * 77 + 1 + (uint64_t)turn;
        for (int i = 0; i < count; i++) numbers[i] = (double)next_random(&state) / 1e3 * (i % 2 ? 1 : 1e-17);
        OK(MPI_Allreduce(numbers, total, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        memcpy(first, total, sizeof first);
        OK(MPI_Bcast(first, count, MPI_DOUBLE, 0, MPI_COMM_WORLD));
        CHECK(memcmp(first, total, (size_t)count * sizeof *first) == 0);
    }
    return finish("reduce");
}
