// All ranks but 0 wait for a message that never comes: the program whose launcher is killed while
// its ranks sleep. Rank 0 sleeps outside MPI. Prints "waiting RANK".
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("waiting %d\n", rank);
    fflush(stdout);
    while (rank == 0)
        pause();
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 1;
}
