/* What the machine itself allows: the figures a message library cannot beat.
 *
 *     limits TEST [SIZES] [REPETITIONS] [MILLISECONDS]
 *
 * Two processes, pinned like the ranks of the other
 * programs, share one anonymous mapping and exchange data by loads and stores
 * alone: no library, no matching, no envelope. Metrics bear the names of the
 * MPI programs' metrics, so that the runner puts each beside its figure.
 *
 *   latency       one way of a ping-pong over two lines (each written by one
 *                 side). Up to 8 bytes travel in the flag's own line; larger
 *                 ones are copied once, out of the sender's memory, mapped by
 *                 the receiver. `latency` does so with data nobody rewrites,
 *                 `latency_rewritten` with data the sender has just written
 *                 (the writing is not counted). From 16 KiB on a second way is
 *                 tried, both sides copying a half, and the faster is printed.
 *   bandwidth     windows as in point_to_point.c, the fastest of the ways. Up
 *                 to 8 bytes: a stream of slots with a sequence number each,
 *                 one or four messages a line. Beyond: one flag a window and a
 *                 copy of every message from mapped memory by the receiver
 *                 alone, or (up to 2 KiB) a stream of slots, or (beyond) pieces
 *                 relayed through a small ring, sender copying in and receiver
 *                 out, or (from 16 KiB) both sides copying a half.
 *   message-rate  the same, in messages.
 *   memory        `memcpy`: one core copying its own memory, warm; `pull`: one
 *                 core copying what the other has just written. By size.
 *
 * Limits of starting, waiting and memory: limits_of_processes.c. The shared
 * memory and its diagram: shared_lines.h.
 */
#include "shared_lines.h"

#include <signal.h>
#include <sys/prctl.h>

enum { WINDOW = 64, MOST_SIZES = 64, MOST_REPETITIONS = 101 };
/* Pieces of the relay; together they fit a first-level cache twice. */
#define RELAY_PIECE_BYTES ((size_t)4096)
#define RELAY_PIECES ((uint64_t)8)
#define HALVES_FROM_BYTES ((size_t)16384)
#define ARENA_BYTES ((size_t)16 << 20)

static char *arena[2]; /* each process's "send buffer", mapped by both */
static char *private_copy;
static double sample_ns = 1e6;
static int repetitions = 15;
static double hidden_ns;

static uint64_t writing_ticks;

static inline void rewrite(char *buffer, size_t bytes, size_t slot, int window, long iteration)
{
    uint64_t t0 = now_ticks();
    for (int w = 0; w < window; w++) {
        memset(buffer + slot * (size_t)w, (int)((iteration + w) & 0x7f), bytes);
        __asm__ volatile("" : : "r"(buffer) : "memory");
    }
    writing_ticks += now_ticks() - t0;
}

static inline void copy(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
}

