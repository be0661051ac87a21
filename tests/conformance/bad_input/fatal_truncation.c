// ranks: 2
// timeout: 20
// expect: abort
// says: (?i)trunc
// The default handler ends the job on a truncated message; the other rank waits.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int four[4] = {0};
    if (world_rank == 0) MPI_Send(four, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (world_rank == 1) MPI_Recv(four, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return finish("fatal_truncation");
}
