// ranks: 1 2 3 5
// timeout: 30
// Locks: an exclusive one keeps plain gets and puts of a counter apart; shared ones let all in; lock_all beside exclusive
// locks; several targets at a time and several windows; every flush completes what it says; MPI_MODE_NOCHECK; stores of
// the owner under its own lock.
#include "check.h"
#include <sched.h>

static int right, left;

// Reads and writes with two calls what nobody may change between them.
static void step(MPI_Win win, int target, MPI_Aint at, int way) {
    static long value; // read by the put until the lock is given back
    value = -1;
    OK(MPI_Get(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win));
    switch (way % 4) {
    case 0: OK(MPI_Win_flush(target, win)); break;
    case 1: OK(MPI_Win_flush_local(target, win)); break;
    case 2: OK(MPI_Win_flush_all(win)); break;
    default: OK(MPI_Win_flush_local_all(win));
    }
    if (way % 5 == 0) sched_yield(); // another one may try to come between
    value++;
    OK(MPI_Put(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win));
}

static long total(MPI_Win win, int target, MPI_Aint at) {
    long value = -1;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    OK(MPI_Get(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win));
    OK(MPI_Win_unlock(target, win));
    return value;
}

// All ranks count at one target, or at all of them in turns; the owner with loads and stores now and then.
static void exclusive(int created) {
    enum { EACH = 30 };
    long memory[2], *base = memory;
    MPI_Win win;
    if (created) OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    else OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    base[0] = base[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < EACH; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        step(win, 0, 0, i);
        OK(MPI_Win_unlock(0, win));
        int target = (world_rank + i) % world_size;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        if (target == world_rank && i % 2) base[1]++;
        else step(win, target, 1, i);
        OK(MPI_Win_unlock(target, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(total(win, 0, 0), (long)EACH * world_size);
    long sum = 0;
    for (int r = 0; r < world_size; r++) sum += total(win, r, 1);
    CHECK_INT(sum, (long)EACH * world_size);
    OK(MPI_Win_free(&win));
}

// While one rank holds all targets, nobody else changes them: a pair of numbers stays equal.
static void several_targets(void) {
    enum { EACH = 10 };
    long *base;
    MPI_Win win, other;
    OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    base[0] = base[1] = 0;
    long second[2] = {0, 0};
    OK(MPI_Win_create(second, sizeof second, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < EACH; i++) {
        for (int r = 0; r < world_size; r++) OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r, 0, win)); // in one order: no deadlock
        long was[64];
        for (int r = 0; r < world_size; r++) OK(MPI_Get(&was[r], 1, MPI_LONG, r, 0, 1, MPI_LONG, win));
        for (int r = 0; r < world_size; r++) OK(MPI_Win_flush(r, win));
        for (int r = 1; r < world_size; r++) CHECK_INT(was[r], was[0]);
        long next = was[0] + 1;
        for (int r = 0; r < world_size; r++) OK(MPI_Put(&next, 1, MPI_LONG, r, 0, 1, MPI_LONG, win));
        // A lock of another window at the same time.
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, other));
        step(other, right, 1, i);
        OK(MPI_Win_unlock(right, other));
        for (int r = world_size - 1; r >= 0; r--) OK(MPI_Win_unlock(i % 2 ? r : world_size - 1 - r, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < world_size; r++) CHECK_INT(total(win, r, 0), (long)EACH * world_size);
    CHECK_INT(total(other, right, 1), EACH);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&other));
}

