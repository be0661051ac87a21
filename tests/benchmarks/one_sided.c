/* One-sided operations of rank 0 on rank 1's part of a window. What windows and fences cost: windows.c.
 *
 *     one_sided TEST [SIZES] [REPETITIONS] [MILLISECONDS]
 *
 * TEST is one of
 *   allocated     a window of MPI_Win_allocate under MPI_Win_lock_all, each operation with its flush: `put`,
 *                 `get`, `fetch_and_op`, `compare_and_swap` of 8 bytes, `accumulate` (a sum of 1024 doubles),
 *                 `put_stream`, a put of 64 that one flush ends
 *   blocks        the same window: `put` and `get` of SIZES, and `strided_put` of 1 MiB to blocks of 8 bytes that
 *                 lie 16 apart
 *   created       `created_...`: a window of MPI_Win_create over allocated memory, puts and gets of 64 KiB too
 *   alloc-mem     `alloc_mem_...`: the same over memory of MPI_Alloc_mem
 *   computing     `created_put_computing`: such a put while the target computes and calls nothing for 10 ms
 *   locks         `lock_exclusive`, `lock_shared`: MPI_Win_lock, a put of 8 bytes, MPI_Win_unlock            [us]
 *
 * The target waits in MPI_Recv, so that a library that needs it is served. `..._by_hand` is the same
 * work without a library: a copy, a loop or a locked instruction in the origin's own part of the window,
 * memory of the same kind, which stays in the caches of one processor just as the target's part does.
 *
 * Each operation carries its number. After every repetition the target compares what lies in its part with
 * what so many operations leave there, and the origin what it has fetched.
 */
#include "measure.h"
#include "window_contents.h"

#include <mpi.h>

enum { ORIGIN, TARGET, MOST_SIZES = 32 };
enum { PREPARE, CHECK, COMPUTE, END };
#define SMALL sizeof(int64_t)
#define COMPUTING_NS 10e6

static int rank, repetitions = 15;
static double sample_ns = 1e6;
static MPI_Win window;
static MPI_Datatype strided;
static int64_t fetched_wrong;

static void fail(const char *what)
{
    fprintf(stderr, "one_sided: rank %d found wrong data: %s of %zu bytes\n", rank, what, bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* --- the operations, numbers `first` to `first + count` ----------------------- */

static inline void number(int64_t i)
{
    memcpy(buffer, &i, sizeof i);
}

static void put(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        number(i);
        MPI_Put(buffer, (int)bytes, MPI_BYTE, TARGET, 0, (int)bytes, MPI_BYTE, window);
        MPI_Win_flush(TARGET, window);
    }
}

static void get(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        MPI_Get(buffer, (int)bytes, MPI_BYTE, TARGET, 0, (int)bytes, MPI_BYTE, window);
        MPI_Win_flush(TARGET, window);
    }
}

static void put_stream(long first, long count)
{
    int64_t *words = (int64_t *)(void *)buffer;
    for (long i = first; i < first + count; i++) {
        for (int w = 0; w < STREAM; w++) {
            words[w] = i * STREAM + w;
            MPI_Put(&words[w], 8, MPI_BYTE, TARGET, (MPI_Aint)sizeof *words * w, 8, MPI_BYTE, window);
        }
        MPI_Win_flush(TARGET, window);
    }
}

static void fetch_and_op(long first, long count)
{
    int64_t one = 1, before = -1;
    for (long i = first; i < first + count; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT64_T, TARGET, 0, MPI_SUM, window);
        MPI_Win_flush(TARGET, window);
        fetched_wrong |= before ^ i;
    }
}

static void compare_and_swap(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        int64_t expected = i, next = i + 1, before = -1;
        MPI_Compare_and_swap(&next, &expected, &before, MPI_INT64_T, TARGET, 0, window);
        MPI_Win_flush(TARGET, window);
        fetched_wrong |= before ^ i;
    }
}

static void accumulate(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        MPI_Accumulate(buffer, ELEMENTS, MPI_DOUBLE, TARGET, 0, ELEMENTS, MPI_DOUBLE, MPI_SUM, window);
        MPI_Win_flush(TARGET, window);
    }
}

