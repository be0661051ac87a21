// Two groups of ranks, {0, 2, 5, 7} and {1, 3, 4, 6} of each eight, that talk much among themselves and
// little with each other. Each rank says where it runs, rank 0 how long it took and the rate. Run by
// tests/tests/placement.rs and scripts/bench placement --runs.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAVY = 10000, LIGHT = 8 };

// Neither blocks nor turns of ranks fit it, nor the order in which they are dealt out.
static int group_of(int rank) { return (rank ^ rank >> 2) & 1; }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) : 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = rank, before = rank;
    do next = (next + 1) % ranks; while (group_of(next) != group_of(rank));
    do before = (before + ranks - 1) % ranks; while (group_of(before) != group_of(rank));
    char *out = calloc(HEAVY, 1), *in = calloc(HEAVY, 1);
    double begin = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        MPI_Sendrecv(out, HEAVY, MPI_CHAR, next, 0, in, HEAVY, MPI_CHAR, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        // Ranks 2k and 2k + 1 are of different groups.
        if (round == 0 && (rank ^ 1) < ranks)
            MPI_Sendrecv(out, LIGHT, MPI_CHAR, rank ^ 1, 1, in, LIGHT, MPI_CHAR, rank ^ 1, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double seconds = MPI_Wtime() - begin;
    printf("rank %d unit %d\n", rank, sched_getcpu());
    if (rank == 0)
        printf("time %.6f s\n%.1f MB/s\n", seconds, 1e-6 * HEAVY * rounds * ranks / seconds);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
