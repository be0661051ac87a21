// ranks: 1 2
// timeout: 20
// expect: abort
// says: (?i)type
// The default handler ends the job on a type that is not committed.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    int value[2] = {1, 2};
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Send(value, 1, type, 0, 0, MPI_COMM_WORLD);
    return finish("fatal_type");
}