static void strided_put(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        number(i);
        MPI_Put(buffer, STRIDED_BLOCKS, MPI_INT64_T, TARGET, 0, 1, strided, window);
        MPI_Win_flush(TARGET, window);
    }
}

static void locked(int kind, long first, long count)
{
    for (long i = first; i < first + count; i++) {
        number(i);
        MPI_Win_lock(kind, TARGET, 0, window);
        MPI_Put(buffer, 8, MPI_BYTE, TARGET, 0, 8, MPI_BYTE, window);
        MPI_Win_unlock(TARGET, window);
    }
}

static void lock_exclusive(long first, long count)
{
    locked(MPI_LOCK_EXCLUSIVE, first, count);
}

static void lock_shared(long first, long count)
{
    locked(MPI_LOCK_SHARED, first, count);
}

/* --- the same by hand, in the origin's own part ------------------------------- */

/* The compiler may neither keep nor leave out what the loop around this does in memory. */
static inline void done_in_memory(void)
{
    __asm__ volatile("" : : "r"(mine), "r"(buffer) : "memory");
}

static void put_by_hand(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        number(i);
        memcpy(mine, buffer, bytes);
        done_in_memory();
    }
}

static void get_by_hand(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        memcpy(buffer, mine, bytes);
        done_in_memory();
    }
}

static void fetch_and_op_by_hand(long first, long count)
{
    for (long i = first; i < first + count; i++)
        fetched_wrong |= __atomic_fetch_add((int64_t *)(void *)mine, 1, __ATOMIC_SEQ_CST) ^ i;
}

static void compare_and_swap_by_hand(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        int64_t before = i;
        if (!__atomic_compare_exchange_n((int64_t *)(void *)mine, &before, i + 1, 0, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
            fetched_wrong = 1;
    }
}

/* The widest instructions of this processor, as libraries take them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#endif
static void accumulate_by_hand(long first, long count)
{
    double *restrict sums = (double *)(void *)mine;
    const double *restrict summands = (const double *)(const void *)buffer;
    for (long i = first; i < first + count; i++) {
        for (int e = 0; e < ELEMENTS; e++)
            sums[e] += summands[e];
        done_in_memory();
    }
}

static void strided_put_by_hand(long first, long count)
{
    int64_t *to = (int64_t *)(void *)mine;
    const int64_t *from = (const int64_t *)(const void *)buffer;
    for (long i = first; i < first + count; i++) {
        number(i);
        for (int b = 0; b < STRIDED_BLOCKS; b++)
            to[2 * b] = from[b];
        done_in_memory();
    }
}

struct operation {
    const char *name;
    void (*run)(long first, long count);
    void (*by_hand)(long first, long count);
    /* Before the first one, at the origin and at the target. */
    void (*begin)(void), (*prepare)(void);
    /* Whether a part of the window holds what so many operations leave in it. */
    int (*is_right)(long done);
    int gets, of_one_run;
};

enum { PUT, GET, STREAMED, FETCH_AND_OP, COMPARE_AND_SWAP, ACCUMULATE, STRIDED, EXCLUSIVE, SHARED };

static const struct operation OPERATIONS[] = {
    [PUT] = {"put", put, put_by_hand, fill_buffer, clear_target, has_last_put, 0, 1},
    [GET] = {"get", get, get_by_hand, clear_buffer, fill_target, has_pattern, 1, 1},
    [STREAMED] = {"put_stream", put_stream, NULL, clear_buffer, clear_target, has_stream, 0, STREAM},
    [FETCH_AND_OP] = {"fetch_and_op", fetch_and_op, fetch_and_op_by_hand, clear_buffer, clear_target, has_count, 0, 1},
    [COMPARE_AND_SWAP] = {"compare_and_swap", compare_and_swap, compare_and_swap_by_hand, clear_buffer, clear_target,
                          has_count, 0, 1},
    [ACCUMULATE] = {"accumulate", accumulate, accumulate_by_hand, summands_in_buffer, clear_target, has_sum, 0, 1},
    [STRIDED] = {"strided_put", strided_put, strided_put_by_hand, numbers_in_buffer, clear_target, has_blocks, 0, 1},
    [EXCLUSIVE] = {"lock_exclusive", lock_exclusive, NULL, fill_buffer, clear_target, has_last_put, 0, 1},
    [SHARED] = {"lock_shared", lock_shared, NULL, fill_buffer, clear_target, has_last_put, 0, 1},
};

