// ranks: 1 2 3
// timeout: 20
// expect: killed
// only: pamir
// says: (?i)rank\D{0,40}0
// says: (?i)SIGSEGV|signal\D{0,5}11|segmentation
// Rank 0 crashes: reported like a kill, the others ended.
#include "check.h"
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (world_rank == 0) {
        struct timespec now;
        char line[64];
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        clock_gettime(CLOCK_REALTIME, &now);
        int length = snprintf(line, sizeof line, "kill-time %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
        if (write(1, line, (size_t)length) != length) _exit(1);
        pause_microseconds(20000);
        raise(SIGSEGV);
    }
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return finish("segmentation_fault");
}
