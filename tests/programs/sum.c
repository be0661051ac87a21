// Sums and meets in a loop, and checks each sum: many ranks on few cores. Rank 0 prints
// "summed SIZE".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int times = argc > 1 ? atoi(argv[1]) : 1;
    for (int time = 0; time < times; time++) {
        double own = rank + time, sum = -1.0;
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double expected = size * (size - 1) / 2.0 + (double)size * time;
        if (sum != expected) {
            fprintf(stderr, "rank %d, time %d: sum %g, expected %g\n", rank, time, sum, expected);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("summed %d\n", size);
    return MPI_Finalize();
}
