/* What the machine allows where starting and waiting count: the limits for oversubscribed.c, startup.c and
 * memory.c. See limits.c for those of two pinned processes.
 *
 *     limits_of_processes oversubscribed PROCESSES [REPETITIONS]
 *     limits_of_processes startup PROCESSES
 *     limits_of_processes blocked | footprint
 *
 *   oversubscribed    `barrier` (a counter and a generation, waiting by sched_yield); `allreduce` and
 *              `alltoall` of 8 bytes (a slot for each value, in turn one of two sets, and one
 *              barrier); `ping_pong` of the pairs (r, r + N/2), yielding, the slowest.
 *   startup    processes are started (the program executes itself, as a launcher does), meet twice
 *              in a mapped segment and end; prints nothing, the runner times it.
 *   blocked    `blocked_processor_time` of a process that waits a second for a pipe.
 *   footprint  the memory of this program itself, in memory.c's metrics.
 */
#include "footprint.h"
#include "shared_lines.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>

static int repetitions = 15;

static double oversubscribed_barriers(long iterations)
{
    meet(1);
    double t0 = now_ns();
    for (long i = 0; i < iterations; i++)
        meet(1);
    return (now_ns() - t0) / (double)iterations;
}

/* Every process gives `values` numbers (1, or one for each process) and adds up those for it. The
 * two sets take turns: who is a barrier ahead writes the other one. */
static double oversubscribed_exchanges(long iterations, int values)
{
    volatile double sum = 0;
    meet(1);
    double t0 = now_ns();
    for (long i = 0; i < iterations; i++) {
        double(*set)[MOST_PROCESSES] = shared->contributions[i & 1];
        for (int v = 0; v < values; v++)
            set[self][v] = (double)(self + i);
        meet(1);
        double total = 0;
        for (int r = 0; r < process_count; r++)
            total += set[r][values == 1 ? 0 : self];
        sum = total;
    }
    (void)sum;
    return (now_ns() - t0) / (double)iterations;
}

static double oversubscribed_ping_pongs(long iterations)
{
    int half = process_count / 2;
    int first = self < half;
    struct flag *mine = &shared->pairs[self], *theirs = &shared->pairs[(self + half) % process_count];
    atomic_store(&mine->sequence, 0);
    meet(1);
    double t0 = now_ns();
    for (uint64_t i = 1; i <= (uint64_t)iterations; i++) {
        if (first)
            atomic_store_explicit(&mine->sequence, i, memory_order_release);
        while (atomic_load_explicit(&theirs->sequence, memory_order_acquire) < i)
            sched_yield();
        if (!first)
            atomic_store_explicit(&mine->sequence, i, memory_order_release);
    }
    shared->result[self] = (now_ns() - t0) / (double)iterations / 2;
    meet(1);
    double slowest = 0;
    for (int i = 0; i < process_count; i++)
        if (shared->result[i] > slowest)
            slowest = shared->result[i];
    meet(1);
    return slowest;
}

static void crowd(void)
{
    for (int r = -1; r < repetitions; r++) {
        double barrier = oversubscribed_barriers(2000);
        double allreduce = oversubscribed_exchanges(2000, 1);
        double alltoall = oversubscribed_exchanges(2000, process_count);
        double one_way = oversubscribed_ping_pongs(2000);
        if (self == 0 && r >= 0) {
            sample("barrier", 0, "us", barrier / 1e3);
            sample("allreduce", 8, "us", allreduce / 1e3);
            sample("alltoall", 8, "us", alltoall / 1e3);
            sample("ping_pong", 8, "us", one_way / 1e3);
        }
    }
}

static int blocked(void)
{
    int ends[2];
    struct rusage usage;
    if (pipe(ends) != 0) {
        perror("limits: pipe");
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        char token;
        _exit(read(ends[0], &token, 1) == 1 ? 0 : 1);
    }
    usleep(1000000);
    if (write(ends[1], "", 1) != 1 || wait_for_all(&child, 1) != 0)
        return 1;
    getrusage(RUSAGE_CHILDREN, &usage);
    sample("blocked_processor_time", 1, "ms",
           (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3);
    return 0;
}

static int start_and_meet(const char *program, int count)
{
    pid_t children[MOST_PROCESSES];
    int segment = memfd_create("limits", 0);
    if (segment < 0 || ftruncate(segment, sizeof(struct shared)) != 0) {
        perror("limits: memfd_create");
        return 1;
    }
    char number[16], total[16];
    snprintf(number, sizeof number, "%d", segment);
    snprintf(total, sizeof total, "%d", count);
    for (int i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            execl("/proc/self/exe", program, "member", number, total, (char *)NULL);
            _exit(127);
        }
    }
    return wait_for_all(children, count);
}

static int member(int segment, int count)
{
    shared = mapped(sizeof *shared, segment);
    process_count = count;
    meet(1);
    meet(1);
    return 0;
}

static int print_footprint(void)
{
    sample("private_after_init", 0, "MiB", private_mib());
    sample("private_after_traffic", 0, "MiB", private_mib());
    sample("proportional", 0, "MiB", proportional_mib());
    sample("peak_resident", 0, "MiB", peak_resident_mib());
    return 0;
}

static int run_crowd(void)
{
    pid_t children[MOST_PROCESSES];
    shared = mapped(sizeof *shared, -1);
    for (int i = 1; i < process_count; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            self = i;
            break;
        }
    }
    crowd();
    return self == 0 ? wait_for_all(children + 1, process_count - 1) : 0;
}

int main(int argc, char **argv)
{
    const char *test = argc > 1 ? argv[1] : "";
    if (strcmp(test, "member") == 0 && argc > 3)
        return member(atoi(argv[2]), atoi(argv[3]));
    if (strcmp(test, "footprint") == 0)
        return print_footprint();
    if (strcmp(test, "blocked") == 0)
        return blocked();
    process_count = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 3)
        repetitions = atoi(argv[3]);
    int in_range = process_count >= 1 && process_count <= MOST_PROCESSES;
    if (strcmp(test, "startup") == 0 && in_range)
        return start_and_meet(argv[0], process_count);
    if (strcmp(test, "oversubscribed") == 0 && in_range && process_count % 2 == 0)
        return run_crowd();
    fprintf(stderr, "usage: limits_of_processes oversubscribed PROCESSES [REPETITIONS]\n"
                    "       limits_of_processes startup PROCESSES\n"
                    "       limits_of_processes blocked|footprint\n"
                    "PROCESSES is 1 to %d, and even for oversubscribed\n", MOST_PROCESSES);
    return 2;
}
