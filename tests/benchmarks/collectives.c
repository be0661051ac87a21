/* Collective operations of pinned ranks, as OSU's collective latency tests measure them.
 *
 *     collectives TESTS [SIZES] [REPETITIONS] [MILLISECONDS]
 *
 * TESTS is a comma list of barrier, bcast, reduce, allreduce, gather, scatter, allgather and
 * alltoall. Each call is timed alone and followed by a barrier that is not counted; a
 * figure is the average of all ranks over all iterations [us]. SIZES are bytes of the whole buffer
 * for bcast, reduce and allreduce (of doubles), and of a rank's block for the others; the
 * root is rank 0.
 *
 * Results are checked before anything is measured: every rank contributes numbers that tell it.
 *
 * Operations that the library does not have are left out: their symbols are weak.
 */
#include "measure.h"

#include <mpi.h>

#pragma weak MPI_Bcast
#pragma weak MPI_Reduce
#pragma weak MPI_Gather
#pragma weak MPI_Scatter
#pragma weak MPI_Allgather
#pragma weak MPI_Alltoall

enum { MOST_SIZES = 32, LARGEST_BYTES = 1 << 20 };

static int rank, ranks;
static double *outgoing, *incoming;

struct test {
    const char *name;
    void (*call)(int count);
    /* Blocks of `count` doubles in what this rank passes and gets. */
    int passes_all, gets_all, only_root_gets;
    /* Element i of the block that this rank gets from (or through) rank r. */
    double (*expected)(int r, int i);
    int sized;
};

static double contribution(int r, int block, int i)
{
    return (double)((r * 31 + block * 7 + i) % 1021);
}

