// ranks: 1 2 3 5
// timeout: 30
// one-node: ranks load and store each other's memory
// MPI_Win_sync: loads and stores of shared memory between barriers, a flag that another rank waits for without a call in
// between, messages passed through memory, and puts that the owner reads behind a barrier.
#include "check.h"
#include <sched.h>

static int right, left;
static MPI_Win win;
static long *base, *theirs; // my memory, and that of the right neighbour

#define LOAD(at) __atomic_load_n((at), __ATOMIC_ACQUIRE)
#define STORE(at, value) __atomic_store_n((at), (value), __ATOMIC_RELEASE)

// Everyone writes into the right neighbour's memory and reads its own.
static void barriers(void) {
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 100; i++) theirs[i] = round * 1000 + world_rank * 100 + i;
        OK(MPI_Win_sync(win));
        MPI_Barrier(MPI_COMM_WORLD);
        OK(MPI_Win_sync(win));
        for (int i = 0; i < 100; i++) CHECK_INT(base[i], round * 1000 + left * 100 + i);
        OK(MPI_Win_sync(win));
        MPI_Barrier(MPI_COMM_WORLD);
        OK(MPI_Win_sync(win));
    }
}

// Data, then a flag: who sees the flag sees the data. The flag is taken back by who read it.
static void flags(void) {
    enum { TIMES = 100, FLAG = 120 };
    base[FLAG] = 0;
    OK(MPI_Win_sync(win));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_sync(win));
    for (int i = 1; i <= TIMES; i++) {
        while (LOAD(&theirs[FLAG]) != 0) sched_yield(); // the neighbour has read the last one
        for (int k = 0; k < 16; k++) theirs[k] = i * 100 + k + world_rank;
        OK(MPI_Win_sync(win));
        STORE(&theirs[FLAG], (long)i);
        while (LOAD(&base[FLAG]) == 0) sched_yield();
        OK(MPI_Win_sync(win));
        CHECK_INT(base[FLAG], i);
        for (int k = 0; k < 16; k++) CHECK_INT(base[k], i * 100 + k + left);
        OK(MPI_Win_sync(win));
        STORE(&base[FLAG], 0L);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Loads and stores beside calls: what one put and flushed, or added, another one loads.
static void calls_and_loads(void) {
    for (int round = 0; round < 20; round++) {
        long value = 7000 + 10 * round + world_rank, one = 1, got = -1;
        base[50] = 5;
        OK(MPI_Win_sync(win));
        MPI_Barrier(MPI_COMM_WORLD);
        OK(MPI_Put(&value, 1, MPI_LONG, right, 40, 1, MPI_LONG, win));
        for (int r = 0; r < world_size; r++) OK(MPI_Accumulate(&one, 1, MPI_LONG, r, 50, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_flush_all(win));
        MPI_Barrier(MPI_COMM_WORLD);
        OK(MPI_Win_sync(win));
        CHECK_INT(base[40], 7000 + 10 * round + left);
        CHECK_INT(base[50], 5 + world_size);
        CHECK_INT(theirs[40], value);
        CHECK_INT(theirs[50], 5 + world_size);
        MPI_Barrier(MPI_COMM_WORLD);
        theirs[60] = value * 2;
        OK(MPI_Win_sync(win));
        MPI_Barrier(MPI_COMM_WORLD);
        OK(MPI_Win_sync(win));
        OK(MPI_Get(&got, 1, MPI_LONG, world_rank, 60, 1, MPI_LONG, win));
        OK(MPI_Win_flush(world_rank, win));
        CHECK_INT(got, 2 * (7000 + 10 * round + left));
        OK(MPI_Get(&got, 1, MPI_LONG, right, 60, 1, MPI_LONG, win));
        OK(MPI_Win_flush(right, win));
        CHECK_INT(got, 2 * value);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// Atomic calls and the processor's atomic instructions are not mixed here; atomic calls of all ranks and loads are.
static void counter(void) {
    enum { EACH = 200 };
    base[0] = 0;
    OK(MPI_Win_sync(win));
    MPI_Barrier(MPI_COMM_WORLD);
    long one = 1, last = 0;
    for (int i = 0; i < EACH; i++) {
        OK(MPI_Accumulate(&one, 1, MPI_LONG, right, 0, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_flush(right, win));
        long now = LOAD(&base[0]);
        CHECK(now >= last && now <= EACH);
        last = now;
    }
    while (LOAD(&base[0]) < EACH) sched_yield(); // comes without a call of the owner
    MPI_Barrier(MPI_COMM_WORLD);
}

// The same flag through a window that is not shared: put by one, loaded by the owner.
static void put_and_load(int allocated) {
    enum { TIMES = 30 };
    long memory[2] = {0, 0}, *own = memory;
    MPI_Win other;
    if (allocated) OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &other));
    else OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    own[0] = own[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock_all(0, other));
    OK(MPI_Win_sync(other));
    for (long i = 1; i <= TIMES; i++) {
        long value = i * 10 + world_rank;
        OK(MPI_Put(&value, 1, MPI_LONG, right, 0, 1, MPI_LONG, other));
        OK(MPI_Win_flush(right, other));
        OK(MPI_Accumulate(&i, 1, MPI_LONG, right, 1, 1, MPI_LONG, MPI_REPLACE, other));
        OK(MPI_Win_flush(right, other));
        while (LOAD(&own[1]) < i) { // lets the library work where it must
            OK(MPI_Win_sync(other));
            int flag;
            MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            sched_yield();
        }
        OK(MPI_Win_sync(other));
        CHECK_INT(own[0], i * 10 + left);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    OK(MPI_Win_unlock_all(other));
    OK(MPI_Win_free(&other));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    MPI_Aint size;
    int unit;
    OK(MPI_Win_allocate_shared(128 * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_shared_query(win, right, &size, &unit, &theirs));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    barriers();
    flags();
    calls_and_loads();
    counter();
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    put_and_load(1);
    put_and_load(0);
    return finish("sync");
}
