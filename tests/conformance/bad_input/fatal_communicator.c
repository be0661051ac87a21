// ranks: 1 2
// timeout: 20
// expect: abort
// says: (?i)comm
// A null communicator under the default handler ends the job.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int value = 1;
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    return finish("fatal_communicator");
}
