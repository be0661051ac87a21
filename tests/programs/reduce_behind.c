/* Reductions that are combined while the program is elsewhere.
 *
 *     reduce_behind MILLISECONDS
 *
 * Every rank posts reductions and sums for all, then makes no call until it finds all its sums in memory, and a while longer,
 * but no longer than so long; its first look says whether all of them were done by then. Each rank prints "rank R: done" or
 * "rank R: left"; sums are compared in any case.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OPERATIONS = 4, NUMBERS = 60000 };

static double part[OPERATIONS][NUMBERS];
static volatile double whole[OPERATIONS][NUMBERS];

static int has_sum(int one, int rank, int ranks)
{
    return one % 2 == 0 || one % ranks == rank;
}

static double sum_at(int one, int at, int ranks)
{
    return ranks * (ranks + 1) / 2 * (at % 1000) + ranks * one;
}

static void elsewhere(double milliseconds, int rank, int ranks)
{
    struct timespec pause = {0, 1000000}, while_longer = {0, 500000000};
    for (double until = MPI_Wtime() + milliseconds * 1e-3; MPI_Wtime() < until;) {
        int there = 1;
        for (int one = 0; one < OPERATIONS && there; ++one)
            for (int at = 0; at < NUMBERS && there && has_sum(one, rank, ranks); ++at)
                there = whole[one][at] == sum_at(one, at, ranks);
        nanosleep(there ? &while_longer : &pause, NULL);
        if (there)
            return;
    }
}

int main(int argc, char **argv)
{
    MPI_Request requests[OPERATIONS];
    int rank, ranks, done;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double milliseconds = argc > 1 ? atof(argv[1]) : 200;
    for (int one = 0; one < OPERATIONS; ++one)
        for (int at = 0; at < NUMBERS; ++at)
            part[one][at] = (rank + 1) * (at % 1000) + one;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int one = 0; one < OPERATIONS; ++one) {
        if (one % 2)
            MPI_Ireduce(part[one], (void *)whole[one], NUMBERS, MPI_DOUBLE, MPI_SUM, one % ranks, MPI_COMM_WORLD, &requests[one]);
        else
            MPI_Iallreduce(part[one], (void *)whole[one], NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[one]);
    }
    elsewhere(milliseconds, rank, ranks);
    MPI_Testall(OPERATIONS, requests, &done, MPI_STATUSES_IGNORE);
    MPI_Waitall(OPERATIONS, requests, MPI_STATUSES_IGNORE);
    for (int one = 0; one < OPERATIONS; ++one)
        for (int at = 0; at < NUMBERS && has_sum(one, rank, ranks); ++at)
            if (whole[one][at] != sum_at(one, at, ranks))
                MPI_Abort(MPI_COMM_WORLD, 3);
    printf("rank %d: %s\n", rank, done ? "done" : "left");
    MPI_Finalize();
    return 0;
}
