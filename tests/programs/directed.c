/* What the history tells each rank to do next, and who decides that.
 *
 *   directed POLICY
 *
 * Items take time by sleeping, three times as long at the last rank. What a rank is told must be what
 * becomes of its range, and the same at all ranks. Rank 0 prints how often the last rank was told
 * smaller, rank 0 larger, and everybody the same; then in how many cycles each rank decided.
 */
#include <pamir.h>

#include <stdio.h>
#include <time.h>

enum { ITEMS_EACH = 100, CYCLES = 16, ITEM_NS = 100000, KEPT = 8 };

typedef struct told {
    int direction, calls;
    long long begin, end;
} told;

static void check(int ok, const char *what, long long number)
{
    if (!ok) {
        fprintf(stderr, "wrong: %s %lld\n", what, number);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void direct(int direction, long long begin, long long end, void *argument)
{
    told *last = argument;
    last->direction = direction;
    last->begin = begin;
    last->end = end;
    last->calls++;
}

static void compute(long long items, int slow)
{
    long long ns = items * ITEM_NS * (slow ? 3 : 1);
    struct timespec pause = {ns / 1000000000, ns % 1000000000};
    nanosleep(&pause, NULL);
}

/* The entries of the last cycles are the same at all ranks. */
static void check_agreement(pamir_partition *partition, int size)
{
    for (int back = 0; back < KEPT; back++)
        for (int rank = 0; rank < size; rank++) {
            int own = 9, first;
            pamir_partition_directive(partition, rank, back, &own);
            first = own;
            MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
            check(own == first && own >= -1 && own <= 1, "entry of rank", rank);
        }
}

int main(int argc, char **argv)
{
    int rank, size, direction;
    long long begin, end, before, counts[3] = {0, 0, 0}, sums[3], decided[64];
    told last = {9, 0, 0, 0};
    pamir_partition *partition;
    pamir_statistics statistics;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pamir_partition_create(MPI_COMM_WORLD, ITEMS_EACH * size, NULL, 1, argv[1], &partition);
    pamir_partition_direct(partition, direct, &last);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check(pamir_partition_directive(partition, 0, 0, &direction) != MPI_SUCCESS, "no cycle", 0);
    check(pamir_partition_directive(partition, size, 0, &direction) != MPI_SUCCESS, "no rank", 0);
    check(pamir_partition_direct(partition, NULL, NULL) != MPI_SUCCESS, "no function", 0);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pamir_partition_range(partition, -1, &begin, &end);
        before = end - begin;
        pamir_cycle_begin(partition);
        compute(before, rank == size - 1);
        pamir_cycle_end(partition, NULL);
        pamir_partition_range(partition, -1, &begin, &end);
        check(last.calls == cycle + 1, "calls", last.calls);
        check(last.begin == begin && last.end == end, "range from", last.begin);
        check(last.direction == (end - begin > before) - (end - begin < before), "told", last.direction);
        pamir_partition_directive(partition, -1, 0, &direction);
        check(direction == last.direction, "entry", direction);
        counts[0] += rank == size - 1 && direction == -1;
        counts[1] += rank == 0 && direction == 1;
        counts[2] += direction == 0;
    }
    check_agreement(partition, size);
    pamir_partition_statistics(partition, &statistics);
    MPI_Allreduce(counts, sums, 3, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(&statistics.decided, 1, MPI_LONG_LONG, decided, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%lld %lld %lld", sums[0], sums[1], sums[2]);
        for (int other = 0; other < size; other++)
            printf(" %lld", decided[other]);
        printf("\n");
    }
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
