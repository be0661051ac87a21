// Exchanges the borders of a grid of four rows of ranks, with or without reordering:
// halo REORDER ROUNDS. Each rank says where it runs, rank 0 how long it took. Run by
// tests/tests/placement.rs and scripts/bench placement --runs.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { BORDER = 10000 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int reorder = argc > 1 && atoi(argv[1]), rounds = argc > 2 ? atoi(argv[2]) : 20;
    int rank, ranks, world, periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    int sides[2] = {4, ranks / 4};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, reorder, &grid);
    if (grid == MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(grid, &rank);
    char *out = calloc(BORDER, 1), *in = calloc(BORDER, 1);
    MPI_Barrier(grid);
    MPI_Pcontrol(3);
    double begin = MPI_Wtime();
    for (int round = 0; round < rounds; round++)
        for (int dimension = 0; dimension < 2; dimension++) {
            int low, high;
            MPI_Cart_shift(grid, dimension, 1, &low, &high);
            MPI_Sendrecv(out, BORDER, MPI_CHAR, high, 0, in, BORDER, MPI_CHAR, low, 0, grid,
                         MPI_STATUS_IGNORE);
            MPI_Sendrecv(out, BORDER, MPI_CHAR, low, 1, in, BORDER, MPI_CHAR, high, 1, grid,
                         MPI_STATUS_IGNORE);
        }
    double seconds = MPI_Wtime() - begin;
    MPI_Pcontrol(0);
    printf("rank %d unit %d\n", world, sched_getcpu());
    if (rank == 0) printf("time %.6f s\n", seconds);
    MPI_Comm_free(&grid);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
