/* Which ranks give how many items to which, and when, by a policy.
 *
 *   divided POLICY CYCLES TIME...
 *
 * Each rank computes for its TIME in milliseconds as long as it has its first share, and for as much less
 * or more as it has items. Rank 0 prints the numbers of items of all ranks, before the first cycle and after
 * each.
 */
#include <pamir.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ITEMS = 240 };

static int size;

/* How many items a rank has; rank -1 is the caller. */
static long long items_of(pamir_partition *partition, int rank)
{
    long long begin, end;
    pamir_partition_range(partition, rank, &begin, &end);
    return end - begin;
}

static void print(pamir_partition *partition)
{
    for (int rank = 0; rank < size; rank++)
        printf("%lld%c", items_of(partition, rank), rank == size - 1 ? '\n' : ' ');
}

static void compute(long long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    int rank;
    pamir_partition *partition;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 + size)
        MPI_Abort(MPI_COMM_WORLD, 2);
    pamir_partition_create(MPI_COMM_WORLD, ITEMS, NULL, 1, argv[1], &partition);
    long long first = items_of(partition, -1);
    if (rank == 0)
        print(partition);
    for (int cycle = 0; cycle < atoi(argv[2]); cycle++) {
        pamir_cycle_begin(partition);
        compute(atoll(argv[3 + rank]) * items_of(partition, -1) / first);
        pamir_cycle_end(partition, NULL);
        if (rank == 0)
            print(partition);
    }
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
