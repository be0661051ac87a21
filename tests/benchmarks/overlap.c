/* How much of a nonblocking operation's time is hidden behind computation that calls nothing.
 *
 *     overlap TEST [SIZES] [REPETITIONS]
 *
 * TEST is one of
 *   send        rank 0 starts a send and computes; rank 1 waits in MPI_Recv
 *   receive     rank 1 starts a receive and computes; rank 0 waits in MPI_Send
 *   allreduce   both start MPI_Iallreduce of doubles and compute
 *   alltoall    both start MPI_Ialltoall and compute; SIZES are bytes for each rank
 * and gives for each size, at the rank that computes (of two: the slower one),
 *   TEST_pure      from start to end of the wait, with nothing between          [us]
 *   TEST_overlap   of that time, the part that is gone when a computation of the same length
 *                  is put between start and wait                                 [%]
 *   TEST_overlap2  the same for a computation of twice that length               [%]
 *
 * As OSU's overlap tests do it: 100 * (1 - (whole - computation) / pure), not below 0. The
 * computation is a number of steps that was timed alone before. Where both ends copy, each half,
 * the end that waits needs about twice the pure time to copy all of it, so that a computation of
 * the pure time's length cannot hide all, while one of twice that length can.
 */
#include "measure.h"

#include <mpi.h>

#pragma weak MPI_Iallreduce
#pragma weak MPI_Ialltoall

enum { MOST_SIZES = 32, MOST_REPETITIONS = 100, WARM_UP = 3 };

static int rank;
static char *outgoing, *incoming;
static size_t bytes;

struct test {
    const char *name;
    int computes; /* the rank that computes; -1: both */
    int (*start)(MPI_Request *);
};

static int start_send(MPI_Request *request)
{
    if (rank == 0)
        return MPI_Isend(outgoing, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, request);
    *request = MPI_REQUEST_NULL;
    return MPI_Recv(incoming, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int start_receive(MPI_Request *request)
{
    if (rank == 1)
        return MPI_Irecv(incoming, (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, request);
    *request = MPI_REQUEST_NULL;
    return MPI_Send(outgoing, (int)bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
}

static int start_allreduce(MPI_Request *request)
{
    return MPI_Iallreduce(outgoing, incoming, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                          MPI_COMM_WORLD, request);
}

static int start_alltoall(MPI_Request *request)
{
    return MPI_Ialltoall(outgoing, (int)bytes, MPI_BYTE, incoming, (int)bytes, MPI_BYTE,
                         MPI_COMM_WORLD, request);
}

static const struct test tests[] = {{"send", 0, start_send},
                                    {"receive", 1, start_receive},
                                    {"allreduce", -1, start_allreduce},
                                    {"alltoall", -1, start_alltoall}};

static int computes(const struct test *test)
{
    return test->computes < 0 || test->computes == rank;
}

/* Work that stays in registers and calls nothing. */
static void compute(long steps)
{
    uint64_t state = (uint64_t)steps | 1;
    for (long i = 0; i < steps; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        __asm__ volatile("" : "+r"(state));
    }
}

static double steps_per_us(void)
{
    enum { STEPS = 200000 };
    double best = 0;
    for (int attempt = 0; attempt < 9; attempt++) {
        double begin = now_ns();
        compute(STEPS);
        double rate = STEPS * 1e3 / (now_ns() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}

static double once(const struct test *test, long steps)
{
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_ns();
    if (test->start(&request) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (computes(test))
        compute(steps);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return (now_ns() - begin) / 1e3;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double typical(const struct test *test, long steps, int repetitions)
{
    double times[MOST_REPETITIONS];
    for (int i = -WARM_UP; i < repetitions; i++) {
        double time = once(test, steps);
        if (i >= 0)
            times[i] = time;
    }
    qsort(times, (size_t)repetitions, sizeof *times, ascending);
    return times[repetitions / 2];
}

/* The larger of both ranks' numbers, or that of the one that computes; at rank 0. */
static double of_those_who_compute(const struct test *test, double mine)
{
    double other;
    if (rank == 1) {
        MPI_Send(&mine, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
        return mine;
    }
    MPI_Recv(&other, 1, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (test->computes >= 0)
        return test->computes == 0 ? mine : other;
    return mine > other ? mine : other;
}

/* In per cent of the pure time, of which `lost` was not hidden. */
static double hidden(double pure, double lost)
{
    double percent = 100 * (1 - lost / pure);
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static void tell(const struct test *test, const char *what, const char *unit, double value)
{
    char name[64];
    if (rank != 0)
        return;
    snprintf(name, sizeof name, "%s_%s", test->name, what);
    sample(name, bytes, unit, value);
}

/* What is hidden behind a computation that is `length` times as long as the pure time, of
 * which this rank has seen `mine`, and those who compute `pure`. */
static double overlap(const struct test *test, int repetitions, double mine, double pure,
                      double length)
{
    long steps = (long)(mine * length * steps_per_us());
    double begin = now_ns();
    compute(steps);
    double computation = (now_ns() - begin) / 1e3;
    double whole = typical(test, steps, repetitions);
    /* Exact for one that computes; of two, what the slower one has lost. */
    return hidden(pure, of_those_who_compute(test, whole - computation));
}

static void measured(const struct test *test, int repetitions)
{
    double mine = typical(test, 0, repetitions);
    double pure = of_those_who_compute(test, mine);
    tell(test, "pure", "us", pure);
    tell(test, "overlap", "%", overlap(test, repetitions, mine, pure, 1));
    tell(test, "overlap2", "%", overlap(test, repetitions, mine, pure, 2));
}

int main(int argc, char **argv)
{
    size_t sizes[MOST_SIZES];
    const char *wanted = argc > 1 ? argv[1] : "";
    int count = sizes_from(argc > 2 ? argv[2] : "65536,262144,1048576", MEASURE_LARGEST_BYTES, sizes, MOST_SIZES);
    int repetitions = argc > 3 ? atoi(argv[3]) : 25;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct test *test = NULL;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(tests[i].name, wanted) == 0)
            test = &tests[i];
    if (!test || ranks != 2 || repetitions < 1 || repetitions > MOST_REPETITIONS) {
        if (rank == 0)
            fprintf(stderr, "usage: mpiexec -n 2 overlap send|receive|allreduce|alltoall [SIZES] [REPETITIONS]\n");
        MPI_Finalize();
        return 2;
    }
    pin_to(rank);
    for (int i = 0; i < count; i++) {
        bytes = sizes[i];
        outgoing = touched(2 * bytes);
        incoming = touched(2 * bytes);
        for (int round = 0; round < 5; round++)
            measured(test, repetitions);
        free(outgoing);
        free(incoming);
    }
    MPI_Finalize();
    return 0;
}
