// In iteration i, which an allreduce ends, rank 0 sends 10^i KB to rank 1; allreduces of a part of the
// ranks end nothing. Run by tests/tests/placement.rs.
#include <mpi.h>
#include <stdlib.h>

enum { ITERATIONS = 4 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, one = 1, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    char *data = calloc(1000, 1000);
    for (int i = 0, kilobytes = 1; i < ITERATIONS; i++, kilobytes *= 10) {
        if (rank == 0) MPI_Send(data, 1000 * kilobytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(data, 1000 * kilobytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    free(data);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
