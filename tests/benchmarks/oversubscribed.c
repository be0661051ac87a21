/* More ranks than processors: what waiting costs when the awaited rank may not be running.
 *
 *     oversubscribed TEST [REPETITIONS] [MILLISECONDS]
 *
 * TEST is one of
 *   operations  `barrier`; `allreduce` and `alltoall` of 8 bytes (a rank); `ping_pong`, half
 *               a round trip of 8 bytes between ranks r and r + N/2, all pairs at once
 *               [us]. N is even. The time is that of the slowest rank, from a common
 *               barrier on: pairs that take turns instead of sharing win nothing. A token
 *               around a ring of all ranks, a hop: `token_received` by MPI_Recv,
 *               `token_probed` by MPI_Iprobe in a loop, `token_tested` by MPI_Test.
 *   blocked     `blocked_processor_time`: processor time that a rank uses while it is blocked
 *               for one second in MPI_Recv [ms]; the sender sleeps.
 *
 * Iterations adapt to the library: one that spins away its time slice takes milliseconds for
 * a barrier and gets four of them, one that yields gets thousands. Nothing is pinned here:
 * with more ranks than processors the scheduler must be free to choose.
 *
 * Operations that the library does not have are left out: their symbols are weak.
 */
#include "measure.h"

#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#pragma weak MPI_Alltoall

enum { MOST_RANKS = 1024 };

static int rank, ranks;

static int barriers(long iterations)
{
    int error = MPI_SUCCESS;
    for (long i = 0; i < iterations && error == MPI_SUCCESS; i++)
        error = MPI_Barrier(MPI_COMM_WORLD);
    return error;
}

