// ranks: 1 2
// timeout: 20
// Output of all ranks arrives whole, line by line, however it is written; standard input at its end is readable.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (world_rank == 0) CHECK_INT(getchar(), EOF);
    for (int i = 0; i < 200; i++) printf("rank %d says line %d and nothing else\n", world_rank, i);
    fflush(stdout);
    return finish("standard_input");
}
