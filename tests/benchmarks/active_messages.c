/* PAMI_Send_immediate beside MPI_Send, in one process: latency and message rate of tasks 0 and 1.
 *
 *     active_messages [SIZES] [REPETITIONS] [MILLISECONDS]
 *
 *   pami_latency    half of a ping-pong's round trip; the dispatch function answers   [us]
 *   mpi_latency     the same with MPI_Send and MPI_Recv                               [us]
 *   pami_rate       messages from task 0 to 1, 64 and an acknowledgement      [million/s]
 *   mpi_rate        the same with MPI_Isend and MPI_Irecv                     [million/s]
 *
 * SIZES is a comma list, of at most 4096 bytes each. The two libraries take turns within every
 * repetition, so that what disturbs one disturbs the other.
 */
#include "measure.h"

#include <mpi.h>
#include <pami.h>

enum { PLAY = 1, COUNTED = 2, STOP = 3, WINDOW = 64, LONGEST = 4096 };

static pami_client_t client;
static pami_context_t context;
static int rank;
static long left;      /* of a ping-pong, at rank 0 */
static long windows;   /* acknowledged */
static long in_window; /* come */
static int playing;
static char buffer[LONGEST], inbox[WINDOW][LONGEST];
static pami_send_immediate_t ball, acknowledgement;

static void play(pami_context_t where, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)cookie, (void)header, (void)header_bytes, (void)origin, (void)recv;
    memcpy(inbox[0], data, bytes);
    if (rank != 0 || --left > 0)
        PAMI_Send_immediate(where, &ball);
}

static void counted(pami_context_t where, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)cookie, (void)header, (void)header_bytes, (void)origin, (void)recv;
    if (rank == 0) {
        ++windows;
        return;
    }
    memcpy(inbox[in_window], data, bytes);
    if (++in_window == WINDOW) {
        in_window = 0;
        PAMI_Send_immediate(where, &acknowledgement);
    }
}

static void stop(pami_context_t where, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)where, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin, (void)recv;
    playing = 0;
}

/* Rank 1 answers until it is told to stop. */
static void answer(void)
{
    playing = 1;
    while (playing)
        PAMI_Context_advance(context, 100);
}

static void release(void)
{
    pami_send_immediate_t message = {.dispatch = STOP, .dest = ball.dest};
    PAMI_Send_immediate(context, &message);
}

static double pami_latency(size_t bytes, long iterations)
{
    ball.dispatch = PLAY;
    ball.data = (struct iovec){buffer, bytes};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        answer();
        return 0;
    }
    left = iterations;
    double begin = now_ns();
    PAMI_Send_immediate(context, &ball);
    while (left > 0)
        PAMI_Context_advance(context, 100);
    double took = now_ns() - begin;
    release();
    return took / (double)iterations / 2 / 1e3;
}

static double mpi_latency(size_t bytes, long iterations)
{
    int count = (int)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_ns();
    for (long i = 0; i < iterations; i++) {
        if (rank == 0)
            MPI_Send(buffer, count, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(inbox[0], count, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(buffer, count, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    return (now_ns() - begin) / (double)iterations / 2 / 1e3;
}

static double pami_rate(size_t bytes, long iterations)
{
    ball.dispatch = COUNTED;
    ball.data = (struct iovec){buffer, bytes};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        answer();
        return 0;
    }
    double begin = now_ns();
    windows = 0;
    for (long i = 0; i < iterations; i++) {
        for (int number = 0; number < WINDOW; number++)
            PAMI_Send_immediate(context, &ball);
        while (windows <= i)
            PAMI_Context_advance(context, 100);
    }
    double took = now_ns() - begin;
    release();
    return (double)iterations * WINDOW * 1e3 / took;
}

static double mpi_rate(size_t bytes, long iterations)
{
    MPI_Request requests[WINDOW];
    int count = (int)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_ns();
    for (long i = 0; i < iterations; i++) {
        for (int number = 0; number < WINDOW; number++)
            if (rank == 0)
                MPI_Isend(buffer, count, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[number]);
            else
                MPI_Irecv(inbox[number], count, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &requests[number]);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(inbox[0], 0, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(buffer, 0, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    }
    return (double)iterations * WINDOW * 1e3 / (now_ns() - begin);
}

static void set(size_t dispatch, pami_dispatch_p2p_function function)
{
    pami_dispatch_callback_function callback = {.p2p = function};
    pami_dispatch_hint_t hints = {.recv_immediate = PAMI_HINT_ENABLE};
    PAMI_Dispatch_set(context, dispatch, callback, NULL, hints);
}

int main(int count, char **arguments)
{
    setenv("PAMIR_IMMEDIATE_BYTES", "4096", 0);
    const char *sizes = count > 1 && strcmp(arguments[1], "-") != 0 ? arguments[1] : "0,8,64,1024";
    int repetitions = count > 2 ? atoi(arguments[2]) : 9;
    double milliseconds = count > 3 ? atof(arguments[3]) : 2;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pin_to(rank);
    if (PAMI_Client_create("active messages", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS)
        return 1;
    set(PLAY, play);
    set(COUNTED, counted);
    set(STOP, stop);
    PAMI_Endpoint_create(client, (pami_task_t)(1 - rank), 0, &ball.dest);
    acknowledgement = ball;
    acknowledgement.dispatch = COUNTED;
    static const struct {
        const char *name, *unit;
        double (*run)(size_t, long);
        double each_ns; /* about what an iteration takes */
    } tests[] = {{"pami_latency", "us", pami_latency, 500},
                 {"mpi_latency", "us", mpi_latency, 500},
                 {"pami_rate", "million/s", pami_rate, 5000},
                 {"mpi_rate", "million/s", mpi_rate, 5000}};
    for (const char *at = sizes; *at; at += *at == ',') {
        size_t bytes = strtoul(at, (char **)&at, 10);
        if (bytes > LONGEST || (*at && *at != ','))
            return 2;
        for (int repetition = -1; repetition < repetitions; repetition++)
            for (size_t test = 0; test < sizeof tests / sizeof *tests; test++) {
                long iterations = (long)(milliseconds * 1e6 / tests[test].each_ns) + 1;
                double value = tests[test].run(bytes, iterations);
                if (rank == 0 && repetition >= 0)
                    sample(tests[test].name, bytes, tests[test].unit, value);
            }
    }
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    MPI_Finalize();
    return 0;
}
