// ranks: 1 2
// timeout: 20
// expect: abort
// says: (?i)tag
// The default handler ends the job on a wrong tag and says so.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int value = 1;
    MPI_Send(&value, 1, MPI_INT, 0, -9, MPI_COMM_WORLD);
    return finish("fatal_tag");
}
