// ranks: 1
// timeout: 20
// expect: abort
// only: pamir
// says: MPI_Type_size: Invalid datatype
// MPI_COMM_SELF's handler, once set, decides on errors without an object, whatever MPI_COMM_WORLD's says.
#include "check.h"

int main(int argc, char **argv) {
    int value;
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Type_size(MPI_DATATYPE_NULL, &value);
    return finish("fatal_own");
}
