// ranks: 0 2
// timeout: 20
// only: pamir
// says: MPI_Type_commit, made by Vector: 800 bytes in 100 blocks from 0 to 1592
// says: loop 100 \{ copy 8, skip 8 \}
// says: moved by: .*8-byte blocks
// says: one is sent by: immediate, in one piece
// With PAMIR_EXPLAIN_TYPES=1 a type prints, when it is committed, what it compiled to.
#include <stdlib.h>

#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Datatype vector;
    CHECK(setenv("PAMIR_EXPLAIN_TYPES", "1", 1) == 0);
    OK(MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &vector));
    OK(MPI_Type_commit(&vector));
    OK(MPI_Type_commit(&vector)); // nothing new to tell
    OK(MPI_Type_free(&vector));
    return finish("explained_type");
}
