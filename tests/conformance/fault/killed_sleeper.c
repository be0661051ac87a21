// ranks: 3
// timeout: 30
// expect: killed
// only: pamir
// says: (?i)rank\D{0,40}1
// says: (?i)SIGKILL|signal\D{0,5}9|killed
// Rank 1 dies by SIGKILL when the others have slept in a barrier and in a receive for a second.
#include "check.h"
#include <signal.h>
#include <time.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (world_rank == 1) {
        struct timespec now;
        char line[64];
        pause_microseconds(1000000);
        clock_gettime(CLOCK_REALTIME, &now);
        int length = snprintf(line, sizeof line, "kill-time %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
        if (write(1, line, (size_t)length) != length) _exit(1);
        pause_microseconds(20000);
        raise(SIGKILL);
    }
    if (world_rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return finish("killed_sleeper");
}
