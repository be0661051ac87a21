/* A partition of ranks that share processors: who sleeps for its items is slow, who waits for a
 * processor is not.
 *
 *   sharing sleep|compute|even [POLICY]
 *
 *   sleep    items take time by sleeping, those of rank 0 three times as long
 *   compute  items take time of the processor, those of rank 0 three times as long
 *   even     items take time of the processor, everywhere the same
 *
 * Rank 0 prints the clock, and for the first, the least and the most items that a rank has in the
 * end: their share of an equal portion in parts in 100.
 */
#include <pamir.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 300, CYCLES = 12, ITEM_NS = 40000 };

static long long now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void compute(const char *how, int rank, long long items)
{
    long long ns = items * ITEM_NS * (rank == 0 && strcmp(how, "even") != 0 ? 3 : 1);
    if (strcmp(how, "sleep") == 0) {
        struct timespec pause = {ns / 1000000000, ns % 1000000000};
        nanosleep(&pause, NULL);
        return;
    }
    long long end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
        ;
}

int main(int argc, char **argv)
{
    int rank, size;
    long long begin, end, least = ITEMS, most = 0;
    pamir_partition *partition;
    pamir_statistics statistics;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long long items = (long long)ITEMS * size;
    pamir_partition_create(MPI_COMM_WORLD, items, NULL, 1, argc > 2 ? argv[2] : NULL, &partition);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pamir_partition_range(partition, -1, &begin, &end);
        pamir_cycle_begin(partition);
        compute(argv[1], rank, end - begin);
        pamir_cycle_end(partition, NULL);
    }
    pamir_partition_statistics(partition, &statistics);
    for (int other = size - 1; other >= 0; other--) {
        pamir_partition_range(partition, other, &begin, &end);
        least = end - begin < least ? end - begin : least;
        most = end - begin > most ? end - begin : most;
    }
    if (rank == 0)
        printf("%s %lld %lld %lld\n", statistics.clock, (end - begin) * 100 / ITEMS,
               least * 100 / ITEMS, most * 100 / ITEMS);
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
