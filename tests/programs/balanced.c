/* A balanced job: items of unequal ranks, data that moves with them, and nothing that is lost.
 *
 * Every item has a value that its owner raises by one in each cycle; however the ranges move, the
 * values must be those of a job that moves nothing. The last rank takes many times as long for
 * an item as the others.
 *
 *   balanced POLICY [given] [weights] [weigh] [block] [halves] [kill]
 *
 *   given    the array is the program's memory        weights  items weigh 1, 2, 3, 1, 2, 3, ...
 *   weigh    what items weigh changes in each cycle
 *   block    ranges end at multiples of 8             halves   a partition in each half of the ranks
 *   kill     the last rank dies in the middle of it
 *
 * Rank 0 prints the ranks, and whether the slow rank has less than its equal share ("moved") or
 * not ("stayed").
 */
#include <pamir.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 240, CYCLES = 12, VALUES = 700 };

typedef struct item {
    long long value[VALUES];
} item;

static long long prepared[2];

static void prepare(int larger, void *argument)
{
    long long *counts = argument;
    counts[larger]++;
}

static void fail(const char *what, long long number)
{
    fprintf(stderr, "wrong: %s %lld\n", what, number);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void check(int ok, const char *what, long long number)
{
    if (!ok)
        fail(what, number);
}

static int has(int argc, char **argv, const char *word)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return 1;
    return 0;
}

/* The ranges of all ranks follow each other and are the whole. */
static void check_ranges(pamir_partition *partition, int size, int block)
{
    long long begin, end, covered = 0;
    for (int rank = 0; rank < size; rank++) {
        pamir_partition_range(partition, rank, &begin, &end);
        check(begin == covered && end >= begin, "begin", begin);
        check(end % block == 0 || end == ITEMS, "end", end);
        covered = end;
    }
    check(covered == ITEMS, "union", covered);
}

/* All ranks have the same ranges. */
static void check_agreement(pamir_partition *partition, MPI_Comm comm, int size)
{
    for (int rank = 0; rank < size; rank++) {
        long long range[2], first[2];
        pamir_partition_range(partition, rank, &range[0], &range[1]);
        memcpy(first, range, sizeof range);
        MPI_Bcast(first, 2, MPI_LONG_LONG, 0, comm);
        check(memcmp(first, range, sizeof range) == 0, "another range of rank", rank);
    }
}

static void compute(pamir_partition *partition, item *items, int slow)
{
    struct timespec pause = {0, slow ? 1000000 : 50000};
    long long begin, end;
    int slowest;
    pamir_partition_range(partition, -1, &begin, &end);
    for (long long i = begin; i < end; i++) {
        for (int v = 0; v < VALUES; v++)
            items[i].value[v]++;
        nanosleep(&pause, NULL);
        pamir_cycle_test(partition, &slowest);
    }
}

int main(int argc, char **argv)
{
    int world, rank, size, halves = has(argc, argv, "halves"), block = 1;
    long long begin, end, weights[ITEMS], lost;
    item *given = NULL, *items;
    MPI_Comm comm;
    pamir_partition *partition;
    pamir_statistics statistics;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_split(MPI_COMM_WORLD, halves ? world % 2 : 0, world, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < ITEMS; i++)
        weights[i] = i % 3 + 1;
    if (has(argc, argv, "given"))
        given = calloc(ITEMS, sizeof *given);
    if (has(argc, argv, "block"))
        block = 8;

    pamir_partition_create(comm, ITEMS, has(argc, argv, "weights") ? weights : NULL, block,
                           argv[1], &partition);
    pamir_partition_array(partition, sizeof *items, 1, given, (void **)&items);
    pamir_partition_prepare(partition, prepare, prepared);
    check_ranges(partition, size, block);
    pamir_partition_range(partition, -1, &begin, &end);
    long long equal = end - begin;
    for (long long i = begin; i < end; i++)
        for (int v = 0; v < VALUES; v++)
            items[i].value[v] = 1000 * i + v;

    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pamir_cycle_begin(partition);
        if (cycle == 5 && rank == size - 1 && has(argc, argv, "kill"))
            raise(SIGKILL);
        compute(partition, items, rank == size - 1);
        pamir_cycle_end(partition, NULL);
        check_ranges(partition, size, block);
        if (has(argc, argv, "weigh")) {
            pamir_partition_range(partition, -1, &begin, &end);
            for (long long i = begin; i < end; i++)
                weights[i - begin] = 1 + (i + 50 * cycle) % ITEMS / 60;
            pamir_partition_weigh(partition, weights, NULL);
            check_ranges(partition, size, block);
        }
    }
    check_agreement(partition, comm, size);
    pamir_partition_range(partition, -1, &begin, &end);
    for (long long i = begin; i < end; i++)
        for (int v = 0; v < VALUES; v++)
            check(items[i].value[v] == 1000 * i + v + CYCLES, "value of item", i);

    pamir_partition_statistics(partition, &statistics);
    check(statistics.cycles == CYCLES, "cycles", statistics.cycles);
    check(statistics.hidden_ns <= statistics.set_up_ns, "hidden", statistics.hidden_ns);
    check(prepared[1] == statistics.prepared_larger, "larger", prepared[1]);
    check(prepared[0] == statistics.prepared_smaller, "smaller", prepared[0]);
    long long sums[3] = {prepared[0] + prepared[1], statistics.fetched_bytes, 0};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_LONG_LONG, MPI_SUM, comm);
    check(size == 1 || sums[0] >= CYCLES, "set-up operations", sums[0]);
    check((sums[1] > 0) == (statistics.moves > 0) || has(argc, argv, "weigh"), "fetched", sums[1]);
    lost = end - begin;
    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_LONG_LONG, MPI_SUM, comm);
    check(lost == ITEMS, "items in all", lost);
    long long slow = end - begin < equal;
    MPI_Bcast(&slow, 1, MPI_LONG_LONG, size - 1, comm);
    pamir_partition_free(&partition);
    check(partition == NULL, "freed", 0);
    free(given);
    if (world == 0)
        printf("balanced %d %s\n", size, slow ? "moved" : "stayed");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
