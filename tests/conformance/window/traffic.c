// ranks: 2 3 5
// timeout: 40
// differs: MPICH 5.0.2 lets the origin wait until the target calls MPI
// one-node: a target on another node may have to call MPI
// Passive progress: while the last rank computes and calls nothing, the others lock, read, write, add to and unlock its
// window of memory that MPI allocated, and end. The target computes for a second at least, until it sees in its own
// memory that all have ended or gives up; rank 0 sees in the window that it has not ended computing yet.
#include "check.h"
#include <time.h>

#define TIMES 50
#define GIVE_UP_SECONDS 15

enum { COMPUTING, DONE, COUNTER, SUM, OWN, WORDS = OWN + 16 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double sink; // so that the compiler keeps the computation

// Nothing of MPI here. Returns whether all others ended meanwhile.
static int compute(volatile long *window, int others) {
    double started = seconds(), last = 0;
    while (last < 1 || (window[DONE] < others && last < GIVE_UP_SECONDS)) {
        for (int i = 1; i < 20000; i++) sink += 1.0 / i;
        last = seconds() - started;
    }
    return window[DONE] == others;
}

static void step(MPI_Win win, int target) {
    long value, one = 1, was = -1;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    OK(MPI_Get(&value, 1, MPI_LONG, target, COUNTER, 1, MPI_LONG, win));
    OK(MPI_Win_flush(target, win));
    value++;
    OK(MPI_Put(&value, 1, MPI_LONG, target, COUNTER, 1, MPI_LONG, win));
    OK(MPI_Win_unlock(target, win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    OK(MPI_Accumulate(&one, 1, MPI_LONG, target, SUM, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, OWN + world_rank, MPI_SUM, win));
    OK(MPI_Win_unlock(target, win));
    CHECK(was >= 0);
}

static void one_window(int shared) {
    int target = world_size - 1, others = world_size - 1;
    long *base, computing = -1, one = 1, counts[WORDS];
    MPI_Win win;
    if (shared) OK(MPI_Win_allocate_shared(WORDS * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    else OK(MPI_Win_allocate(WORDS * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, win));
    memset(base, 0, WORDS * 8);
    base[COMPUTING] = 1;
    OK(MPI_Win_unlock(world_rank, win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == target) {
        CHECK(compute(base, others));
        *(volatile long *)&base[COMPUTING] = 0;
    } else {
        for (int i = 0; i < TIMES; i++) step(win, target);
        OK(MPI_Win_lock_all(0, win));
        OK(MPI_Fetch_and_op(NULL, &computing, MPI_LONG, target, COMPUTING, MPI_NO_OP, win));
        OK(MPI_Win_flush(target, win));
        CHECK_INT(computing, 1); // the target waits for the next call of this rank
        OK(MPI_Accumulate(&one, 1, MPI_LONG, target, DONE, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_unlock_all(win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    OK(MPI_Get(counts, WORDS, MPI_LONG, target, 0, WORDS, MPI_LONG, win));
    OK(MPI_Win_unlock(target, win));
    CHECK_INT(counts[COUNTER], (long)TIMES * others);
    CHECK_INT(counts[SUM], (long)TIMES * others);
    for (int r = 0; r < others; r++) CHECK_INT(counts[OWN + r], TIMES);
    CHECK_INT(counts[COMPUTING], 0);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    one_window(0);
    one_window(1);
    return finish("traffic");
}
