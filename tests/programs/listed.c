/* Tasks of different programs: each is done once in a cycle, several at once, and a slow rank gets few.
 *
 *   listed
 *
 * Six tasks, of two functions, take time by sleeping, by their weight; at the last rank five times as
 * long. Rank 0 prints the weight that the last rank has done, of 208 in all cycles, and the most tasks
 * that ran at once on any rank.
 */
#include <pamir.h>

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { TASKS = 6, CYCLES = 16, UNIT_NS = 3000000 };

typedef struct job {
    long long weight, done, kind;
} job;

static int slow;
static atomic_int running, most;

static void check(int ok, const char *what, long long number)
{
    if (!ok) {
        fprintf(stderr, "wrong: %s %lld\n", what, number);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void run(job *own, int kind)
{
    int now = atomic_fetch_add(&running, 1) + 1, before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        ;
    long long ns = own->weight * UNIT_NS * (slow ? 5 : 1);
    struct timespec pause = {ns / 1000000000, ns % 1000000000};
    nanosleep(&pause, NULL);
    own->done++;
    own->kind = kind;
    atomic_fetch_sub(&running, 1);
}

static void render(void *argument) { run(argument, 1); }
static void sort(void *argument) { run(argument, 2); }

int main(int argc, char **argv)
{
    static const int weights[TASKS] = {4, 3, 2, 2, 1, 1};
    job jobs[TASKS];
    pamir_task list[TASKS];
    pamir_tasks *tasks;
    int rank, size, owner, last = 0, peak;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    slow = rank == size - 1;
    for (int i = 0; i < TASKS; i++) {
        jobs[i] = (job){weights[i], 0, 0};
        list[i] = (pamir_task){i % 2 == 0 ? render : sort, &jobs[i], weights[i]};
    }
    pamir_tasks_create(MPI_COMM_WORLD, NULL, 1, &tasks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check(pamir_tasks_owner(tasks, 0, &owner) != MPI_SUCCESS, "no list yet", 0);
    check(pamir_tasks_run_list(tasks, list, -1, NULL) != MPI_SUCCESS, "negative", 0);
    check(pamir_tasks_run_list(tasks, NULL, 2, NULL) != MPI_SUCCESS, "nowhere", 0);
    list[1].weight = 0;
    check(pamir_tasks_run_list(tasks, list, TASKS, NULL) != MPI_SUCCESS, "weight", 0);
    list[1].weight = weights[1];
    for (int cycle = 0; cycle < CYCLES; cycle++)
        check(pamir_tasks_run_list(tasks, list, TASKS, NULL) == MPI_SUCCESS, "cycle", cycle);
    for (int i = 0; i < TASKS; i++) {
        long long own[2] = {jobs[i].done, jobs[i].done * jobs[i].kind}, all[2];
        MPI_Allreduce(own, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        check(all[0] == CYCLES, "done", all[0]);
        check(all[1] == CYCLES * (i % 2 == 0 ? 1 : 2), "function", all[1]);
        pamir_tasks_owner(tasks, i, &owner);
        check(owner >= 0 && owner < size, "owner", owner);
        last += slow ? jobs[i].done * weights[i] : 0;
    }
    peak = atomic_load(&most);
    MPI_Bcast(&last, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    check(pamir_tasks_run_list(tasks, NULL, 0, NULL) == MPI_SUCCESS, "nothing to do", 0);
    if (rank == 0)
        printf("%d %d\n", last, peak);
    pamir_tasks_free(&tasks);
    MPI_Finalize();
    return 0;
}
