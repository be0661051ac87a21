// Rank 0 posts more sends than its lane holds, and makes no call any more; rank 1 receives them all, and says "received".
// Both sleep then.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 6000, BYTES = 1000 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(MESSAGES, BYTES);
    MPI_Request *requests = malloc(MESSAGES * sizeof *requests);
    for (int message = 0; message < MESSAGES; message++)
        if (rank == 0)
            MPI_Isend(data + message * BYTES, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[message]);
        else
            MPI_Recv(data + message * BYTES, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        puts("received");
    fflush(stdout);
    for (;;)
        pause();
}