static int allreduces(long iterations)
{
    int error = MPI_SUCCESS;
    for (long i = 0; i < iterations && error == MPI_SUCCESS; i++) {
        double mine = (double)(rank + i), sum = -1;
        error = MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double expected = (double)ranks * (double)i + (double)ranks * (double)(ranks - 1) / 2;
        if (error == MPI_SUCCESS && sum != expected) {
            fprintf(stderr, "oversubscribed: allreduce gave %g, not %g\n", sum, expected);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    return error;
}

static int alltoalls(long iterations)
{
    static double out[MOST_RANKS], in[MOST_RANKS];
    int error = MPI_SUCCESS;
    for (long i = 0; i < iterations && error == MPI_SUCCESS; i++) {
        for (int r = 0; r < ranks; r++)
            out[r] = rank * MOST_RANKS + r;
        error = MPI_Alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        if (error == MPI_SUCCESS && in[ranks - 1] != (ranks - 1) * MOST_RANKS + rank) {
            fprintf(stderr, "oversubscribed: alltoall gave %g\n", in[ranks - 1]);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    return error;
}

static int ping_pongs(long iterations)
{
    int half = ranks / 2, partner = (rank + half) % ranks;
    int64_t token = 0;
    for (long i = 0; i < iterations; i++) {
        if (rank < half) {
            MPI_Send(&token, 8, MPI_BYTE, partner, 5, MPI_COMM_WORLD);
            MPI_Recv(&token, 8, MPI_BYTE, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 8, MPI_BYTE, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&token, 8, MPI_BYTE, partner, 5, MPI_COMM_WORLD);
        }
    }
    return MPI_SUCCESS;
}

/* How a rank learns that the token has come. */
static void receive_token(int64_t *token, int from)
{
    MPI_Recv(token, 8, MPI_BYTE, from, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probe_for_token(int64_t *token, int from)
{
    int there = 0;
    while (!there)
        MPI_Iprobe(from, 10, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    receive_token(token, from);
}

static void test_for_token(int64_t *token, int from)
{
    MPI_Request request;
    int there = 0;
    MPI_Irecv(token, 8, MPI_BYTE, from, 10, MPI_COMM_WORLD, &request);
    while (!there)
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
}

static int around(long rounds, void (*take)(int64_t *, int))
{
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    int64_t token = 0;
    for (long i = 0; i < rounds; i++) {
        if (rank != 0)
            take(&token, last);
        token++;
        MPI_Send(&token, 8, MPI_BYTE, next, 10, MPI_COMM_WORLD);
        if (rank == 0)
            take(&token, last);
    }
    if (rank == 0 && token != rounds * ranks) {
        fprintf(stderr, "oversubscribed: the token counted %ld hops\n", (long)token);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return MPI_SUCCESS;
}

static int received(long rounds)
{
    return around(rounds, receive_token);
}

static int probed(long rounds)
{
    return around(rounds, probe_for_token);
}

static int tested(long rounds)
{
    return around(rounds, test_for_token);
}

/* Rank 0's number, everywhere. */
static long agreed(long mine)
{
    for (int r = 1; r < ranks; r++) {
        if (rank == 0)
            MPI_Send(&mine, 1, MPI_LONG, r, 6, MPI_COMM_WORLD);
        else if (rank == r)
            MPI_Recv(&mine, 1, MPI_LONG, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return mine;
}

/* The largest of all ranks' numbers, at rank 0. */
static double largest_at_zero(double mine)
{
    double other;
    if (rank != 0)
        MPI_Send(&mine, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
    for (int r = 1; rank == 0 && r < ranks; r++) {
        MPI_Recv(&other, 1, MPI_DOUBLE, r, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (other > mine)
            mine = other;
    }
    return mine;
}

static void measured(const char *metric, size_t bytes, int (*operation)(long), double operations,
                     int repetitions, double sample_ns)
{
    long iterations = 2;
    for (int step = 0; step < 4; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double t0 = now_ns();
        if (operation(iterations) != MPI_SUCCESS) {
            if (rank == 0)
                fprintf(stderr, "oversubscribed: %s returned an error and is left out\n", metric);
            return;
        }
        double took = largest_at_zero(now_ns() - t0);
        iterations = agreed(iterations_for(sample_ns, iterations, took, 4, iterations * 16));
    }
    for (int r = 0; r < repetitions; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double t0 = now_ns();
        operation(iterations);
        double took = largest_at_zero(now_ns() - t0);
        if (rank == 0)
            sample(metric, bytes, "us", took / (double)iterations / operations / 1e3);
    }
}

static double processor_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void blocked(void)
{
    double used = 0;
    char token = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        usleep(1000000);
        for (int r = 1; r < ranks; r++)
            MPI_Send(&token, 1, MPI_CHAR, r, 7, MPI_COMM_WORLD);
        for (int r = 1; r < ranks; r++) {
            MPI_Recv(&used, 1, MPI_DOUBLE, r, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sample("blocked_processor_time", 1, "ms", used);
        }
    } else {
        double before = processor_ms();
        MPI_Recv(&token, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        used = processor_ms() - before;
        MPI_Send(&used, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *test = argc > 1 ? argv[1] : "";
    int repetitions = argc > 2 ? atoi(argv[2]) : 9;
    double sample_ns = (argc > 3 ? atof(argv[3]) : 5) * 1e6;
    int operations = strcmp(test, "operations") == 0;
    if ((!operations && strcmp(test, "blocked") != 0) || ranks < 2 || ranks > MOST_RANKS ||
        (operations && ranks % 2 != 0)) {
        if (rank == 0)
            fprintf(stderr, "usage: mpiexec -n N oversubscribed operations|blocked [REPETITIONS] [MILLISECONDS];"
                            " N is even, 2 to %d\n", MOST_RANKS);
        MPI_Finalize();
        return 2;
    }
    if (operations) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        measured("barrier", 0, barriers, 1, repetitions, sample_ns);
        measured("allreduce", 8, allreduces, 1, repetitions, sample_ns);
        if (MPI_Alltoall)
            measured("alltoall", 8, alltoalls, 1, repetitions, sample_ns);
        measured("ping_pong", 8, ping_pongs, 2, repetitions, sample_ns);
        measured("token_received", 8, received, ranks, repetitions, sample_ns);
        measured("token_probed", 8, probed, ranks, repetitions, sample_ns);
        measured("token_tested", 8, tested, ranks, repetitions, sample_ns);
    } else {
        blocked();
    }
    MPI_Finalize();
    return 0;
}
