// ranks: 1 2 3
// timeout: 20
// expect: abort
// MPI_Abort from one rank ends all of them, whatever they wait for, with a report.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (world_rank == world_size - 1) MPI_Abort(MPI_COMM_WORLD, 42);
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return finish("abort");
}
