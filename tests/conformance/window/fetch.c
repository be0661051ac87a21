// ranks: 1 2 3 5
// timeout: 40
// MPI_Fetch_and_op and MPI_Compare_and_swap: every type they are for; tickets that no two ranks get; a lock of swaps that
// keeps puts apart; totals of all ranks at once.
#include "check.h"
#include <sched.h>

static int right, left;

#define FOR_INTEGERS(DO) \
    DO(MPI_SIGNED_CHAR, signed char) DO(MPI_UNSIGNED_CHAR, unsigned char) DO(MPI_SHORT, short) \
    DO(MPI_UNSIGNED_SHORT, unsigned short) DO(MPI_INT, int) DO(MPI_UNSIGNED, unsigned) DO(MPI_LONG, long) \
    DO(MPI_UNSIGNED_LONG, unsigned long) DO(MPI_LONG_LONG, long long) DO(MPI_UNSIGNED_LONG_LONG, unsigned long long) \
    DO(MPI_INT8_T, int8_t) DO(MPI_INT16_T, int16_t) DO(MPI_INT32_T, int32_t) DO(MPI_INT64_T, int64_t) \
    DO(MPI_UINT8_T, uint8_t) DO(MPI_UINT16_T, uint16_t) DO(MPI_UINT32_T, uint32_t) DO(MPI_UINT64_T, uint64_t)
#define FOR_ADDRESSES(DO) DO(MPI_AINT, MPI_Aint) DO(MPI_OFFSET, MPI_Offset) DO(MPI_COUNT, MPI_Count)
#define FOR_NUMBERS(DO) DO(MPI_FLOAT, float) DO(MPI_DOUBLE, double) DO(MPI_LONG_DOUBLE, long double) \
    DO(MPI_C_FLOAT_COMPLEX, float _Complex) DO(MPI_C_DOUBLE_COMPLEX, double _Complex) \
    DO(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex)

// The window has 16 elements of 32 bytes; each call uses another one.
static unsigned char *base;
static MPI_Win win;

static void reset(void) {
    OK(MPI_Win_fence(0, win));
    memset(base, 0xee, 16 * 32);
}

