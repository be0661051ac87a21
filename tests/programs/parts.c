/* Into how many parts work is split, and who does how many of them, by a law.
 *
 *   parts LAW CYCLES TIME...
 *
 * Each rank takes its TIME in milliseconds for one of as many parts as there are ranks, and as much less for
 * smaller parts; FIRST/LATER has another time from the second cycle on. Rank 0 prints how many parts each rank does,
 * before the first cycle and after each, and how many of them it did at once. It is processor time, which counts also
 * where ranks share processors.
 */
#include <pamir.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int size, running, most;

static void enter(int one)
{
    pthread_mutex_lock(&lock);
    running += one;
    if (running > most)
        most = running;
    pthread_mutex_unlock(&lock);
}

static long long processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void work(long long part, long long parts, void *milliseconds)
{
    long long until = processor_ns() + *(long long *)milliseconds * 1000000 * size / parts;
    (void)part;
    enter(1);
    while (processor_ns() < until)
        ;
    enter(-1);
}

static void print(pamir_tasks *tasks)
{
    for (int rank = 0; rank < size; rank++) {
        long long parts;
        pamir_tasks_queue(tasks, rank, &parts);
        printf("%lld%c", parts, rank == size - 1 ? '\n' : ' ');
    }
}

int main(int argc, char **argv)
{
    int rank;
    pamir_tasks *tasks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 + size)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const char *later = strchr(argv[3 + rank], '/');
    long long milliseconds = atoll(argv[3 + rank]);
    pamir_tasks_create(MPI_COMM_WORLD, argv[1], 1, &tasks);
    if (rank == 0)
        print(tasks);
    for (int cycle = 0; cycle < atoi(argv[2]); cycle++) {
        pamir_tasks_run(tasks, work, &milliseconds, NULL);
        if (rank == 0)
            print(tasks);
        if (later != NULL)
            milliseconds = atoll(later + 1);
    }
    if (rank == 0)
        printf("%d at once\n", most);
    pamir_tasks_free(&tasks);
    MPI_Finalize();
    return 0;
}
