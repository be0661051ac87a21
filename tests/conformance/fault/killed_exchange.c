// ranks: 2 3 5
// timeout: 30
// expect: killed
// only: pamir
// says: (?i)rank\D{0,40}1
// says: (?i)SIGKILL|signal\D{0,5}9|killed
// Rank 1 kills itself with SIGKILL while everybody exchanges messages of 10 MiB in a ring: mpiexec reports rank and
// signal and ends the others at once; nothing stays behind.
#include "check.h"
#include <signal.h>
#include <time.h>

#define BYTES (10 << 20)

static void die(void) {
    struct timespec now;
    char line[64];
    clock_gettime(CLOCK_REALTIME, &now);
    int length = snprintf(line, sizeof line, "kill-time %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
    if (write(1, line, (size_t)length) != length) _exit(1);
    pause_microseconds(20000); // the line is out
    raise(SIGKILL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    char *out = space(BYTES), *in = space(BYTES);
    memset(out, world_rank, BYTES);
    for (int i = 0;; i++) {
        MPI_Request requests[2];
        MPI_Irecv(in, BYTES, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
        if (world_rank == 1 && i == 5) die(); // in the middle of it
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}
