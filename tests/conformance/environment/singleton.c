// ranks: 0 1
// timeout: 20
// Started without mpiexec: a world of one process in which everything works.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK_INT(world_size, 1);
    CHECK_INT(world_rank, 0);
    int value = 3, in = 0, sum = 0;
    MPI_Request request;
    OK(MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, 3);
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, 3);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Bcast(&value, 1, MPI_INT, 0, comm));
    OK(MPI_Comm_free(&comm));
    return finish("singleton");
}
