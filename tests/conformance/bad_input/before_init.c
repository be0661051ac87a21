// ranks: 0 1 2
// timeout: 20
// expect: abort
// says: (?i)init
// A call before MPI_Init ends the program with a report that names what is missing.
#include "check.h"

int main(int argc, char **argv) {
    int rank = -1, value = 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    begin(&argc, &argv);
    return finish("before_init");
}
