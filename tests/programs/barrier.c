// All ranks meet as often as the first argument says, pass a token around, and rank 0 says so:
// "met SIZE". With the argument "alone" after it, there has to be one rank and no launcher.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int times = argc > 1 ? atoi(argv[1]) : 1;
    for (int time = 0; time < times; time++)
        MPI_Barrier(MPI_COMM_WORLD);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (rank != 0) {
        MPI_Recv(&token, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token++;
        MPI_Send(&token, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Isend(&token, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &request);
        int returned;
        MPI_Recv(&returned, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (returned != size - 1) {
            fprintf(stderr, "the token is %d after %d ranks\n", returned, size);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
        printf("met %d\n", size);
    }
    return MPI_Finalize();
}
