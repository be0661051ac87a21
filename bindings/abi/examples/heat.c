/*
 * The steady temperature of a square plate, by Jacobi's iteration on all ranks.
 *
 * One edge of the plate is held at sin(pi x), the other three at 0. The exact
 * answer is known: sin(pi x) sinh(pi (1 - y)) / sinh(pi), so the program checks
 * itself. Each rank owns a band of rows and a halo row on both sides:
 *
 *      rank 0   | row 0 .. k-1     |  halo below  <--- first row of rank 1
 *      rank 1   | row k .. 2k-1    |  halo above  <--- last row of rank 0
 *
 *   mpicc -O2 heat.c -o heat -lm
 *   mpiexec -n 2 ./heat [POINTS] [STEPS]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

struct band {
    int points;      /* interior points in x, and rows of the whole plate */
    int rows;        /* rows of this rank */
    int first;       /* number of its first row, from 0 */
    int above, below;/* neighbouring ranks, or MPI_PROC_NULL */
};

static double exact(const struct band *band, int row, int column)
{
    double h = 1.0 / (band->points + 1);
    double x = (column + 1) * h, y = (row + 1) * h;
    return sin(PI * x) * sinh(PI * (1.0 - y)) / sinh(PI);
}

/* Rows are stored with a halo row above (index 0) and below (index rows + 1). */
static double *row_of(double *field, const struct band *band, int row)
{
    return field + (size_t)row * (band->points + 2);
}

static void exchange_halos(double *field, const struct band *band)
{
    MPI_Request requests[4];
    int n = band->points + 2;
    MPI_Irecv(row_of(field, band, 0), n, MPI_DOUBLE, band->above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row_of(field, band, band->rows + 1), n, MPI_DOUBLE, band->below, 2, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(row_of(field, band, 1), n, MPI_DOUBLE, band->above, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row_of(field, band, band->rows), n, MPI_DOUBLE, band->below, 1, MPI_COMM_WORLD,
              &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* One step; returns the largest change on this rank. */
static double step(double *from, double *to, const struct band *band)
{
    double largest = 0.0;
    for (int row = 1; row <= band->rows; row++) {
        const double *up = row_of(from, band, row - 1), *here = row_of(from, band, row);
        const double *down = row_of(from, band, row + 1);
        double *out = row_of(to, band, row);
        for (int column = 1; column <= band->points; column++) {
            out[column] = 0.25 * (up[column] + down[column] + here[column - 1] + here[column + 1]);
            double change = fabs(out[column] - here[column]);
            if (change > largest) largest = change;
        }
    }
    return largest;
}

int main(int argc, char **argv)
{
    int rank, size, parameters[2] = {64, 20000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        if (argc > 1) parameters[0] = atoi(argv[1]);
        if (argc > 2) parameters[1] = atoi(argv[2]);
    }
    MPI_Bcast(parameters, 2, MPI_INT, 0, MPI_COMM_WORLD);
    int points = parameters[0], steps = parameters[1];
    if (points < size || steps < 1) {
        if (rank == 0) fprintf(stderr, "heat: needs at least a row a rank, and a step\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    struct band band = {.points = points};
    band.rows = points / size + (rank < points % size);
    band.first = rank * (points / size) + (rank < points % size ? rank : points % size);
    band.above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    band.below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

    size_t cells = (size_t)(band.rows + 2) * (points + 2);
    double *now = calloc(cells, sizeof *now), *next = calloc(cells, sizeof *next);
    if (!now || !next) {
        fprintf(stderr, "heat: rank %d has no memory for %zu cells\n", rank, cells);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 0) {
        for (int column = 1; column <= points; column++) {
            now[column] = next[column] = exact(&band, -1, column - 1);
        }
    }

    double begin = MPI_Wtime(), change = 1.0, change_everywhere = 1.0;
    int done = 0;
    while (done < steps && change_everywhere > 1e-9) {
        exchange_halos(now, &band);
        change = step(now, next, &band);
        double *swap = now;
        now = next;
        next = swap;
        done++;
        if (done % 50 == 0 || done == steps) {
            MPI_Allreduce(&change, &change_everywhere, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
    }
    double seconds = MPI_Wtime() - begin;

    double sums[2] = {0.0, 0.0}, totals[2], error = 0.0, largest_error;
    for (int row = 1; row <= band.rows; row++) {
        for (int column = 1; column <= points; column++) {
            double value = row_of(now, &band, row)[column];
            error = fmax(error, fabs(value - exact(&band, band.first + row - 1, column - 1)));
            sums[0] += value;
            sums[1] += 1.0;
        }
    }
    MPI_Allreduce(sums, totals, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&error, &largest_error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    int converged = change_everywhere <= 1e-9;
    /* The scheme's own error is of second order in the distance of the points. */
    double allowed = 5.0 / ((double)(points + 1) * (points + 1)) + 1e-4;
    int right = totals[1] == (double)points * points && (!converged || largest_error < allowed);
    if (rank == 0) {
        printf("heat: %d x %d points on %d ranks, %d steps in %.3f s (%.2f us a step)\n", points,
               points, size, done, seconds, 1e6 * seconds / done);
        printf("heat: mean temperature %.6f, last change %.1e, distance from the exact answer %.1e: %s\n",
               totals[0] / totals[1], change_everywhere, largest_error,
               !right ? "WRONG" : converged ? "right" : "not converged yet");
    }
    free(now);
    free(next);
    MPI_Finalize();
    return right ? 0 : 1;
}
