/* Latency, exchange, bandwidth and message rate between ranks 0 and 1, in OSU's manner.
 *
 *     point_to_point TEST [SIZES] [REPETITIONS] [MILLISECONDS]
 *
 * TEST is one of
 *   latency       half of a blocking ping-pong's round trip            [us]
 *   exchange      MPI_Irecv, MPI_Isend and MPI_Waitall of both ranks, as
 *                 neighbours of a grid do: one message each way          [us]
 *   bandwidth     64 nonblocking sends, then an acknowledgement     [MB/s]
 *   message-rate  the same, counted in messages                 [million/s]
 * SIZES is a comma list ("-": the default sweep), REPETITIONS the number of
 * samples of each size (first one more that is thrown away), MILLISECONDS
 * about the time of one sample. Short samples are on purpose: on a machine
 * where others work too, most of them then fit between two interruptions.
 *
 * Each test runs in two forms.
 *   untouched  (metric NAME): the sender's buffer is never written between
 *              sends, as OSU does. The data stays in the receiver's cache
 *              (or the shared segment stays in the sender's), which flatters
 *              whoever copies.
 *   rewritten  (metric NAME_rewritten): the sender writes the whole buffer
 *              before each send, as applications do. The time of writing is
 *              taken in place, with the tick counter around it, on both
 *              sides, and is not part of the result; neither is the cost of
 *              reading the counter (measure.h). What the writing pays for
 *              fetching lines from the other core's cache is part of the
 *              writing, hence not counted; what a later copy pays for dirty
 *              lines is.
 * In the rewritten form of bandwidth every send of a window has a buffer of
 * its own; all are written before the window starts, while the receiver has
 * nothing to do (so that nothing hides behind the writing), with windows smaller
 * than 64 where 64 buffers would leave the caches: at most 16 MiB together,
 * at least 4 buffers.
 *
 * Nothing reads the received data except in the warming repetitions of the
 * rewritten form, where every byte is checked, so that wrong data cannot win.
 */
#include "measure.h"

#include <mpi.h>

enum { WINDOW = 64, MOST_SIZES = 64 };
#define ARENA_BYTES ((size_t)16 << 20)

static int rank;
static double sample_ns = 2e6;
static int repetitions = 9;

