/* Processes of one machine that share a mapping, for the programs that measure the machine's limits.
 *
 * Every word that one process writes and others wait for has a pair of lines of its own (some
 * processors fetch lines in pairs):
 *
 *     flag of process 0 | flag of process 1 | arrivals | generation | one result a process
 *     one flag a process | two sets of contributions | ring of slots
 *
 * A flag holds a sequence number that only grows between two resets, and up to 8 bytes of data.
 * The arenas (send buffers that both sides map) are mappings of their own.
 */
#ifndef SHARED_LINES_H
#define SHARED_LINES_H

#include "measure.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 64, RING_SLOTS = 256, MOST_PROCESSES = 128 };
#define STREAM_LARGEST_BYTES ((size_t)2048)

struct flag {
    _Alignas(128) _Atomic uint64_t sequence;
    uint64_t inline_data;
};

struct shared {
    struct flag flags[2];
    _Alignas(128) _Atomic uint32_t arrived;
    _Alignas(128) _Atomic uint32_t generation;
    _Alignas(128) double result[MOST_PROCESSES];
    struct flag pairs[MOST_PROCESSES];
    _Alignas(128) double contributions[2][MOST_PROCESSES][MOST_PROCESSES];
    _Alignas(4096) char ring[RING_SLOTS * (LINE + STREAM_LARGEST_BYTES)];
};

static struct shared *shared;
static int self;
static int process_count;

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

static inline void wait_for(_Atomic uint64_t *sequence, uint64_t value)
{
    while (atomic_load_explicit(sequence, memory_order_acquire) < value)
        pause_briefly();
}

/* A barrier of all processes. */
static inline void meet(int yielding)
{
    uint32_t generation = atomic_load(&shared->generation);
    if (atomic_fetch_add(&shared->arrived, 1) + 1 == (uint32_t)process_count) {
        atomic_store(&shared->arrived, 0);
        atomic_store_explicit(&shared->generation, generation + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&shared->generation, memory_order_acquire) == generation) {
        if (yielding)
            sched_yield();
        else
            pause_briefly();
    }
}

/* Shared memory, anonymous or of a descriptor. */
static inline void *mapped(size_t bytes, int descriptor)
{
    int flags = descriptor < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (memory == MAP_FAILED) {
        perror("limits: mmap; pass smaller --sizes");
        exit(1);
    }
    return memory;
}

/* Waits for children; 0 when all ended with 0. */
static inline int wait_for_all(const pid_t *children, int count)
{
    int failed = 0;
    for (int i = 0; i < count; i++) {
        int status = 0;
        if (waitpid(children[i], &status, 0) < 0 || status != 0)
            failed = 1;
    }
    return failed;
}

#endif
