// Closes every descriptor but the standard ones before MPI_Init, as daemons and some scripts'
// interpreters do, and meets the others all the same: rank 0 prints "met SIZE".
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int descriptor = 3; descriptor < 4096; descriptor++)
        close(descriptor);
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("met %d\n", size);
    return MPI_Finalize();
}
