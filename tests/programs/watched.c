// Four ranks that are looked at: rank 0 sleeps outside MPI's calls, rank 1 waits in one for a message that never comes, rank 2
// has not called MPI_Init, rank 3 ends at once. Who asks them to end is not heard. Prints "here RANK".
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank = atoi(getenv("PAMIR_RANK")), value;
    signal(SIGTERM, SIG_IGN);
    if (rank < 2)
        MPI_Init(&argc, &argv);
    printf("here %d\n", rank);
    fflush(stdout);
    if (rank == 3)
        return 0;
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (;;)
        pause();
}
