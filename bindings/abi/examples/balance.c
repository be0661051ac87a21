/*
 * The area of the Mandelbrot set, with rows that move between ranks until all end at once.
 *
 * Rows through the middle of the set cost a hundred times as much as those at its ends. The lines
 * marked with <- are all that balancing takes: the library divides the rows, finds out who waits
 * for whom, and moves rows, with their results, from the slowest ranks to the fastest.
 *
 *   mpicc -O2 balance.c -o balance
 *   mpiexec -n 2 ./balance [ROWS] [CYCLES]
 */
#include <pamir.h> /* <- */
#include <stdio.h>
#include <stdlib.h>

struct row { long long inside; };

static long long inside(long long row, long long rows, int limit)
{
    long long points = 0;
    for (long long column = 0; column < rows; column++) {
        double a = -2.0 + 2.5 * column / rows, b = -1.25 + 2.5 * row / rows, x = 0, y = 0;
        int n = 0;
        for (; n < limit && x * x + y * y < 4; n++) {
            double t = x * x - y * y + a;
            y = 2 * x * y + b;
            x = t;
        }
        points += n == limit;
    }
    return points;
}

int main(int argc, char **argv)
{
    long long rows = argc > 1 ? atoll(argv[1]) : 400, cycles = argc > 2 ? atoll(argv[2]) : 12;
    long long begin, end, points = 0, all;
    int rank;
    struct row *row;
    pamir_partition *partition;
    pamir_statistics statistics;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pamir_partition_create(MPI_COMM_WORLD, rows, NULL, 1, NULL, &partition);  /* <- */
    pamir_partition_array(partition, sizeof *row, 0, NULL, (void **)&row);    /* <- */
    for (int cycle = 1; cycle <= cycles; cycle++) {
        pamir_partition_range(partition, -1, &begin, &end);                   /* <- */
        pamir_cycle_begin(partition);                                         /* <- */
        for (long long r = begin; r < end; r++)
            row[r].inside = inside(r, rows, 20 * cycle);
        pamir_cycle_end(partition, NULL);                                     /* <- */
    }
    pamir_partition_range(partition, -1, &begin, &end);
    for (long long r = begin; r < end; r++)
        points += row[r].inside;
    MPI_Reduce(&points, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    pamir_partition_statistics(partition, &statistics);
    if (rank == 0) {
        printf("area %.3f (1.507 is known)\n", all * 6.25 / rows / rows);
        printf("load balance %.2f in the first cycle, %.2f in the last; %lld moves\n",
               statistics.first_load_balance, statistics.last_load_balance, statistics.moves);
    }
    pamir_partition_free(&partition);                                         /* <- */
    MPI_Finalize();
    return 0;
}