static void barrier(int count)
{
    (void)count;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(int count)
{
    MPI_Bcast(rank == 0 ? outgoing : incoming, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void reduce(int count)
{
    MPI_Reduce(outgoing, incoming, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(int count)
{
    MPI_Allreduce(outgoing, incoming, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(int count)
{
    MPI_Gather(outgoing, count, MPI_DOUBLE, incoming, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void scatter(int count)
{
    MPI_Scatter(outgoing, count, MPI_DOUBLE, incoming, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void allgather(int count)
{
    MPI_Allgather(outgoing, count, MPI_DOUBLE, incoming, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(int count)
{
    MPI_Alltoall(outgoing, count, MPI_DOUBLE, incoming, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static double from_root(int r, int i)
{
    (void)r;
    return contribution(0, 0, i);
}

static double sum(int r, int i)
{
    double all = 0;
    (void)r;
    for (int other = 0; other < ranks; other++)
        all += contribution(other, 0, i);
    return all;
}

static double of_rank(int r, int i)
{
    return contribution(r, 0, i);
}

static double part_of_root(int r, int i)
{
    (void)r;
    return contribution(0, rank, i);
}

static double part_of_rank(int r, int i)
{
    return contribution(r, rank, i);
}

static const struct test TESTS[] = {
    {"barrier", barrier, 0, 0, 0, NULL, 0},
    {"bcast", bcast, 0, 0, 0, from_root, 1},
    {"reduce", reduce, 0, 0, 1, sum, 1},
    {"allreduce", allreduce, 0, 0, 0, sum, 1},
    {"gather", gather, 0, 1, 1, of_rank, 1},
    {"scatter", scatter, 1, 0, 0, part_of_root, 1},
    {"allgather", allgather, 0, 1, 0, of_rank, 1},
    {"alltoall", alltoall, 1, 1, 0, part_of_rank, 1},
};

static int exists(const struct test *test)
{
    const char *name = test->name;
    return !((!MPI_Bcast && strcmp(name, "bcast") == 0) || (!MPI_Reduce && strcmp(name, "reduce") == 0) ||
             (!MPI_Gather && strcmp(name, "gather") == 0) || (!MPI_Scatter && strcmp(name, "scatter") == 0) ||
             (!MPI_Allgather && strcmp(name, "allgather") == 0) ||
             (!MPI_Alltoall && strcmp(name, "alltoall") == 0));
}

static void check(const struct test *test, int count)
{
    int got = test->gets_all ? ranks : 1;
    for (int block = 0; block < ranks; block++)
        for (int i = 0; i < count; i++)
            outgoing[(size_t)block * (size_t)count + (size_t)i] = contribution(rank, block, i);
    memset(incoming, 0xEE, (size_t)got * (size_t)count * sizeof(double));
    test->call(count);
    if (!test->expected || (test->only_root_gets && rank != 0))
        return;
    const double *data = test->expected == from_root && rank == 0 ? outgoing : incoming;
    for (int block = 0; block < got; block++)
        for (int i = 0; i < count; i++) {
            double value = data[(size_t)block * (size_t)count + (size_t)i];
            if (value != test->expected(block, i)) {
                fprintf(stderr, "collectives: %s of %d doubles gave rank %d %g as element %d of block %d, not %g\n",
                        test->name, count, rank, value, i, block, test->expected(block, i));
                MPI_Abort(MPI_COMM_WORLD, 3);
            }
        }
}

/* Microseconds of a call, the average of all ranks; the same at all of them. */
static double average_us(const struct test *test, int count, long iterations)
{
    static double rate;
    if (rate == 0)
        rate = ns_per_tick();
    uint64_t ticks = 0;
    for (int warm_up = 0; warm_up < 3; warm_up++) {
        test->call(count);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (long i = 0; i < iterations; i++) {
        uint64_t before = now_ticks();
        test->call(count);
        ticks += now_ticks() - before;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    double mine = (double)ticks * rate / (double)iterations / 1e3, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all / ranks;
}

static void measured(const struct test *test, size_t bytes, int repetitions, double sample_ns)
{
    int count = test->sized ? (int)(bytes / sizeof(double)) : 0;
    if (test->sized && count == 0)
        return;
    check(test, count);
    long iterations = 5;
    /* The first calls may wait for memory; those behind them tell how many fill a sample. */
    for (int round = 0; round < 3; round++) {
        double took_ns = average_us(test, count, iterations) * 1e3;
        long most = iterations * 32 < 100000 ? iterations * 32 : 100000;
        iterations = iterations_for(sample_ns, 1, took_ns, 5, most);
    }
    average_us(test, count, iterations);
    for (int r = 0; r < repetitions; r++) {
        double us = average_us(test, count, iterations);
        if (rank == 0)
            sample(test->name, test->sized ? bytes : 0, "us", us);
    }
}

static int is_named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    size_t sizes[MOST_SIZES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *tests = argc > 1 ? argv[1] : "";
    int count = sizes_from(argc > 2 ? argv[2] : NULL, LARGEST_BYTES, sizes, MOST_SIZES);
    int repetitions = argc > 3 ? atoi(argv[3]) : 9;
    double sample_ns = (argc > 4 ? atof(argv[4]) : 2) * 1e6;
    size_t largest = sizeof(double);
    for (int i = 0; i < count; i++)
        largest = sizes[i] > largest ? sizes[i] : largest;
    pin_to(rank);
    outgoing = (double *)(void *)touched(largest * (size_t)ranks);
    incoming = (double *)(void *)touched(largest * (size_t)ranks);
    int known = 0;
    for (size_t t = 0; t < sizeof TESTS / sizeof *TESTS; t++) {
        const struct test *test = &TESTS[t];
        if (!is_named(tests, test->name))
            continue;
        known = 1;
        if (!exists(test))
            continue;
        for (int i = 0; i < (test->sized ? count : 1); i++)
            measured(test, sizes[i], repetitions, sample_ns);
    }
    if (!known && rank == 0)
        fprintf(stderr, "usage: mpiexec -n N collectives TEST,... [SIZES] [REPETITIONS] [MILLISECONDS];"
                        " tests: barrier bcast reduce allreduce gather scatter allgather alltoall\n");
    MPI_Finalize();
    return known ? 0 : 2;
}