// Adds, swaps, reads, in order, at the right neighbour, who has 20 there.
#define FETCH(type, c)                                                                                       \
    {                                                                                                        \
        c start = (c)20, add = (c)3, swap = (c)(40 + world_rank), was[4];                                    \
        reset();                                                                                             \
        memcpy(base + 32, &start, sizeof start);                                                             \
        OK(MPI_Win_fence(0, win));                                                                           \
        OK(MPI_Fetch_and_op(&add, &was[0], type, right, 1, MPI_SUM, win));                                   \
        OK(MPI_Fetch_and_op(&add, &was[1], type, right, 1, MPI_SUM, win));                                   \
        OK(MPI_Win_fence(0, win));                                                                           \
        OK(MPI_Fetch_and_op(&swap, &was[2], type, right, 1, MPI_REPLACE, win));                              \
        OK(MPI_Win_fence(0, win));                                                                           \
        OK(MPI_Fetch_and_op(NULL, &was[3], type, right, 1, MPI_NO_OP, win));                                 \
        OK(MPI_Win_fence(0, win));                                                                           \
        CHECK_THAT(was[0] == (c)20 && was[1] == (c)23 && was[2] == (c)26, "%s", #type);                      \
        CHECK_THAT(was[3] == (c)(40 + world_rank), "%s", #type);                                             \
        c now;                                                                                               \
        memcpy(&now, base + 32, sizeof now);                                                                 \
        CHECK_THAT(now == (c)(40 + left), "%s", #type);                                                      \
        CHECK_THAT(all_bytes(base, 32, 0xee) && all_bytes(base + 32 + sizeof now, 32, 0xee), "beside %s", #type); \
    }

// A swap where the value is expected, none where it is not.
#define SWAP(type, c)                                                                                        \
    {                                                                                                        \
        c start = (c)1, other = (c)0, mine = (c)(world_rank + 2), was[3] = {(c)9, (c)9, (c)9};               \
        if (type == MPI_C_BOOL) mine = (c)0;                                                                 \
        reset();                                                                                             \
        memcpy(base + 32, &start, sizeof start);                                                             \
        memcpy(base + 96, &start, sizeof start);                                                             \
        OK(MPI_Win_fence(0, win));                                                                           \
        OK(MPI_Compare_and_swap(&mine, &start, &was[0], type, right, 1, win));                               \
        OK(MPI_Compare_and_swap(&mine, &other, &was[1], type, right, 3, win));                               \
        OK(MPI_Win_fence(0, win));                                                                           \
        CHECK_THAT(was[0] == (c)1 && was[1] == (c)1, "%s", #type);                                           \
        c now, same, theirs = type == MPI_C_BOOL ? (c)0 : (c)(left + 2);                                     \
        memcpy(&now, base + 32, sizeof now);                                                                 \
        memcpy(&same, base + 96, sizeof same);                                                               \
        CHECK_THAT(now == theirs && same == (c)1, "%s", #type);                                              \
        CHECK_THAT(all_bytes(base, 32, 0xee) && all_bytes(base + 32 + sizeof now, 32, 0xee), "beside %s", #type); \
    }

static void types(void) {
    OK(MPI_Win_allocate(16 * 32, 32, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    FOR_INTEGERS(FETCH)
    FOR_ADDRESSES(FETCH)
    FOR_NUMBERS(FETCH)
    FOR_INTEGERS(SWAP)
    FOR_ADDRESSES(SWAP)
    SWAP(MPI_BYTE, unsigned char)
    SWAP(MPI_C_BOOL, _Bool)
    NOT_PEER { // peers may have been built without Fortran
        FETCH(MPI_INTEGER, int)
        SWAP(MPI_INTEGER, int)
        SWAP(MPI_LOGICAL, int)
    }
    // Other operations: truths, bits, places.
    struct { int value, index; } pair = {3, world_rank}, was, *there;
    _Bool truth = 1, was_true;
    unsigned char bits = 0x0f, were;
    reset();
    there = (void *)(base + 64);
    there->value = 5, there->index = 77;
    base[0] = 0, base[32] = 0x3c;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Fetch_and_op(&truth, &was_true, MPI_C_BOOL, right, 0, MPI_LOR, win));
    OK(MPI_Fetch_and_op(&bits, &were, MPI_BYTE, right, 1, MPI_BXOR, win));
    OK(MPI_Fetch_and_op(&pair, &was, MPI_2INT, right, 2, MPI_MINLOC, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(was_true, 0);
    CHECK_INT(were, 0x3c);
    CHECK_INT(base[0], 1);
    CHECK_INT(base[32], 0x33);
    CHECK(was.value == 5 && was.index == 77 && there->value == 3 && there->index == left);
    // Nobody is asked.
    int value = 1, result = 66;
    OK(MPI_Fetch_and_op(&value, &result, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
    OK(MPI_Compare_and_swap(&value, &value, &result, MPI_INT, MPI_PROC_NULL, 0, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(result, 66);
    OK(MPI_Win_free(&win));
}

// No two ranks get the same ticket, and a rank's tickets rise; one counter for each rank.
static void tickets(void) {
    enum { EACH = 200 };
    int *counters, one = 1, *mine = space(EACH * sizeof(int)), *all = space(EACH * sizeof(int) * (size_t)world_size);
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &win));
    *counters = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < world_size; target++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        for (int i = 0; i < EACH; i++) {
            OK(MPI_Fetch_and_op(&one, &mine[i], MPI_INT, target, 0, MPI_SUM, win));
            OK(MPI_Win_flush(target, win));
            if (i) CHECK(mine[i] > mine[i - 1]);
        }
        OK(MPI_Win_unlock(target, win));
        OK(MPI_Allgather(mine, EACH, MPI_INT, all, EACH, MPI_INT, MPI_COMM_WORLD));
        char *seen = calloc((size_t)(EACH * world_size), 1);
        for (int i = 0; i < EACH * world_size; i++)
            if (all[i] >= 0 && all[i] < EACH * world_size) seen[all[i]]++;
        CHECK(all_bytes(seen, (size_t)(EACH * world_size), 1));
        free(seen);
    }
    OK(MPI_Win_free(&win));
    free(mine), free(all);
}

// A word that is 0, or the holder's rank plus 1, keeps plain gets and puts of a counter apart.
static void lock_of_swaps(void) {
    enum { EACH = 60 };
    long *words, mine = world_rank + 1, none = 0, was, count;
    OK(MPI_Win_allocate(world_rank == 0 ? 16 : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win));
    if (world_rank == 0) words[0] = words[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int i = 0; i < EACH; i++) {
        for (;;) {
            OK(MPI_Compare_and_swap(&mine, &none, &was, MPI_LONG, 0, 0, win));
            OK(MPI_Win_flush(0, win));
            if (was == 0) break;
            CHECK(was != mine && was >= 1 && was <= world_size);
            sched_yield();
        }
        OK(MPI_Get(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
        OK(MPI_Win_flush(0, win));
        count++;
        OK(MPI_Put(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Compare_and_swap(&none, &mine, &was, MPI_LONG, 0, 0, win));
        OK(MPI_Win_flush(0, win));
        CHECK_INT(was, mine);
    }
    OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Get(&count, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win));
    OK(MPI_Win_unlock(0, win));
    CHECK_INT(count, (long)EACH * world_size);
    OK(MPI_Win_free(&win));
}

// Everyone to everyone, in one epoch and without waiting for the results.
static void all_at_once(void) {
    enum { EACH = 100 };
    double *sums, half = 0.5, was[EACH];
    OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &sums, &win));
    sums[0] = sums[1] = 0;
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < EACH; i++)
        for (int r = 0; r < world_size; r++) OK(MPI_Fetch_and_op(&half, &was[i], MPI_DOUBLE, r, 1, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK(sums[1] == 0.5 * EACH * world_size && sums[0] == 0);
    // Swaps and additions of the same counter by retries.
    int *word = (int *)sums, zero = 0, seen, next;
    OK(MPI_Win_fence(0, win));
    *word = 0;
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < EACH; i++) {
        OK(MPI_Fetch_and_op(&zero, &seen, MPI_INT, 0, 0, MPI_NO_OP, win));
        OK(MPI_Win_flush(0, win));
        for (;;) {
            int expected = seen;
            next = expected + 1;
            OK(MPI_Compare_and_swap(&next, &expected, &seen, MPI_INT, 0, 0, win));
            OK(MPI_Win_flush_local(0, win));
            if (seen == expected) break;
            CHECK(seen > expected); // another rank went ahead
        }
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_fence(0, win));
    if (world_rank == 0) CHECK_INT(*word, EACH * world_size);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    types();
    tickets();
    lock_of_swaps();
    all_at_once();
    return finish("fetch");
}