/* Starts a repetition: the flag goes back to 0 when nobody waits for its last value any more. */
static void reset(struct flag *mine)
{
    meet(0);
    atomic_store(&mine->sequence, 0);
    writing_ticks = 0;
    meet(0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *values, int count)
{
    double sorted[MOST_REPETITIONS];
    memcpy(sorted, values, sizeof(double) * (size_t)count);
    qsort(sorted, (size_t)count, sizeof(double), by_value);
    return sorted[count / 2];
}

/* Process 0's number, at both. */
static double agreed(double mine)
{
    if (self == 0)
        shared->result[0] = mine;
    meet(0);
    double value = shared->result[0];
    meet(0);
    return value;
}

static double summed_at_zero(double mine)
{
    shared->result[self] = mine;
    meet(0);
    double sum = shared->result[0] + shared->result[1];
    meet(0);
    return sum;
}

enum { PULL, HALVES, RELAY, SLOT_A_MESSAGE, FOUR_A_LINE, VARIANTS };
#define ALSO(variant) (1u << (variant))

/* How a repetition of some kind runs: its ns without the writing, at process 0. */
typedef double (*repetition)(size_t bytes, long iterations, int variant, int rewritten);

/* --- ping-pong ----------------------------------------------------------- */

/* Turn t (counted from 1): process (t - 1) % 2 sends. A flag's sequence is the last turn its owner
 * has announced; with HALVES the receiver acknowledges nothing: both copy and the receiver waits
 * for the sender's second announcement (turns count double). */
static double ping_pong(size_t bytes, long iterations, int variant, int rewritten)
{
    struct flag *mine = &shared->flags[self], *theirs = &shared->flags[1 - self];
    reset(mine);
    size_t half = variant == HALVES ? bytes / 2 : 0;
    double t0 = now_ns();
    for (long i = 0; i < 2 * iterations; i++) {
        uint64_t announced = (uint64_t)i * 2 + 1;
        if ((int)(i & 1) == self) {
            if (rewritten)
                rewrite(arena[self], bytes, 0, 1, i);
            if (bytes <= 8)
                mine->inline_data = (uint64_t)i;
            atomic_store_explicit(&mine->sequence, announced, memory_order_release);
            if (half) {
                /* The sender's half goes straight into the receiver's (mapped) memory. */
                copy(arena[1 - self] + ARENA_BYTES, arena[self], half);
                atomic_store_explicit(&mine->sequence, announced + 1, memory_order_release);
            }
        } else {
            wait_for(&theirs->sequence, announced);
            if (bytes <= 8)
                copy(private_copy, (char *)&theirs->inline_data, 8);
            else if (half) {
                copy(arena[self] + ARENA_BYTES + half, arena[1 - self] + half, bytes - half);
                wait_for(&theirs->sequence, announced + 1);
            } else
                copy(private_copy, arena[1 - self], bytes);
        }
    }
    /* The last turn was process 1's; process 0 has received it here. */
    double whole = now_ns() - t0;
    if (!rewritten)
        return whole;
    return whole - summed_at_zero((double)writing_ticks * ns_per_tick() + hidden_ns * (double)iterations);
}

/* --- windows of large messages ------------------------------------------- */

static int window_of(size_t bytes, int rewritten, size_t *slot)
{
    *slot = 0;
    if (!rewritten)
        return WINDOW;
    *slot = (bytes + LINE - 1) & ~(size_t)(LINE - 1);
    size_t fitting = ARENA_BYTES / *slot;
    return fitting > WINDOW ? WINDOW : fitting < 4 ? 4 : (int)fitting;
}

/* Message w of a window in pieces through a small ring that stays in the caches: the sender copies
 * in, the receiver copies out. The flags count pieces. */
static uint64_t relayed(uint64_t piece, size_t bytes, const char *out, char *in)
{
    struct flag *mine = &shared->flags[self], *theirs = &shared->flags[1 - self];
    for (size_t done = 0; done < bytes; done += RELAY_PIECE_BYTES, piece++) {
        size_t part = bytes - done < RELAY_PIECE_BYTES ? bytes - done : RELAY_PIECE_BYTES;
        char *slot = shared->ring + (piece % RELAY_PIECES) * RELAY_PIECE_BYTES;
        if (self == 0) {
            wait_for(&theirs->sequence, piece < RELAY_PIECES ? 0 : piece + 1 - RELAY_PIECES);
            copy(slot, out + done, part);
        } else {
            wait_for(&theirs->sequence, piece + 1);
            copy(in + done, slot, part);
        }
        atomic_store_explicit(&mine->sequence, piece + 1, memory_order_release);
    }
    return piece;
}

/* One window, all of it to be copied out of arena 0 when it returns at process 0. */
static void window_once(size_t bytes, size_t slot, int window, int variant, long i)
{
    struct flag *mine = &shared->flags[self], *theirs = &shared->flags[1 - self];
    size_t half = variant == HALVES ? bytes / 2 : 0;
    if (self == 0) {
        atomic_store_explicit(&mine->sequence, (uint64_t)i + 1, memory_order_release);
        for (int w = 0; half && w < window; w++)
            copy(arena[1] + slot * (size_t)w, arena[0] + slot * (size_t)w, half);
        wait_for(&theirs->sequence, (uint64_t)i + 1);
    } else {
        char *to = half ? arena[1] + half : private_copy;
        wait_for(&theirs->sequence, (uint64_t)i + 1);
        for (int w = 0; w < window; w++)
            copy(to + slot * (size_t)w, arena[0] + slot * (size_t)w + half, bytes - half);
        atomic_store_explicit(&mine->sequence, (uint64_t)i + 1, memory_order_release);
    }
}

static double windows(size_t bytes, long iterations, int variant, int rewritten)
{
    size_t slot;
    int window = window_of(bytes, rewritten, &slot);
    uint64_t piece = 0;
    reset(&shared->flags[self]);
    double t0 = now_ns();
    for (long i = 0; i < iterations; i++) {
        if (self == 0 && rewritten)
            rewrite(variant == RELAY ? private_copy : arena[0], bytes, slot, window, i);
        if (variant == RELAY) {
            for (int w = 0; w < window; w++)
                piece = relayed(piece, bytes, private_copy + slot * (size_t)w, private_copy + slot * (size_t)w);
            wait_for(&shared->flags[1].sequence, piece);
        } else {
            window_once(bytes, slot, window, variant, i);
        }
    }
    double whole = now_ns() - t0;
    if (rewritten)
        whole -= (double)writing_ticks * ns_per_tick() + hidden_ns * (double)iterations;
    return whole / window;
}

/* --- a stream of small messages ------------------------------------------ */

/* Slots of a ring: sequence number, then the data. The producer fills a slot and publishes it; the
 * consumer copies out and tells its progress once in a quarter of the ring. */
static double stream(size_t bytes, long iterations, int variant)
{
    size_t step = variant == FOUR_A_LINE ? 16 : (sizeof(uint64_t) + bytes + LINE - 1) & ~(size_t)(LINE - 1);
    uint64_t slots = RING_SLOTS;
    uint64_t messages = (uint64_t)iterations * WINDOW;
    char *ring = shared->ring;
    struct flag *progress = &shared->flags[1];
    meet(0);
    if (self == 0)
        memset(ring, 0, sizeof shared->ring);
    reset(&shared->flags[self]);
    uint64_t known = 0;
    double t0 = now_ns();
    for (uint64_t m = 0; m < messages; m++) {
        char *slot = ring + (m % slots) * step;
        _Atomic uint64_t *sequence = (_Atomic uint64_t *)(void *)slot;
        if (self == 0) {
            while (m - known >= slots) {
                known = atomic_load_explicit(&progress->sequence, memory_order_acquire);
                pause_briefly();
            }
            copy(slot + 8, arena[0], bytes);
            atomic_store_explicit(sequence, m + 1, memory_order_release);
        } else {
            wait_for(sequence, m + 1);
            copy(private_copy, slot + 8, bytes);
            if ((m + 1) % (slots / 4) == 0)
                atomic_store_explicit(&progress->sequence, m + 1, memory_order_release);
        }
    }
    if (self == 1)
        atomic_store_explicit(&progress->sequence, messages, memory_order_release);
    else
        wait_for(&progress->sequence, messages);
    double whole = now_ns() - t0;
    meet(0);
    return whole / WINDOW;
}

/* A producer of a stream always writes: its two forms are one. */
static double streaming(size_t bytes, long iterations, int variant, int rewritten)
{
    if (variant == SLOT_A_MESSAGE || variant == FOUR_A_LINE)
        return stream(bytes, iterations, variant);
    return windows(bytes, iterations, variant, rewritten);
}

/* --- measuring a kind ----------------------------------------------------- */

/* Samples of one kind: ns an iteration. Returns the median. */
static double measured(repetition run, size_t bytes, int variant, int rewritten, double *values)
{
    long iterations = 4;
    for (int step = 0; step < 4; step++) {
        double took = run(bytes, iterations, variant, rewritten);
        iterations = (long)agreed((double)iterations_for(sample_ns, iterations, took, 4, iterations * 32));
    }
    for (int r = -1; r < repetitions; r++) {
        double took = run(bytes, iterations, variant, rewritten);
        if (r >= 0)
            values[r] = took / (double)iterations;
    }
    return median_of(values, repetitions);
}

/* The fastest of some variants (a set of bits), printed. `figure` turns ns an iteration into the figure. */
static void fastest_of(const char *metric, const char *unit, repetition run, size_t bytes,
                       unsigned variants, int rewritten, double (*figure)(double, size_t))
{
    static double values[MOST_REPETITIONS], tried[MOST_REPETITIONS];
    double best = 0;
    for (int variant = 0; variant < VARIANTS; variant++) {
        if (!(variants & ALSO(variant)))
            continue;
        double median = measured(run, bytes, variant, rewritten, tried);
        if (best == 0 || median < best) {
            best = median;
            memcpy(values, tried, sizeof values);
        }
    }
    if (self == 0)
        for (int r = 0; r < repetitions; r++)
            sample(metric, bytes, unit, figure(values[r], bytes));
}

static double half_in_us(double ns, size_t bytes) { (void)bytes; return ns / 2 / 1e3; }
static double one_way_us(double ns, size_t bytes) { (void)bytes; return ns / 1e3; }
static double megabytes(double ns, size_t bytes) { return (double)bytes / ns * 1e3; }
static double millions(double ns, size_t bytes) { (void)bytes; return 1e3 / ns; }

/* --- one core's memory ---------------------------------------------------- */

static double own_copy(size_t bytes, long iterations, int variant, int rewritten)
{
    (void)variant, (void)rewritten;
    meet(0);
    double t0 = now_ns();
    for (long i = 0; self == 0 && i < iterations; i++)
        copy(private_copy, arena[0], bytes);
    double whole = now_ns() - t0;
    meet(0);
    return whole;
}

static void one_size(const char *test, size_t bytes, int rewritten)
{
    unsigned both = bytes >= HALVES_FROM_BYTES ? ALSO(HALVES) : 0;
    if (strcmp(test, "latency") == 0) {
        if (!(rewritten && bytes == 0))
            fastest_of(rewritten ? "latency_rewritten" : "latency", "us", ping_pong, bytes,
                       ALSO(PULL) | both, rewritten, half_in_us);
    } else if (bytes == 0) {
        return;
    } else if (strcmp(test, "memory") == 0) {
        if (rewritten)
            fastest_of("pull", "us", ping_pong, bytes > 8 ? bytes : 9, ALSO(PULL), 1, half_in_us);
        else
            fastest_of("memcpy", "us", own_copy, bytes, ALSO(PULL), 0, one_way_us);
    } else {
        int rate = strcmp(test, "message-rate") == 0;
        unsigned variants = ALSO(PULL) | both;
        if (bytes <= 8)
            variants = ALSO(SLOT_A_MESSAGE) | ALSO(FOUR_A_LINE);
        else if (bytes <= STREAM_LARGEST_BYTES)
            variants |= ALSO(SLOT_A_MESSAGE);
        else
            variants |= ALSO(RELAY);
        char metric[64];
        snprintf(metric, sizeof metric, "%s%s", rate ? "message_rate" : "bandwidth",
                 rewritten ? "_rewritten" : "");
        fastest_of(metric, rate ? "M/s" : "MB/s", streaming, bytes, variants, rewritten,
                   rate ? millions : megabytes);
    }
}

static void two_processes(const char *test, const size_t *sizes, int count)
{
    for (int i = 0; i < count; i++)
        for (int rewritten = 0; rewritten < 2; rewritten++)
            one_size(test, sizes[i], rewritten);
}

int main(int argc, char **argv)
{
    const char *test = argc > 1 ? argv[1] : "";
    if (strcmp(test, "latency") != 0 && strcmp(test, "bandwidth") != 0 &&
        strcmp(test, "message-rate") != 0 && strcmp(test, "memory") != 0) {
        fprintf(stderr, "usage: limits latency|bandwidth|message-rate|memory [SIZES|-] [REPETITIONS]"
                        " [MILLISECONDS]\n");
        return 2;
    }
    size_t sizes[MOST_SIZES];
    const char *list = argc > 2 ? argv[2] : "-";
    if (strcmp(test, "message-rate") == 0 && strcmp(list, "-") == 0)
        list = "8,1024";
    int count = sizes_from(list, MEASURE_LARGEST_BYTES, sizes, MOST_SIZES);
    if (argc > 3)
        repetitions = atoi(argv[3]);
    if (repetitions < 1 || repetitions > MOST_REPETITIONS)
        repetitions = 15;
    if (argc > 4)
        sample_ns = atof(argv[4]) * 1e6;

    size_t largest = ARENA_BYTES;
    for (int i = 0; i < count; i++)
        if (sizes[i] * 4 > largest)
            largest = sizes[i] * 4;
    process_count = 2;
    shared = mapped(sizeof *shared, -1);
    for (int i = 0; i < 2; i++) {
        arena[i] = mapped(largest + ARENA_BYTES, -1);
        memset(arena[i], 1, largest + ARENA_BYTES);
    }
    hidden_ns = hidden_ns_of_a_tick_pair();
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        self = 1;
    }
    pin_to(self);
    ns_per_tick();
    private_copy = touched(largest);
    two_processes(test, sizes, count);
    return self == 0 ? wait_for_all(&child, 1) : 0;
}
