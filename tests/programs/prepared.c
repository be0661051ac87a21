/* Set-up operations of a program that take long: who waits for them.
 *
 *   prepared last | first | turns
 *
 *   last   the last rank is always late, and prepares for a smaller portion for 100 ms
 *   first  rank 0 is always early, and prepares for a larger one for 100 ms, of 300 that it waits
 *   turns  the ranks are late by turns, and each prepares for a smaller portion for 100 ms
 *
 * Nothing moves. Rank 0 prints by how many ms at most the early rank left pamir_cycle_end later than
 * the late one called it, how often the ranks prepared, and which part in 100 of that time was
 * hidden.
 */
#include <pamir.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CYCLES = 6, PREPARE_MS = 100, EARLY_MS = 5, LATE_MS = 300 };

static int prepared_for;

static void pause_ms(int ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void prepare(int larger, void *argument)
{
    int *counts = argument;
    if (larger != prepared_for)
        return;
    counts[larger]++;
    pause_ms(PREPARE_MS);
}

static int late_in(int cycle, const char *how, int size)
{
    return strcmp(how, "turns") == 0 ? cycle % size : size - 1;
}

int main(int argc, char **argv)
{
    int rank, size, counts[2] = {0, 0};
    double delay = 0, called, left, last;
    pamir_partition *partition;
    pamir_statistics statistics;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    prepared_for = strcmp(argv[1], "first") == 0;
    pamir_partition_create(MPI_COMM_WORLD, 100, NULL, 1, "static clock=monotonic", &partition);
    pamir_partition_prepare(partition, prepare, counts);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pamir_cycle_begin(partition);
        pause_ms(rank == late_in(cycle, argv[1], size) ? LATE_MS : EARLY_MS);
        called = now_ms();
        pamir_cycle_end(partition, NULL);
        left = now_ms();
        MPI_Allreduce(&called, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (rank != late_in(cycle, argv[1], size) && left - last > delay)
            delay = left - last;
    }
    pamir_partition_statistics(partition, &statistics);
    long long own[3] = {counts[0] + counts[1], statistics.set_up_ns, statistics.hidden_ns}, all[3];
    MPI_Allreduce(own, all, 3, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &delay, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.0f %lld %lld\n", delay, all[0], all[2] * 100 / all[1]);
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
