// ranks: 1 2 3 4 5
// timeout: 20
// No rank leaves a barrier before the last one has entered it: MPI_Barrier and MPI_Ibarrier with each rank late in
// turn, judged by the monotonic clock all ranks of a machine share; and many in a row.
#include "check.h"
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Entry and exit of all ranks come together at rank 0 by plain messages.
static void compare(double entered, double left) {
    double mine[2] = {entered, left}, other[2];
    if (world_rank) {
        OK(MPI_Send(mine, 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD));
        return;
    }
    double last_entry = entered, first_exit = left;
    for (int r = 1; r < world_size; r++) {
        OK(MPI_Recv(other, 2, MPI_DOUBLE, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (other[0] > last_entry) last_entry = other[0];
        if (other[1] < first_exit) first_exit = other[1];
    }
    CHECK_THAT(first_exit >= last_entry, "left %.9f, last entered %.9f", first_exit, last_entry);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    for (int late = 0; late < world_size; late++)
        for (int nonblocking = 0; nonblocking < 3; nonblocking++) {
            if (world_rank == late) pause_microseconds(5000);
            double entered = now();
            if (nonblocking == 0) {
                OK(MPI_Barrier(MPI_COMM_WORLD));
            } else {
                MPI_Request request;
                OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
                if (nonblocking == 1) {
                    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                } else {
                    int flag = 0;
                    while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
                }
                CHECK(request == MPI_REQUEST_NULL);
            }
            compare(entered, now());
        }
    for (int i = 0; i < 500; i++) OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Request requests[20];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 20; i++) OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Waitall(20, requests, MPI_STATUSES_IGNORE));
    }
    OK(MPI_Barrier(MPI_COMM_SELF));
    return finish("barrier");
}
