/* Who gets items of a slow rank, and how costs that wander are met.
 *
 *   receivers POLICY [wanders]
 *
 * Items take time by sleeping, three times as long at the last rank. After one cycle rank 0 prints
 * how many ranks have more than their equal portion. With `wanders` the slow rank is the next one in
 * each cycle; rank 0 prints the ms that all ranks have waited in the last of them.
 */
#include <pamir.h>

#include <stdio.h>
#include <time.h>

enum { ITEMS_EACH = 100, CYCLES = 32, LAST = 12, ITEM_NS = 150000 };

static void compute(long long items, int slow)
{
    long long ns = items * ITEM_NS * (slow ? 3 : 1);
    struct timespec pause = {ns / 1000000000, ns % 1000000000};
    nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    int rank, size, cycles = argc > 2 ? CYCLES : 1;
    long long begin, end, receivers = 0, wait = 0;
    pamir_partition *partition;
    pamir_statistics statistics;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pamir_partition_create(MPI_COMM_WORLD, ITEMS_EACH * size, NULL, 1, argv[1], &partition);
    for (int cycle = 0; cycle < cycles; cycle++) {
        int slow = cycles == 1 ? size - 1 : cycle % size;
        pamir_partition_range(partition, -1, &begin, &end);
        pamir_cycle_begin(partition);
        compute(end - begin, rank == slow);
        pamir_cycle_end(partition, NULL);
        pamir_partition_statistics(partition, &statistics);
        if (cycle == LAST)
            wait = statistics.wait_ns;
    }
    wait = statistics.wait_ns - wait;
    MPI_Allreduce(MPI_IN_PLACE, &wait, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++) {
        pamir_partition_range(partition, other, &begin, &end);
        receivers += end - begin > ITEMS_EACH;
    }
    if (rank == 0)
        printf("%lld\n", cycles == 1 ? receivers : wait / 1000000);
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