/* --- what the origin asks of the target --------------------------------------- */

struct order {
    int64_t what, operation, done, bytes;
};

static void ordered(int what, int operation, long done)
{
    struct order order = {what, operation, done, (int64_t)bytes};
    MPI_Send(&order, sizeof order, MPI_BYTE, TARGET, 1, MPI_COMM_WORLD);
    MPI_Recv(&order, sizeof order, MPI_BYTE, TARGET, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The target waits in MPI for orders, until it is told to end. */
static void serve(void)
{
    struct order order;
    do {
        MPI_Recv(&order, sizeof order, MPI_BYTE, ORIGIN, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const struct operation *operation = &OPERATIONS[order.operation];
        bytes = (size_t)order.bytes;
        if (order.what == PREPARE || order.what == CHECK) {
            MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, window);
            if (order.what == PREPARE)
                operation->prepare();
            else if (!operation->is_right(order.done))
                fail(operation->name);
            MPI_Win_unlock(TARGET, window);
        }
        MPI_Send(&order, sizeof order, MPI_BYTE, ORIGIN, 2, MPI_COMM_WORLD);
        double t0 = now_ns();
        while (order.what == COMPUTE && now_ns() - t0 < COMPUTING_NS) { }
    } while (order.what != END);
}

/* --- measuring ----------------------------------------------------------------- */

/* ns of `count` operations, by hand or not, after which all data must be right. */
static double timed(int which, int by_hand, long *done, long count)
{
    const struct operation *operation = &OPERATIONS[which];
    void (*run)(long, long) = by_hand ? operation->by_hand : operation->run;
    if (operation->gets)
        clear_buffer();
    /* The first one takes the memory away from the processor that has looked at it last. */
    run((*done)++, 1);
    double t0 = now_ns();
    run(*done, count);
    double took = now_ns() - t0;
    *done += count;
    if (by_hand ? !operation->is_right(*done) : fetched_wrong || (operation->gets && !is_filled(buffer, bytes, -1)))
        fail(operation->name);
    if (!by_hand)
        ordered(CHECK, which, *done);
    return took;
}

static void measured_so(const char *prefix, int which, int by_hand)
{
    const struct operation *operation = &OPERATIONS[which];
    char metric[64];
    snprintf(metric, sizeof metric, "%s%s%s", prefix, operation->name, by_hand ? "_by_hand" : "");
    long iterations = 4, done = 0;
    operation->begin();
    if (by_hand)
        operation->prepare();
    else
        ordered(PREPARE, which, 0);
    for (int step = 0; step < 4; step++) {
        double took = timed(which, by_hand, &done, iterations);
        iterations = iterations_for(sample_ns, iterations, took, 4, iterations * 32);
    }
    for (int r = 0; r < repetitions; r++) {
        double took = timed(which, by_hand, &done, iterations);
        sample(metric, bytes, "us", took / (double)iterations / operation->of_one_run / 1e3);
    }
}

static void measured(const char *prefix, int which, size_t size, int also_by_hand)
{
    bytes = size;
    measured_so(prefix, which, 0);
    if (also_by_hand && OPERATIONS[which].by_hand)
        measured_so(prefix, which, 1);
}

/* The small operations of the origin; those of 64 KiB where `large` says so. */
static void transfers(const char *prefix, int large, int by_hand)
{
    measured(prefix, PUT, SMALL, 0);
    measured(prefix, GET, SMALL, 0);
    if (by_hand)
        measured(prefix, STREAMED, SMALL, 0);
    measured(prefix, FETCH_AND_OP, SMALL, by_hand);
    measured(prefix, COMPARE_AND_SWAP, SMALL, by_hand);
    measured(prefix, ACCUMULATE, ELEMENTS * sizeof(double), by_hand);
    for (int which = PUT; large && which <= GET; which++)
        measured(prefix, which, 65536, by_hand);
}

/* Puts while the target calls nothing; a library that needs it is as slow as the target computes long. */
static void computing(void)
{
    long done = 0;
    bytes = SMALL;
    fill_buffer();
    ordered(PREPARE, PUT, 0);
    for (int r = -1; r < repetitions; r++) {
        long before = done;
        ordered(COMPUTE, PUT, 0);
        uint64_t begin = now_ticks(), end, most = (uint64_t)(COMPUTING_NS / 2 / ns_per_tick());
        do {
            put(done++, 1);
            end = now_ticks();
        } while (end - begin < most);
        double took = (double)(end - begin) * ns_per_tick();
        ordered(CHECK, PUT, done);
        if (r >= 0)
            sample("created_put_computing", bytes, "us", took / (double)(done - before) / 1e3);
    }
}

static int is(const char *test, const char *name)
{
    return strcmp(test, name) == 0;
}

/* What the origin does while the target serves. */
static void of_origin(const char *test, const size_t *sizes, int count)
{
    if (is(test, "locks")) {
        measured("", EXCLUSIVE, SMALL, 0);
        measured("", SHARED, SMALL, 0);
        return;
    }
    MPI_Win_lock_all(0, window);
    if (is(test, "allocated"))
        transfers("", 0, 1);
    else if (is(test, "created"))
        transfers("created_", 1, 0);
    else if (is(test, "alloc-mem"))
        transfers("alloc_mem_", 1, 0);
    else if (is(test, "computing"))
        computing();
    else {
        for (int which = PUT; which <= GET; which++)
            for (int i = 0; i < count; i++)
                measured("", which, sizes[i], 1);
        measured("", STRIDED, STRIDED_BLOCKS * sizeof(int64_t), 1);
    }
    MPI_Win_unlock_all(window);
}

/* The window of a test, over memory of the program's or of the library's. */
static void make_window(const char *test, size_t size)
{
    MPI_Aint length = (MPI_Aint)size;
    if (is(test, "alloc-mem"))
        MPI_Alloc_mem(length, MPI_INFO_NULL, &mine);
    if (is(test, "created") || is(test, "computing"))
        mine = touched(size);
    if (mine)
        MPI_Win_create(mine, length, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else
        MPI_Win_allocate(length, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memset(mine, 0, size);
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void free_window(const char *test)
{
    MPI_Win_free(&window);
    if (is(test, "alloc-mem"))
        MPI_Free_mem(mine);
    if (is(test, "created") || is(test, "computing"))
        free(mine);
}

int main(int argc, char **argv)
{
    static const char *const TESTS[] = {"allocated", "blocks", "created", "alloc-mem", "computing", "locks"};
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *test = argc > 1 ? argv[1] : "";
    int known = 0;
    for (size_t t = 0; t < sizeof TESTS / sizeof *TESTS; t++)
        known |= is(test, TESTS[t]);
    if (!known || ranks != 2) {
        if (rank == 0)
            fprintf(stderr, "usage: mpiexec -n 2 one_sided allocated|blocks|created|alloc-mem|computing|locks"
                            " [SIZES] [REPETITIONS] [MILLISECONDS]\n");
        MPI_Finalize();
        return 2;
    }
    size_t sizes[MOST_SIZES], largest = WINDOW_BYTES;
    int count = sizes_from(argc > 2 ? argv[2] : NULL, MEASURE_LARGEST_BYTES, sizes, MOST_SIZES);
    if (argc > 3)
        repetitions = atoi(argv[3]);
    if (argc > 4)
        sample_ns = atof(argv[4]) * 1e6;
    for (int i = 0; i < count; i++) {
        sizes[i] = sizes[i] < SMALL ? SMALL : sizes[i];
        largest = sizes[i] > largest ? sizes[i] : largest;
    }
    pin_to(rank);
    buffer = touched(largest);
    MPI_Type_vector(STRIDED_BLOCKS, 1, 2, MPI_INT64_T, &strided);
    MPI_Type_commit(&strided);
    make_window(test, largest);
    if (rank == ORIGIN) {
        of_origin(test, sizes, count);
        ordered(END, PUT, 0);
    } else {
        serve();
    }
    free_window(test);
    MPI_Type_free(&strided);
    free(buffer);
    MPI_Finalize();
    return 0;
}
