// Two ranks begin a large transfer and compute; with an engine thread the transfer is over when
// they have computed. Each prints "overlap RANK WAITED TOTAL": microseconds in MPI_Wait after
// computing, and those that the transfer takes when nobody computes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 << 20 };

static void compute(double seconds)
{
    volatile double sum = 0;
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        for (int i = 0; i < 1000; i++)
            sum += i;
}

static double transfer(char *bytes, int rank, double computing)
{
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Isend(bytes, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(bytes, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    compute(computing);
    double began = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - began) * 1e6;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *bytes = malloc(BYTES);
    memset(bytes, rank == 0 ? 7 : 0, BYTES);
    double total = transfer(bytes, rank, 0), waited = 1e9;
    for (int attempt = 0; attempt < 3; attempt++) {
        if (rank == 1)
            memset(bytes, 0, BYTES);
        double once = transfer(bytes, rank, 0.5);
        waited = once < waited ? once : waited;
        for (int at = 0; at < BYTES; at++)
            if (bytes[at] != 7)
                MPI_Abort(MPI_COMM_WORLD, 3);
    }
    printf("overlap %d %.0f %.0f\n", rank, waited, total);
    free(bytes);
    return MPI_Finalize();
}
