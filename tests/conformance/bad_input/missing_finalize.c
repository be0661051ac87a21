// ranks: 1 2
// timeout: 20
// expect: abort
// says: (?i)rank|finali
// only: pamir
// A rank that exits with 0 without MPI_Finalize is reported, and those that wait for it do not wait for ever.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (world_rank == world_size - 1) exit(0);
    MPI_Barrier(MPI_COMM_WORLD);
    return finish("missing_finalize");
}
