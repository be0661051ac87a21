/* Housekeeping while a rank waits: functions run at the rank that waits for long, in its calls, and
 * not any more when they are removed.
 *
 *   housekeeping cycle | tasks | sync | barrier
 *
 * The last rank takes long in each cycle. Rank 0 prints the form, and whether it kept house more
 * often than the last rank.
 */
#include <pamir.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CYCLES = 12, SLICES = 4 };

static int waits, rank, size;
static long long calls, in_wait, least_budget = 1, garbage_left;
static void *garbage[SLICES];

static void check(int ok, const char *what, long long number)
{
    if (!ok) {
        fprintf(stderr, "wrong at rank %d: %s %lld\n", rank, what, number);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* Frees a piece at a time. */
static int collect(long long budget_ns, void *argument)
{
    long long *left = argument;
    calls++;
    in_wait += waits;
    if (budget_ns < least_budget)
        least_budget = budget_ns;
    if (*left == 0)
        return 0;
    free(garbage[--*left]);
    return *left > 0;
}

static void compute(void)
{
    struct timespec pause = {0, rank == size - 1 ? 30000000 : 100000};
    nanosleep(&pause, NULL);
    for (; garbage_left < SLICES; garbage_left++)
        garbage[garbage_left] = malloc(1000);
}

static void work(long long part, long long parts, void *argument)
{
    (void)part, (void)parts, (void)argument;
    waits = 0;
    compute();
    waits = 1;
}

static void cycle(const char *how, pamir_partition *partition, pamir_tasks *tasks)
{
    if (strcmp(how, "tasks") == 0) {
        pamir_tasks_run(tasks, work, NULL, NULL);
        waits = 0;
        return;
    }
    compute();
    waits = 1;
    if (strcmp(how, "cycle") == 0)
        pamir_cycle_end(partition, NULL);
    else if (strcmp(how, "sync") == 0)
        pamir_balance_sync(MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    waits = 0;
}

int main(int argc, char **argv)
{
    long long number, before, all[2], own[2];
    pamir_partition *partition;
    pamir_tasks *tasks;
    pamir_statistics statistics;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    pamir_partition_create(MPI_COMM_WORLD, 10, NULL, 1, "static clock=monotonic", &partition);
    /* A law by which nothing is ever split. */
    pamir_tasks_create(MPI_COMM_WORLD, "linear:0", 1, &tasks);
    pamir_housekeeping_add(collect, &garbage_left, &number);
    pamir_housekeeping_add(pamir_housekeeping_trim, NULL, NULL);
    for (int i = 0; i < CYCLES; i++)
        cycle(argv[1], partition, tasks);
    pamir_partition_statistics(partition, &statistics);
    check((statistics.housekeeping_ns > 0) == (calls > 0), "time", statistics.housekeeping_ns);
    check(in_wait == calls && least_budget > 0, "calls outside of waits", calls - in_wait);
    check(pamir_housekeeping_remove(number) == MPI_SUCCESS, "remove", number);
    check(pamir_housekeeping_remove(number) != MPI_SUCCESS, "removed twice", number);
    check(pamir_housekeeping_add(NULL, NULL, NULL) != MPI_SUCCESS, "no function", 0);
    before = calls;
    for (int i = 0; i < 4; i++)
        cycle(argv[1], partition, tasks);
    check(calls == before, "called although removed", calls - before);
    own[0] = rank == 0 ? calls : 0;
    own[1] = rank == size - 1 ? calls : 0;
    MPI_Allreduce(own, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %s\n", argv[1], all[0] > all[1] ? "kept" : "not kept");
    pamir_tasks_free(&tasks);
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
