/* Set-up operations change resources: the rank that is always first has larger windows and the whole
 * cache, the one that is always last has smaller windows and fewer ways.
 *
 *   resources POLICY
 *
 * Rank 0 is first in every cycle, the last rank last; nothing moves. Each prints its windows and
 * cache after the cycles, then rank 0 its windows after the partition has ended.
 */
#include <pamir.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CYCLES = 6 };

static void compute(pamir_partition *partition, int rank)
{
    struct timespec pause = {0, 2000000};
    for (int step = 0; step < 1 + 9 * rank; step++) {
        nanosleep(&pause, NULL);
        pamir_cycle_test(partition, &(int){0});
    }
}

static void print(const char *who, const pamir_statistics *statistics)
{
    printf("%s: %lld slots, cache %lld/%lld: %s\n", who, statistics->window_slots,
           statistics->cache_ways, statistics->cache_all_ways, statistics->cache);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, size;
    pamir_partition *partition;
    pamir_statistics statistics, last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pamir_partition_create(MPI_COMM_WORLD, 100, NULL, 1, argv[1], &partition);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pamir_cycle_begin(partition);
        compute(partition, rank);
        pamir_cycle_end(partition, NULL);
    }
    pamir_partition_statistics(partition, &statistics);
    if (rank == size - 1)
        MPI_Send(&statistics, sizeof statistics, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&last, sizeof last, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        print("first", &statistics);
        print("last", &last);
    }
    pamir_partition_free(&partition);
    pamir_partition_create(MPI_COMM_WORLD, 100, NULL, 1, "static set-up=none", &partition);
    pamir_partition_statistics(partition, &statistics);
    if (rank == 0)
        print("after", &statistics);
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
