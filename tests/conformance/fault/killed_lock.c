// ranks: 2 3 5
// timeout: 30
// expect: killed
// only: pamir
// says: (?i)rank\D{0,40}1
// says: (?i)SIGKILL|signal\D{0,5}9|killed
// Rank 1 dies by SIGKILL while it holds an exclusive lock that all others wait for: nobody waits on, the job ends.
#include "check.h"
#include <signal.h>
#include <time.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    long *base, value = world_rank;
    MPI_Win win;
    OK(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (world_rank == 1) OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == 1) {
        struct timespec now;
        char line[64];
        OK(MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
        pause_microseconds(500000); // the others wait
        clock_gettime(CLOCK_REALTIME, &now);
        int length = snprintf(line, sizeof line, "kill-time %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
        if (write(1, line, (size_t)length) != length) _exit(1);
        pause_microseconds(20000); // the line is out
        raise(SIGKILL);
    }
    OK(MPI_Win_lock(world_rank == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Win_unlock(0, win));
    MPI_Barrier(MPI_COMM_WORLD);
    return finish("killed_lock");
}
