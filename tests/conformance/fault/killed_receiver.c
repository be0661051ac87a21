// ranks: 2
// timeout: 30
// expect: killed
// only: pamir
// says: (?i)rank\D{0,40}1
// says: (?i)SIGKILL|signal\D{0,5}9|killed
// Rank 1 dies by SIGKILL while rank 0 sends it messages of 10 MiB that it has not begun to receive.
#include "check.h"
#include <signal.h>
#include <time.h>

#define BYTES (10 << 20)

int main(int argc, char **argv) {
    begin(&argc, &argv);
    char *buffer = space(BYTES);
    memset(buffer, 1, BYTES);
    if (world_rank == 1) {
        struct timespec now;
        char line[64];
        MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        clock_gettime(CLOCK_REALTIME, &now);
        int length = snprintf(line, sizeof line, "kill-time %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
        if (write(1, line, (size_t)length) != length) _exit(1);
        pause_microseconds(20000);
        raise(SIGKILL);
    }
    for (;;) MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
}
