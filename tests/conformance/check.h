// The few macros every conformance program uses: start, compare, finish.
//
// A program includes this header once, calls `begin` first and returns `finish("name")` last. Comparisons count
// failures and print file:line, rank, what was expected and what was found; they never stop the program, so that one
// run shows all that is wrong. `finish` adds the failures of all ranks: none prints `ok name` from rank 0 exactly
// once, any ends the job with MPI_Abort. The runner (`run`, beside this file) accepts a program only if it exits with
// 0 and printed that line once.
#ifndef PAMIR_CONFORMANCE_CHECK_H
#define PAMIR_CONFORMANCE_CHECK_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Failures after this many are counted but not printed.
#define PRINTED_FAILURES 20

#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

static int failures;          // of this rank
static int world_rank = -1;   // -1 before `begin`
static int world_size;

// True when this failure should be printed.
MAYBE_UNUSED static int failed(void) { return __sync_add_and_fetch(&failures, 1) <= PRINTED_FAILURES; }

// A condition holds.
#define CHECK(condition)                                                                                        \
    do {                                                                                                        \
        if (!(condition) && failed())                                                                           \
            fprintf(stderr, "%s:%d: rank %d: does not hold: %s\n", __FILE__, __LINE__, world_rank, #condition); \
    } while (0)

// A condition holds; the rest is a printf format and its values, saying which case it was.
#define CHECK_THAT(condition, ...)                                                                              \
    do {                                                                                                        \
        if (!(condition) && failed()) {                                                                         \
            char case_text[256];                                                                                \
            snprintf(case_text, sizeof case_text, __VA_ARGS__);                                                 \
            fprintf(stderr, "%s:%d: rank %d: does not hold: %s (%s)\n", __FILE__, __LINE__, world_rank,         \
                    #condition, case_text);                                                                     \
        }                                                                                                       \
    } while (0)

// Two integers are equal.
#define CHECK_INT(actual, expected)                                                                             \
    do {                                                                                                        \
        long long actual_value = (long long)(actual), expected_value = (long long)(expected);                   \
        if (actual_value != expected_value && failed())                                                         \
            fprintf(stderr, "%s:%d: rank %d: %s is %lld, expected %lld (%s)\n", __FILE__, __LINE__, world_rank, \
                    #actual, actual_value, expected_value, #expected);                                          \
    } while (0)

// Two strings are equal.
#define CHECK_STR(actual, expected)                                                                             \
    do {                                                                                                        \
        if (strcmp((actual), (expected)) != 0 && failed())                                                      \
            fprintf(stderr, "%s:%d: rank %d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, world_rank,  \
                    #actual, (actual), (expected));                                                             \
    } while (0)

// An MPI call succeeds.
#define OK(call)                                                                                                \
    do {                                                                                                        \
        int call_code = (call);                                                                                 \
        if (call_code != MPI_SUCCESS && failed()) {                                                             \
            char call_text[MPI_MAX_ERROR_STRING] = "";                                                          \
            int call_length = 0;                                                                                \
            MPI_Error_string(call_code, call_text, &call_length);                                               \
            fprintf(stderr, "%s:%d: rank %d: %s failed: %s\n", __FILE__, __LINE__, world_rank, #call,           \
                    call_text);                                                                                 \
        }                                                                                                       \
    } while (0)

// An MPI call fails with this error class.
#define FAILS(call, error_class) check_class((call), (error_class), (error_class), __FILE__, __LINE__, #call)

// An MPI call fails with one of two classes, where the standard leaves the choice.
#define FAILS_EITHER(call, first, second) check_class((call), (first), (second), __FILE__, __LINE__, #call)

// Before a statement: not run with the runner's --peer, for what the standard promises and the peer breaks or crashes on.
#define NOT_PEER if (getenv("PAMIR_CONFORMANCE_PEER") == NULL)

MAYBE_UNUSED static void check_class(int code, int first, int second, const char *file, int line, const char *call) {
    int found = -1, length;
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_class(code, &found);
    if (found == first || found == second) return;
    if (!failed()) return;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "%s:%d: rank %d: %s returned class %d (%s), expected class %d", file, line, world_rank, call,
            found, text, first);
    if (second != first) fprintf(stderr, " or %d", second);
    fputc('\n', stderr);
}

// One byte of a pattern that depends on a seed and the position, so that shifted or swapped data shows.
MAYBE_UNUSED static unsigned char pattern(uint64_t seed, uint64_t position) {
    uint64_t mixed = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) + (position + 1) * UINT64_C(0xC2B2AE3D27D4EB4F);
    mixed ^= mixed >> 29;
    return (unsigned char)(mixed * UINT64_C(0xBF58476D1CE4E5B9) >> 56);
}

MAYBE_UNUSED static void fill(void *buffer, size_t bytes, uint64_t seed) {
    unsigned char *to = buffer;
    for (size_t i = 0; i < bytes; i++) to[i] = pattern(seed, i);
}

// The first position that differs from the pattern, or -1.
MAYBE_UNUSED static long long mismatch(const void *buffer, size_t bytes, uint64_t seed) {
    const unsigned char *from = buffer;
    for (size_t i = 0; i < bytes; i++)
        if (from[i] != pattern(seed, i)) return (long long)i;
    return -1;
}

// A buffer holds the pattern of a seed.
#define CHECK_FILLED(buffer, bytes, seed)                                                                       \
    do {                                                                                                        \
        long long wrong_at = mismatch((buffer), (size_t)(bytes), (uint64_t)(seed));                             \
        if (wrong_at >= 0 && failed())                                                                          \
            fprintf(stderr, "%s:%d: rank %d: %s differs from seed %lld at byte %lld of %lld\n", __FILE__,       \
                    __LINE__, world_rank, #buffer, (long long)(seed), wrong_at, (long long)(bytes));            \
    } while (0)

// A buffer holds one byte value throughout.
MAYBE_UNUSED static int all_bytes(const void *buffer, size_t bytes, unsigned char value) {
    const unsigned char *from = buffer;
    for (size_t i = 0; i < bytes; i++)
        if (from[i] != value) return 0;
    return 1;
}

// malloc that never returns null, also for 0 bytes.
MAYBE_UNUSED static void *space(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "%s: no memory for %zu bytes\n", __FILE__, bytes);
        abort();
    }
    return memory;
}

// The next number of a xorshift generator; `state` must not be 0.
MAYBE_UNUSED static uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

// A step of a program that waits for others rather than computing: lets them run.
MAYBE_UNUSED static void pause_microseconds(unsigned microseconds) { usleep(microseconds); }

// Fills world_rank and world_size; for programs that initialise MPI themselves.
MAYBE_UNUSED static void begin_initialized(void) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

// Starts MPI. Errors on the world return from here on, so that OK and FAILS can judge them.
MAYBE_UNUSED static void begin(int *argc, char ***argv) {
    int code = MPI_Init(argc, argv);
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "MPI_Init returned %d\n", code);
        exit(1);
    }
    begin_initialized();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

// Adds the failures of all ranks and ends the program with MPI still initialised; `finish` minus MPI_Finalize.
MAYBE_UNUSED static void settle(const char *name) {
    int all = 0, mine = failures;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (mine > PRINTED_FAILURES)
        fprintf(stderr, "%s: rank %d: %d failures in all\n", name, world_rank, mine);
    fflush(stderr);
    int code = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS || all > 0 || mine > 0) {
        if (world_rank == 0 || code != MPI_SUCCESS)
            fprintf(stderr, "%s: %d failures on %d ranks\n", name, all, world_size);
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    if (world_rank == 0) {
        printf("ok %s\n", name);
        fflush(stdout);
    }
}

// Ends the program: the value for `main` to return.
MAYBE_UNUSED static int finish(const char *name) {
    settle(name);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

#endif
