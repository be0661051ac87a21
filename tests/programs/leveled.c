/* Tasks whose data stays: every part is done once in each cycle, and slow ranks get smaller parts.
 *
 *   leveled PERIOD [request | nice | processor]
 *
 * The last rank computes many times as long as the others: ranks that share processors are levelled
 * by the processor time that they take, so sleeping would not count. With PERIOD 0 nothing is
 * levelled unless a rank requests it, or has an occasion: rank 0 gets another priority, or keeps to
 * one processor less than before. Rank 0 prints whether the slow rank has had a smaller share of the
 * work in any cycle: on a machine that is busy with other things one may take a fast rank for a slow
 * one.
 */
#define _GNU_SOURCE
#include <pamir.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ITEMS = 2520, CYCLES = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done[ITEMS], slow;

static long long processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void work(long long part, long long parts, void *argument)
{
    long long begin = ITEMS * part / parts, end = ITEMS * (part + 1) / parts;
    long long until = processor_ns() + (end - begin) * (slow ? 150000 : 2000);
    while (processor_ns() < until)
        ;
    pthread_mutex_lock(&lock);
    for (long long i = begin; i < end; i++)
        done[i] += *(int *)argument;
    pthread_mutex_unlock(&lock);
}

/* Rank 0 may run on one processor less, if it has another one. */
static void leave_a_processor(void)
{
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int unit = 0; unit < CPU_SETSIZE && CPU_COUNT(&allowed) > 1; unit++)
        if (CPU_ISSET(unit, &allowed)) {
            CPU_CLR(unit, &allowed);
            break;
        }
    if (sched_setaffinity(0, sizeof allowed, &allowed) != 0)
        perror("sched_setaffinity");
}

static void cause(const char *occasion, pamir_tasks *tasks)
{
    if (strcmp(occasion, "request") == 0)
        pamir_tasks_request(tasks);
    else if (strcmp(occasion, "nice") == 0)
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
    else if (strcmp(occasion, "processor") == 0)
        leave_a_processor();
}

/* Whether the last rank has fewer parts than an equal share. */
static int is_smaller(pamir_tasks *tasks, int size)
{
    long long own = 0, parts = 0;
    for (int rank = 0; rank < size; rank++) {
        pamir_tasks_queue(tasks, rank, &own);
        parts += own;
    }
    return own * size < parts;
}

int main(int argc, char **argv)
{
    int rank, size, one = 1, changed, smaller = 0, all[ITEMS];
    pamir_tasks *tasks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    slow = rank == size - 1;
    pamir_tasks_create(MPI_COMM_WORLD, NULL, atoi(argv[1]), &tasks);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        if (argc > 2 && rank == 0 && cycle >= 2)
            cause(argv[2], tasks);
        pamir_tasks_run(tasks, work, &one, &changed);
        smaller |= is_smaller(tasks, size);
    }
    MPI_Allreduce(done, all, ITEMS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < ITEMS; i++)
        if (all[i] != CYCLES) {
            fprintf(stderr, "item %d was done %d times in %d cycles\n", i, all[i], CYCLES);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    if (rank == 0)
        printf("leveled %d %s\n", size, smaller ? "smaller" : "equal");
    pamir_tasks_free(&tasks);
    MPI_Finalize();
    return tasks != NULL;
}
