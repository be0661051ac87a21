// ranks: 1 2
// timeout: 20
// MPI_Wtime never goes back, advances with the real clock; MPI_Wtick is a positive fraction; the processor has a name.
#include "check.h"
#include <time.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    double last = MPI_Wtime();
    for (int i = 0; i < 200000; i++) {
        double next = MPI_Wtime();
        CHECK(next >= last);
        last = next;
    }
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    double start = MPI_Wtime();
    pause_microseconds(50000);
    double end = MPI_Wtime();
    clock_gettime(CLOCK_MONOTONIC, &after);
    double real = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    CHECK_THAT(end - start >= 0.049, "%g", end - start);
    CHECK_THAT(end - start <= real + 0.001, "%g of %g", end - start, real);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 0.01);
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = -1;
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    CHECK_INT(strlen(name), length);
    return finish("clock");
}
