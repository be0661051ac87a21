/* What windows and the synchronisation of their ranks cost. Operations on windows: one_sided.c.
 *
 *     windows TEST [REPETITIONS] [MILLISECONDS]
 *
 * TEST is one of
 *   fence        `fence`; `put_fence`, a put of 8 bytes to the next rank and a fence; and `barrier` beside them
 *   lock-all     `lock_all`: MPI_Win_lock_all and MPI_Win_unlock_all of rank 0 while the others wait in MPI_Barrier
 *   post-start   `post_start`: start, a put of 8 bytes and complete of rank 0, MPI_Win_post and wait of rank 1
 *   made         `allocate_free`, `create_free`: a window of 4 KiB that all ranks make and free               [us]
 *
 * The window is that of MPI_Win_allocate. Each put carries its number, which its target finds in its part.
 */
#include "measure.h"

#include <mpi.h>

enum { WINDOW_BYTES = 4096 };

static int rank, ranks, repetitions = 15;
static double sample_ns = 1e6;
static MPI_Win window;
static int64_t *mine; /* this rank's part of the window */
static int64_t number;

static void expect(const char *what, int64_t expected)
{
    if (mine[0] != expected) {
        fprintf(stderr, "windows: %s brought rank %d %ld, not %ld\n", what, rank, (long)mine[0], (long)expected);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void put_number(int64_t i, int target)
{
    number = i;
    MPI_Put(&number, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, window);
}

/* Samples of operations numbered `first` and on, of which all ranks do as many, by rank 0's clock. */
static void measured(const char *metric, size_t bytes, void (*run)(long first, long count))
{
    long iterations = 4, done = 0;
    for (int r = -4; r < repetitions; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double t0 = now_ns();
        run(done, iterations);
        double took = now_ns() - t0;
        done += iterations;
        if (r >= 0 && rank == 0)
            sample(metric, bytes, "us", took / (double)iterations / 1e3);
        if (r < 0)
            iterations = iterations_for(sample_ns, iterations, took, 4, iterations * 32);
        MPI_Bcast(&iterations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
}

static void barriers(long first, long count)
{
    (void)first;
    for (long i = 0; i < count; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void fences(long first, long count)
{
    (void)first;
    for (long i = 0; i < count; i++)
        MPI_Win_fence(0, window);
}

static void put_fences(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        put_number(i, (rank + 1) % ranks);
        MPI_Win_fence(0, window);
    }
    expect("put_fence", first + count - 1);
}

static void locks_of_all(long first, long count)
{
    (void)first;
    for (long i = 0; rank == 0 && i < count; i++) {
        MPI_Win_lock_all(0, window);
        MPI_Win_unlock_all(window);
    }
}

static void posts_and_starts(long first, long count)
{
    int other_rank = 1 - rank;
    MPI_Group all, other;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other_rank, &other);
    for (long i = first; i < first + count; i++) {
        if (rank == 0) {
            MPI_Win_start(other, 0, window);
            put_number(i, 1);
            MPI_Win_complete(window);
        } else {
            MPI_Win_post(other, 0, window);
            MPI_Win_wait(window);
            expect("post_start", i);
        }
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
}

static void allocate_and_free(long first, long count)
{
    for (long i = first; i < first + count; i++) {
        MPI_Win made;
        int64_t *memory;
        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made);
        memory[0] = i;
        MPI_Win_free(&made);
    }
}

static void create_and_free(long first, long count)
{
    static int64_t memory[WINDOW_BYTES / sizeof(int64_t)];
    for (long i = first; i < first + count; i++) {
        MPI_Win made;
        memory[0] = i;
        MPI_Win_create(memory, WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
        MPI_Win_free(&made);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *test = argc > 1 ? argv[1] : "";
    if (argc > 2)
        repetitions = atoi(argv[2]);
    if (argc > 3)
        sample_ns = atof(argv[3]) * 1e6;
    pin_to(rank);
    MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    int known = 1;
    if (strcmp(test, "fence") == 0) {
        MPI_Win_fence(0, window);
        measured("barrier", 0, barriers);
        measured("fence", 0, fences);
        measured("put_fence", sizeof number, put_fences);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    } else if (strcmp(test, "lock-all") == 0) {
        measured("lock_all", 0, locks_of_all);
    } else if (strcmp(test, "post-start") == 0 && ranks == 2) {
        measured("post_start", sizeof number, posts_and_starts);
    } else if (strcmp(test, "made") == 0) {
        measured("allocate_free", WINDOW_BYTES, allocate_and_free);
        measured("create_free", WINDOW_BYTES, create_and_free);
    } else {
        known = 0;
    }
    if (!known && rank == 0)
        fprintf(stderr, "usage: mpiexec -n N windows fence|lock-all|made [REPETITIONS] [MILLISECONDS];"
                        " with 2 ranks post-start too\n");
    MPI_Win_free(&window);
    MPI_Finalize();
    return known ? 0 : 2;
}
