// ranks: 2 3
// timeout: 20
// expect: abort
// says: (?i)root
// The default handler ends the job on a wrong root given by one rank; the others wait in the collective.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int value = 1;
    MPI_Bcast(&value, 1, MPI_INT, world_rank == world_size - 1 ? 99 : 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return finish("fatal_collective");
}
