// Adds a number of each rank; fails where it runs alone, as another MPI's ranks would.
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, ranks, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rank++;
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return ranks == 2 && total == 3 ? 0 : 1;
}
