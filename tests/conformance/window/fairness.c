// ranks: 2 3 5
// timeout: 30
// Nobody waits for a lock forever: a rank gets an exclusive lock while all others take shared ones in a loop, and a shared
// one while all others take exclusive ones; those go on until it had its lock so often. Each of them gives up after a
// number of turns that nobody reaches who shares the lock out.
#include "check.h"
#include <sched.h>

#define WANTED 20
#define GIVE_UP 400000

static MPI_Win win;
static long *base; // of rank 0: [0] how often the one rank had its lock, [1] a counter that exclusive locks protect

static long change(int type, MPI_Aint at, long by, int plain) {
    long was = -1, now;
    OK(MPI_Win_lock(type, 0, 0, win));
    if (plain) {
        OK(MPI_Get(&was, 1, MPI_LONG, 0, at, 1, MPI_LONG, win));
        OK(MPI_Win_flush(0, win));
        now = was + by;
        OK(MPI_Put(&now, 1, MPI_LONG, 0, at, 1, MPI_LONG, win));
    } else {
        OK(MPI_Fetch_and_op(&by, &was, MPI_LONG, 0, at, by ? MPI_SUM : MPI_NO_OP, win));
    }
    OK(MPI_Win_unlock(0, win));
    return was;
}

// One rank against all others.
static void against(int one, int its_type, int their_type) {
    long turns = 0, all_turns, sum;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, win));
    base[0] = base[1] = 0;
    OK(MPI_Win_unlock(world_rank, win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == one) {
        for (int i = 0; i < WANTED; i++) {
            change(its_type, 0, 1, its_type == MPI_LOCK_EXCLUSIVE);
            if (i % 4 == 0) sched_yield();
        }
    } else {
        long had = 0;
        while (had < WANTED && turns < GIVE_UP) {
            had = change(their_type, 0, 0, 0);
            change(their_type, 1, 1, their_type == MPI_LOCK_EXCLUSIVE);
            turns++;
        }
        CHECK_THAT(had >= WANTED, "rank %d had its lock %ld times while others had theirs %ld times", one, had, turns);
    }
    OK(MPI_Allreduce(&turns, &all_turns, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    sum = change(MPI_LOCK_SHARED, 1, 0, 0);
    CHECK_INT(sum, all_turns);
    CHECK_INT(change(MPI_LOCK_SHARED, 0, 0, 0), WANTED);
    MPI_Barrier(MPI_COMM_WORLD);
}

// The others hold their shared locks in turns that overlap, so that there is never a moment without one, unless a
// waiting exclusive lock keeps new ones out or the ranks happen to unlock together.
static void overlapped(int one) {
    long turns = 0, had = 0;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, win));
    base[0] = base[1] = 0;
    OK(MPI_Win_unlock(world_rank, win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank == one) {
        for (int i = 0; i < WANTED; i++) change(MPI_LOCK_EXCLUSIVE, 0, 1, 1);
    } else {
        long none = 0;
        while (had < WANTED && turns < GIVE_UP) {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
            for (int i = 0; i < 3; i++) {
                OK(MPI_Fetch_and_op(&none, &had, MPI_LONG, 0, 0, MPI_NO_OP, win));
                OK(MPI_Win_flush(0, win));
                sched_yield();
            }
            OK(MPI_Win_unlock(0, win));
            turns++;
        }
        CHECK_THAT(had >= WANTED, "rank %d had its lock %ld times while others had theirs %ld times", one, had, turns);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int one = 0; one < world_size; one += world_size - 1) { // the owner, and another one
        against(one, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED);
        against(one, MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE);
        against(one, MPI_LOCK_EXCLUSIVE, MPI_LOCK_EXCLUSIVE);
        overlapped(one);
    }
    OK(MPI_Win_free(&win));
    return finish("fairness");
}