// All hold a shared lock of all at the same time: none waits for another one to unlock.
static void shared(int all) {
    long *base, value, got = -1;
    MPI_Win win;
    OK(MPI_Win_allocate(8 * (MPI_Aint)world_size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0, 8 * (size_t)world_size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (all) OK(MPI_Win_lock_all(0, win));
    else
        for (int r = 0; r < world_size; r++) OK(MPI_Win_lock(MPI_LOCK_SHARED, r, 0, win));
    MPI_Barrier(MPI_COMM_WORLD); // everyone has them
    for (int i = 1; i <= 10; i++) {
        value = 100 * i + world_rank;
        for (int r = 0; r < world_size; r++) OK(MPI_Put(&value, 1, MPI_LONG, r, world_rank, 1, MPI_LONG, win));
        if (i % 2) OK(MPI_Win_flush_all(win));
        else
            for (int r = 0; r < world_size; r++) OK(MPI_Win_flush(r, win));
        MPI_Barrier(MPI_COMM_WORLD); // a flush is enough for others to see it
        OK(MPI_Get(&got, 1, MPI_LONG, right, left, 1, MPI_LONG, win));
        OK(MPI_Win_flush_local(right, win));
        CHECK_INT(got, 100 * i + left);
        OK(MPI_Win_sync(win));
        for (int r = 0; r < world_size; r++) CHECK_INT(base[r], 100 * i + r);
        MPI_Barrier(MPI_COMM_WORLD);
        value = -1; // after a flush the buffer is the program's again
    }
    // A local flush frees the buffer.
    for (int i = 0; i < 20; i++) {
        value = i;
        OK(MPI_Put(&value, 1, MPI_LONG, right, world_rank, 1, MPI_LONG, win));
        if (i % 2) OK(MPI_Win_flush_local(right, win));
        else OK(MPI_Win_flush_local_all(win));
        value = -5;
        OK(MPI_Win_flush(right, win)); // so that the next put does not meet this one
    }
    if (all) OK(MPI_Win_unlock_all(win));
    else
        for (int r = 0; r < world_size; r++) OK(MPI_Win_unlock(r, win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(total(win, right, world_rank), 19);
    OK(MPI_Win_free(&win));
}

// Some ranks take all by lock_all and add atomically, the others take one exclusively and read and write.
static void all_beside_exclusive(void) {
    enum { EACH = 40 };
    long *base, one = 1;
    MPI_Win win;
    OK(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < EACH; i++) {
        int target = i % world_size;
        if ((world_rank + i) % 2) {
            OK(MPI_Win_lock_all(0, win));
            OK(MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win));
            OK(MPI_Win_unlock_all(win));
        } else {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            step(win, target, 0, i);
            OK(MPI_Win_unlock(target, win));
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    long sum = 0;
    for (int r = 0; r < world_size; r++) sum += total(win, r, 0);
    CHECK_INT(sum, (long)EACH * world_size);
    OK(MPI_Win_free(&win));
}

// NOCHECK says that no conflicting lock is held, which a barrier between turns sees to; empty epochs.
static void unchecked(void) {
    long *base, value;
    MPI_Win win;
    OK(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 3 * world_size; turn++) {
        if (turn % world_size == world_rank) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, MPI_MODE_NOCHECK, win));
            step(win, right, 0, turn);
            OK(MPI_Win_unlock(right, win));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    OK(MPI_Win_lock(MPI_LOCK_SHARED, left, MPI_MODE_NOCHECK, win));
    OK(MPI_Get(&value, 1, MPI_LONG, left, 0, 1, MPI_LONG, win));
    OK(MPI_Win_unlock(left, win));
    CHECK_INT(value, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    OK(MPI_Get(&value, 1, MPI_LONG, right, 0, 1, MPI_LONG, win));
    OK(MPI_Win_unlock_all(win));
    CHECK_INT(value, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    // A lock behind an unchecked one is a lock again. MPICH 5.0 goes on without checks, and never unlocks.
    NOT_PEER {
        for (int i = 0; i < 20; i++) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            step(win, 0, 0, i);
            OK(MPI_Win_unlock(0, win));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_INT(total(win, 0, 0), 3 + 20 * world_size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < 50; i++) {
        OK(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, (world_rank + i) % world_size, 0, win));
        if (i % 3 == 0) OK(MPI_Win_flush((world_rank + i) % world_size, win));
        OK(MPI_Win_unlock((world_rank + i) % world_size, win));
        OK(MPI_Win_lock_all(0, win));
        OK(MPI_Win_unlock_all(win));
    }
    OK(MPI_Win_free(&win));
}

// What was put before an unlock is seen by who takes the lock next, and by the owner's loads: a token goes round.
static void token(void) {
    enum { ROUNDS = 15 };
    long *base;
    MPI_Win win;
    OK(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= ROUNDS; i++) {
        long seen = 0;
        while (world_rank > 0 || i > 1) { // until the left neighbour's number is here
            OK(MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, win));
            seen = *(volatile long *)base;
            OK(MPI_Win_unlock(world_rank, win));
            if (seen >= (world_rank ? i : i - 1)) break;
            sched_yield();
        }
        if (world_rank > 0 || i > 1) CHECK_INT(seen, world_rank ? i : i - 1);
        long next = i;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
        OK(MPI_Put(&next, 1, MPI_LONG, right, 0, 1, MPI_LONG, win));
        OK(MPI_Win_unlock(right, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(total(win, world_rank, 0), ROUNDS);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    exclusive(0);
    exclusive(1);
    several_targets();
    shared(0);
    shared(1);
    all_beside_exclusive();
    unchecked();
    token();
    return finish("lock");
}
