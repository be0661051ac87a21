// ranks: 0 1 2
// timeout: 20
// expect: abort
// says: (?i)finali
// A call after MPI_Finalize ends the program with a report.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Finalize();
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("ok after_finalize\n");
    return 0;
}
