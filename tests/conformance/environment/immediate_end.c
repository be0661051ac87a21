// ranks: 0 1 2 5
// timeout: 20
// Initialised and finalised with nothing in between but the line the runner waits for.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank = -1;
    if (MPI_Init(&argc, &argv)) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("ok immediate_end\n");
    return MPI_Finalize();
}
