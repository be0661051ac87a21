// ranks: 1 2 3 5
// timeout: 30
// A random sequence of collectives from a printed seed (PAMIR_SEED repeats one) on the world and on halves of it, with
// random counts, roots and pauses, every result compared with one made by hand.
#include "check.h"
#include <time.h>

#define STEPS 150
#define MOST 40000

int main(int argc, char **argv) {
    begin(&argc, &argv);
    unsigned long long seed = 0;
    if (world_rank == 0) {
        const char *given = getenv("PAMIR_SEED");
        seed = (given ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL) * 1000003 + (unsigned)getpid()) | 1;
        printf("PAMIR_SEED=%llu\n", seed);
    }
    OK(MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD));
    MPI_Comm half;
    OK(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half));
    int *in = space(sizeof *in * MOST * 8), *out = space(sizeof *out * MOST * 8);
    uint64_t shared = seed, own = seed * 13 + (uint64_t)world_rank + 1;
    for (int step = 0; step < STEPS; step++) {
        unsigned kind = (unsigned)(next_random(&shared) % 9), where = (unsigned)(next_random(&shared) % 3);
        unsigned draw = (unsigned)(next_random(&shared) % 4), in_place = (unsigned)(next_random(&shared) % 2);
        int count = (int)(next_random(&shared) % (draw == 0 ? 4 : draw == 1 ? 100 : draw == 2 ? 3000 : MOST));
        MPI_Comm comm = where ? MPI_COMM_WORLD : half;
        int n, me, i, r;
        OK(MPI_Comm_size(comm, &n));
        OK(MPI_Comm_rank(comm, &me));
        int root = (int)(next_random(&shared) % 5) % n;
        if (next_random(&own) % 8 == 0) pause_microseconds((unsigned)(next_random(&own) % 300));
#define V(rank, i) ((rank) * 10007 + (i) * 3 + step)
        for (i = 0; i < count * n; i++) out[i] = V(me, i), in[i] = -1;
        switch (kind) {
        case 0: OK(MPI_Barrier(comm)); break;
        case 1:
            OK(MPI_Bcast(out, count, MPI_INT, root, comm));
            for (i = 0; i < count; i++) CHECK_INT(out[i], V(root, i));
            break;
        case 2:
            if (in_place) memcpy(in, out, sizeof *in * (size_t)count);
            OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : out, in, count, MPI_INT, MPI_SUM, comm));
            for (i = 0; i < count; i++) CHECK_INT(in[i], 10007 * (n * (n - 1) / 2) + n * (i * 3 + step));
            break;
        case 3:
            OK(MPI_Reduce(out, in, count, MPI_INT, MPI_MAX, root, comm));
            if (me == root) for (i = 0; i < count; i++) CHECK_INT(in[i], V(n - 1, i));
            break;
        case 4:
            OK(MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, root, comm));
            if (me == root) for (r = 0; r < n; r++) for (i = 0; i < count; i++) CHECK_INT(in[r * count + i], V(r, i));
            break;
        case 5:
            OK(MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, root, comm));
            for (i = 0; i < count; i++) CHECK_INT(in[i], V(root, me * count + i));
            break;
        case 6:
            if (in_place) memcpy(in + me * count, out, sizeof *in * (size_t)count);
            OK(MPI_Allgather(in_place ? MPI_IN_PLACE : out, count, MPI_INT, in, count, MPI_INT, comm));
            for (r = 0; r < n; r++) for (i = 0; i < count; i++) CHECK_INT(in[r * count + i], V(r, i));
            break;
        case 7:
            OK(MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm));
            for (r = 0; r < n; r++) for (i = 0; i < count; i++) CHECK_INT(in[r * count + i], V(r, me * count + i));
            break;
        case 8:
            OK(MPI_Exscan(out, in, count, MPI_INT, MPI_MAX, comm));
            if (me) for (i = 0; i < count; i++) CHECK_INT(in[i], V(me - 1, i));
            break;
        }
    }
    free(in);
    free(out);
    OK(MPI_Comm_free(&half));
    return finish("random_collective");
}
