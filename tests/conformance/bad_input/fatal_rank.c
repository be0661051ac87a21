// ranks: 1 2
// timeout: 20
// expect: abort
// says: (?i)rank
// The default handler ends the job on a wrong rank and says so.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int value = 1;
    MPI_Send(&value, 1, MPI_INT, world_size + 7, 0, MPI_COMM_WORLD);
    return finish("fatal_rank");
}
