// ranks: 2 3
// timeout: 20
// expect: abort
// only: pamir
// says: (?i)(exit|code|status)\D{0,20}7
// A rank that ends with a code of its own before MPI_Finalize ends the job, and its code is reported.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (world_rank == world_size - 1) _exit(7);
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return finish("exit_code");
}
