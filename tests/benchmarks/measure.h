/* What every benchmark program shares: a clock, pinning, samples on stdout.
 *
 * A program prints one line a sample,
 *
 *     @ METRIC BYTES UNIT VALUE
 *
 * and the runner (scripts/bench) collects lines that begin with '@'; anything
 * else on stdout is for people. Nothing here knows MPI, so that the limits of
 * the machine are measured with the same clock and the same words.
 *
 * The tick counter is read where a time must be taken inside a measured loop:
 * it costs a few nanoseconds, clock_gettime some twenty. Its rate is measured
 * against CLOCK_MONOTONIC.
 */
#ifndef MEASURE_H
#define MEASURE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Largest message of the default sweep, in bytes. */
#define MEASURE_LARGEST_BYTES ((size_t)4 << 20)

static inline double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Ticks of a counter that runs at a constant rate on every core. Loads and
 * stores before the call have retired when it is read. */
static inline uint64_t now_ticks(void)
{
#if defined(__x86_64__)
    unsigned core;
    uint64_t ticks = __rdtscp(&core);
    _mm_lfence();
    return ticks;
#else
    return (uint64_t)now_ns();
#endif
}

static inline double ns_per_tick(void)
{
    static double rate = 0;
    if (rate == 0) {
        double t0 = now_ns();
        uint64_t c0 = now_ticks();
        while (now_ns() - t0 < 5e6) { }
        double t1 = now_ns();
        uint64_t c1 = now_ticks();
        rate = (t1 - t0) / (double)(c1 - c0);
    }
    return rate;
}

/* What reading the tick counter twice costs a loop, and how much of that the
 * two readings themselves show; their difference remains in a loop's time
 * after the shown part was subtracted. In ns. */
static inline double hidden_ns_of_a_tick_pair(void)
{
    enum { PAIRS = 2000 };
    double best = 1e9;
    for (int attempt = 0; attempt < 7; attempt++) {
        uint64_t shown = 0;
        double t0 = now_ns();
        for (int i = 0; i < PAIRS; i++) {
            uint64_t a = now_ticks();
            uint64_t b = now_ticks();
            shown += b - a;
        }
        double whole = now_ns() - t0;
        double hidden = (whole - (double)shown * ns_per_tick()) / PAIRS;
        if (hidden < best)
            best = hidden;
    }
    return best > 0 ? best : 0;
}

/* Pins the caller to the index-th (modulo) processor of BENCH_CPUS, a list
 * like "0,1" that the runner sets; without it nothing is pinned. The runner
 * also asks each launcher to bind; doing it here as well makes the pinning
 * the same for every library. */
static inline void pin_to(int index)
{
    const char *list = getenv("BENCH_CPUS");
    if (!list || !*list)
        return;
    int cpus[1024], count = 0;
    while (*list && count < 1024) {
        char *end;
        long cpu = strtol(list, &end, 10);
        if (end == list)
            break;
        cpus[count++] = (int)cpu;
        list = *end ? end + 1 : end;
    }
    if (count == 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[index % count], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        perror("measure: sched_setaffinity; is BENCH_CPUS within the allowed processors?");
}

static inline void sample(const char *metric, size_t bytes, const char *unit, double value)
{
    printf("@ %s %zu %s %.9g\n", metric, bytes, unit, value);
    fflush(stdout);
}

/* Page-aligned, touched memory: no page fault is left for the measured loop. */
static inline char *touched(size_t bytes)
{
    void *memory = NULL;
    size_t whole = (bytes + 4095) & ~(size_t)4095;
    if (whole == 0)
        whole = 4096;
    if (posix_memalign(&memory, 4096, whole) != 0) {
        fprintf(stderr, "measure: no memory for %zu bytes; free some or pass smaller --sizes\n", whole);
        exit(1);
    }
    memset(memory, 1, whole);
    return memory;
}

/* The sizes of a sweep: those named on the command line ("0,8,1024") or 0, 1,
 * 2, 4, ... up to the largest. Returns how many were stored. */
static inline int sizes_from(const char *list, size_t largest, size_t *sizes, int room)
{
    int count = 0;
    if (list && *list && strcmp(list, "-") != 0) {
        while (*list && count < room) {
            char *end;
            unsigned long long bytes = strtoull(list, &end, 10);
            if (end == list)
                break;
            sizes[count++] = (size_t)bytes;
            list = *end ? end + 1 : end;
        }
        return count;
    }
    sizes[count++] = 0;
    for (size_t bytes = 1; bytes <= largest && count < room; bytes *= 2)
        sizes[count++] = bytes;
    return count;
}

/* How many iterations fill the wanted time, given that `tried` took `took_ns`. */
static inline long iterations_for(double want_ns, long tried, double took_ns, long least, long most)
{
    double each = took_ns / (double)tried;
    double wanted = want_ns / (each > 0.5 ? each : 0.5);
    long count = wanted > (double)most ? most : (long)wanted;
    return count < least ? least : count;
}

#endif
