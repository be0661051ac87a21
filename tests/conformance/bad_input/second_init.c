// ranks: 0 1
// timeout: 20
// expect: abort
// only: pamir
// MPI_Init twice is an error, said so.
// says: (?i)init
#include "check.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Init(&argc, &argv);
    begin_initialized();
    return finish("second_init");
}