/* Rank 0's number, everywhere. */
static double agreed(double mine)
{
    if (rank == 0)
        MPI_Send(&mine, 1, MPI_DOUBLE, 1, 90, MPI_COMM_WORLD);
    else
        MPI_Recv(&mine, 1, MPI_DOUBLE, 0, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine;
}

/* The sum of both ranks' numbers, at rank 0. */
static double summed(double mine)
{
    double other = 0;
    if (rank == 1)
        MPI_Send(&mine, 1, MPI_DOUBLE, 0, 91, MPI_COMM_WORLD);
    else
        MPI_Recv(&other, 1, MPI_DOUBLE, 1, 91, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine + other;
}

static void meet(void)
{
    char token = 0;
    if (rank == 0) {
        MPI_Send(&token, 1, MPI_CHAR, 1, 92, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_CHAR, 1, 92, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&token, 1, MPI_CHAR, 0, 92, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_CHAR, 0, 92, MPI_COMM_WORLD);
    }
}

static uint64_t rewriting_ticks;

/* Writes the buffers of one window and counts the time. */
static inline void rewrite_slots(char *buffer, size_t bytes, size_t slot, int window, long iteration)
{
    uint64_t t0 = now_ticks();
    for (int w = 0; w < window; w++) {
        memset(buffer + slot * (size_t)w, (int)((iteration + w) & 0x7f), bytes);
        __asm__ volatile("" : : "r"(buffer) : "memory");
    }
    rewriting_ticks += now_ticks() - t0;
}

static inline void rewrite(char *buffer, size_t bytes, long iteration)
{
    rewrite_slots(buffer, bytes, 0, 1, iteration);
}

/* Every byte must be what rewrite() put there in this iteration. */
static void expect_data(const char *buffer, size_t bytes, long iteration)
{
    for (size_t i = 0; i < bytes; i++) {
        if (buffer[i] != (char)(iteration & 0x7f)) {
            fprintf(stderr, "point_to_point: byte %zu of %zu arrived as %d in iteration %ld\n", i,
                    bytes, buffer[i], iteration);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}

/* One repetition of a ping-pong: ns of the whole loop without the rewriting, at rank 0. */
static double ping_pong(char *out, char *in, size_t bytes, long iterations, int rewritten,
                        double hidden_ns, int check)
{
    int count = (int)bytes;
    rewriting_ticks = 0;
    meet();
    double t0 = now_ns();
    for (long i = 0; i < iterations; i++) {
        if (rank == 0) {
            if (rewritten)
                rewrite(out, bytes, i);
            MPI_Send(out, count, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, count, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rewritten)
                rewrite(out, bytes, i);
            MPI_Send(out, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
        if (check)
            expect_data(in, bytes, i);
    }
    double whole = now_ns() - t0;
    if (!rewritten)
        return whole;
    double writing = (double)rewriting_ticks * ns_per_tick() + hidden_ns * (double)iterations;
    return whole - summed(writing);
}

/* One repetition of messages both ways at once: ns without rank 0's rewriting, at rank 0. */
static double exchanges(char *out, char *in, size_t bytes, long iterations, int rewritten,
                        double hidden_ns, int check)
{
    int count = (int)bytes, other = 1 - rank;
    rewriting_ticks = 0;
    meet();
    double t0 = now_ns();
    for (long i = 0; i < iterations; i++) {
        MPI_Request requests[2];
        if (rewritten)
            rewrite(out, bytes, i);
        MPI_Irecv(in, count, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, count, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (check)
            expect_data(in, bytes, i);
    }
    double whole = now_ns() - t0;
    if (!rewritten)
        return whole;
    return whole - (double)rewriting_ticks * ns_per_tick() - hidden_ns * (double)iterations;
}

/* Repetitions of one of these; `ways` is how many messages of an iteration follow each other. */
static void latency(const char *name, double (*messages)(char *, char *, size_t, long, int, double, int),
                    int ways, size_t bytes, char *out, char *in, int rewritten, double hidden_ns)
{
    char metric[64];
    snprintf(metric, sizeof metric, "%s%s", name, rewritten ? "_rewritten" : "");
    long iterations = 4;
    /* Warm up, growing the count until a repetition takes about the wanted time. */
    for (int step = 0; step < 4; step++) {
        double took = messages(out, in, bytes, iterations, rewritten, hidden_ns, rewritten);
        iterations = (long)agreed((double)iterations_for(sample_ns, iterations, took, 4, iterations * 32));
    }
    for (int r = 0; r <= repetitions; r++) {
        double took = messages(out, in, bytes, iterations, rewritten, hidden_ns, rewritten && r == 0);
        if (rank == 0 && r > 0)
            sample(metric, bytes, "us", took / (double)iterations / ways / 1e3);
    }
}

/* One repetition of windows from rank 0 to rank 1: ns without the rewriting, at rank 0.
 * `slot` is the distance between the buffers of a window, 0 for one buffer. */
static double windows(char *out, char *in, size_t bytes, size_t slot, int window, long iterations,
                      int rewritten, double hidden_ns, int check)
{
    static MPI_Request requests[WINDOW];
    int count = (int)bytes;
    char token = 0;
    rewriting_ticks = 0;
    meet();
    double t0 = now_ns();
    for (long i = 0; i < iterations; i++) {
        if (rank == 0) {
            if (rewritten)
                rewrite_slots(out, bytes, slot, window, i);
            for (int w = 0; w < window; w++)
                MPI_Isend(out + slot * (size_t)w, count, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[w]);
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            MPI_Recv(&token, 1, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (int w = 0; w < window; w++)
                MPI_Irecv(in + slot * (size_t)w, count, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &requests[w]);
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            if (check)
                for (int w = 0; w < window; w++)
                    expect_data(in + slot * (size_t)w, bytes, i + w);
            MPI_Send(&token, 1, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
        }
    }
    double whole = now_ns() - t0;
    if (!rewritten)
        return whole;
    return whole - (double)rewriting_ticks * ns_per_tick() -
           hidden_ns * (double)iterations;
}

static void stream(const char *name, size_t bytes, char *out, char *in, int rewritten,
                   double hidden_ns)
{
    char metric[64];
    snprintf(metric, sizeof metric, "%s%s", name, rewritten ? "_rewritten" : "");
    int rate = strcmp(name, "message_rate") == 0;
    int window = WINDOW;
    size_t slot = 0;
    if (rewritten) {
        slot = (bytes + 63) & ~(size_t)63;
        size_t fitting = slot ? ARENA_BYTES / slot : WINDOW;
        window = fitting > WINDOW ? WINDOW : (int)fitting;
        if (window < 4)
            window = 4;
    }
    long iterations = 2;
    for (int step = 0; step < 3; step++) {
        double took = windows(out, in, bytes, slot, window, iterations, rewritten, hidden_ns, rewritten);
        iterations = (long)agreed((double)iterations_for(sample_ns, iterations, took, 2, iterations * 32));
    }
    for (int r = 0; r <= repetitions; r++) {
        double took = windows(out, in, bytes, slot, window, iterations, rewritten, hidden_ns,
                              rewritten && r == 0);
        double messages = (double)iterations * window;
        if (rank == 0 && r > 0) {
            if (rate)
                sample(metric, bytes, "M/s", messages / took * 1e3);
            else
                sample(metric, bytes, "MB/s", messages * (double)bytes / took * 1e3);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *test = argc > 1 ? argv[1] : "";
    int is_latency = strcmp(test, "latency") == 0;
    int is_exchange = strcmp(test, "exchange") == 0;
    int is_bandwidth = strcmp(test, "bandwidth") == 0;
    int is_rate = strcmp(test, "message-rate") == 0;
    if (size != 2 || !(is_latency || is_exchange || is_bandwidth || is_rate)) {
        if (rank == 0)
            fprintf(stderr, "usage: mpiexec -n 2 point_to_point latency|exchange|bandwidth|message-rate"
                            " [SIZES|-] [REPETITIONS] [MILLISECONDS]\n");
        MPI_Finalize();
        return 2;
    }
    if (argc > 3)
        repetitions = atoi(argv[3]);
    if (argc > 4)
        sample_ns = atof(argv[4]) * 1e6;
    pin_to(rank);

    size_t sizes[MOST_SIZES];
    const char *list = argc > 2 ? argv[2] : "-";
    if (is_rate && strcmp(list, "-") == 0)
        list = "8,1024";
    int count = sizes_from(list, MEASURE_LARGEST_BYTES, sizes, MOST_SIZES);
    size_t largest = ARENA_BYTES;
    for (int i = 0; i < count; i++)
        if (sizes[i] * 4 > largest)
            largest = sizes[i] * 4;
    char *out = touched(largest), *in = touched(largest);
    double hidden_ns = hidden_ns_of_a_tick_pair();

    for (int i = 0; i < count; i++) {
        for (int rewritten = 0; rewritten < 2; rewritten++) {
            if (rewritten && sizes[i] == 0)
                continue;
            if (is_latency)
                latency("latency", ping_pong, 2, sizes[i], out, in, rewritten, hidden_ns);
            else if (is_exchange)
                latency("exchange", exchanges, 1, sizes[i], out, in, rewritten, hidden_ns);
            else if (sizes[i] > 0)
                stream(is_rate ? "message_rate" : "bandwidth", sizes[i], out, in, rewritten, hidden_ns);
        }
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
