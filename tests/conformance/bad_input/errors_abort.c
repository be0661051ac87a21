// ranks: 1 2
// timeout: 20
// expect: abort
// MPI_ERRORS_ABORT on a communicator ends the job.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int value = 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
    MPI_Send(&value, 1, MPI_INT, world_size + 7, 0, MPI_COMM_WORLD);
    return finish("errors_abort");
}
