/* Balanced against static division of work, and against the ideal.
 *
 *   balance KIND CYCLES
 *
 *   even        a stencil on equal ranks: there is nothing to balance
 *   stencil     the same, the last rank computes each row three times as often
 *   mandelbrot  rows of the Mandelbrot set: costs vary by item
 *   particles   cells of particles, whose cluster moves through the field; the balanced run says
 *               how many pairs a cell has
 *
 * Each runs with the policies static and balanced. Metrics, after the first third of the cycles:
 *
 *   POLICY_busy      the longest busy time of a cycle by each rank's processor time: what a cycle
 *                    takes where every rank has a processor
 *   POLICY_cycle     what a cycle took by the clock on the wall
 *   ideal_busy       the same as the first, had the static run's work been divided perfectly
 *   POLICY_of_ideal  ideal_busy / POLICY_busy, in percent
 *   POLICY_balance   average / maximum of busy times, in percent
 *   moved            bytes of data that moved, of all ranks
 *   set_up_hidden    the share of the set-up operations' time while others still computed
 *   balanced_speed   of `even` only: static_cycle / balanced_cycle, in percent, the median of pairs of
 *                    short runs in turn, so that whatever disturbs the machine disturbs both
 *
 * The data of both runs must be the same in the end.
 */
#include "measure.h"
#include <math.h>
#include <mpi.h>
#include <pamir.h>

/* Sweeps over a row and steps of particles in a cycle: the cycle of a rank takes a millisecond even
 * where eight of them share the work, and what time slices and cold caches do to ranks that share a
 * processor is little beside that. */
enum { SWEEPS = 8, STEPS = 4 };
/* Pairs of short runs that are compared where there is nothing to balance, and their cycles. */
enum { PAIRS = 40, PAIR_CYCLES = 24 };
enum { ROWS = 256, COLUMNS = 2048, PIXELS = 256, CELLS = 512, ROOM = 240, MOST_CYCLES = 400 };

static const char *const policies[2] = {"static clock=processor", "balanced clock=processor"};

typedef struct cell {
    int count;
    int padding;
    double x[ROOM], v[ROOM];
} cell;

static int rank, size;
static MPI_Comm comm;
static pamir_partition *partition;
static long long begin, end;
static void *data[2];
static int slow; /* how many times the last rank does its work */

static void exchange_rows(double *field)
{
    int above = begin > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = end < ROWS ? rank + 1 : MPI_PROC_NULL;
    double *first = field + begin * COLUMNS, *last = field + (end - 1) * COLUMNS;
    MPI_Sendrecv(first, COLUMNS, MPI_DOUBLE, above, 1, last + COLUMNS, COLUMNS, MPI_DOUBLE, below, 1,
                 comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, COLUMNS, MPI_DOUBLE, below, 2, first - COLUMNS, COLUMNS, MPI_DOUBLE, above, 2,
                 comm, MPI_STATUS_IGNORE);
}

static void stencil_rows(const double *from, double *to)
{
    for (long long row = begin; row < end; row++)
        for (int again = 0; again < slow * SWEEPS; again++)
            for (int column = 0; column < COLUMNS; column++) {
                long long at = row * COLUMNS + column;
                double west = column > 0 ? from[at - 1] : 0, east = column < COLUMNS - 1 ? from[at + 1] : 0;
                double north = row > 0 ? from[at - COLUMNS] : 1;
                double south = row < ROWS - 1 ? from[at + COLUMNS] : 0;
                ((volatile double *)to)[at] = 0.25 * (west + east + north + south);
            }
}

static void mandelbrot_rows(int *counts)
{
    for (long long row = begin; row < end; row++)
        for (int column = 0; column < PIXELS; column++) {
            double a = -2 + 2.6 * column / PIXELS, b = -1.2 + 2.4 * (double)row / ROWS, x = 0, y = 0;
            int n = 0;
            while (n < 200 && x * x + y * y < 4) {
                double t = x * x - y * y + a;
                y = 2 * x * y + b;
                x = t;
                n++;
            }
            counts[row * PIXELS + column] = n;
        }
}

static void forces(cell *cells)
{
    for (long long c = begin; c < end; c++)
        for (int i = 0; i < cells[c].count; i++) {
            double force = 0;
            for (int j = 0; j < cells[c].count; j++) {
                double d = cells[c].x[i] - cells[c].x[j];
                force += d / (0.01 + d * d);
            }
            cells[c].x[i] += cells[c].v[i] / STEPS + 1e-9 * force;
        }
}

/* Particles that have left a cell go to the next one; the last rank's leave the field. */
static void migrate(cell *cells)
{
    static cell out, in;
    cell *above = &out;
    out.count = in.count = 0;
    for (long long c = end - 1; c >= begin; c--) {
        int kept = 0, count = cells[c].count;
        for (int i = 0; i < count; i++) {
            int leaves = cells[c].x[i] >= (double)(c + 1);
            cell *to = leaves ? above : &cells[c];
            int at = leaves ? to->count++ : kept++;
            if (at >= ROOM)
                MPI_Abort(MPI_COMM_WORLD, 4);
            to->x[at] = cells[c].x[i];
            to->v[at] = cells[c].v[i];
        }
        cells[c].count = kept;
        above = &cells[c];
    }
    MPI_Sendrecv(&out, sizeof out, MPI_BYTE, end < CELLS ? rank + 1 : MPI_PROC_NULL, 3, &in, sizeof in,
                 MPI_BYTE, begin > 0 ? rank - 1 : MPI_PROC_NULL, 3, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < in.count; i++) {
        int at = cells[begin].count++;
        if (at >= ROOM)
            MPI_Abort(MPI_COMM_WORLD, 4);
        cells[begin].x[at] = in.x[i];
        cells[begin].v[at] = in.v[i];
    }
}

/* Tells what cells cost now, and takes the ranges that follow from it. */
static void weigh(const cell *cells)
{
    static long long weights[CELLS];
    for (long long c = begin; c < end; c++)
        weights[c - begin] = 20 + (long long)cells[c].count * cells[c].count;
    pamir_partition_weigh(partition, weights, NULL);
    pamir_partition_range(partition, -1, &begin, &end);
}

static void fill_cells(cell *cells)
{
    for (long long c = begin; c < end; c++) {
        double distance = ((double)c - CELLS / 5.0) / (CELLS / 12.0);
        cells[c].count = 6 + (int)(150 * exp(-distance * distance));
        for (int i = 0; i < cells[c].count; i++) {
            cells[c].x[i] = (double)c + (i + 0.5) / cells[c].count;
            cells[c].v[i] = 0.9;
        }
    }
}

static double checksum(const char *kind, int cycles)
{
    double own = 0, all = 0;
    for (long long i = begin; i < end; i++) {
        if (strcmp(kind, "mandelbrot") == 0)
            for (int p = 0; p < PIXELS; p++)
                own += ((int *)data[0])[i * PIXELS + p] * (double)(i + p);
        else if (strcmp(kind, "particles") == 0)
            own += ((cell *)data[0])[i].count * (double)(i + 1);
        else
            for (int c = 0; c < COLUMNS; c++)
                own += ((double *)data[cycles % 2])[i * COLUMNS + c] * (double)(i + 1);
    }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
}

struct outcome {
    double busy, wall, balance, ideal, moved, hidden, sum;
};

/* One run under a policy; averages over the cycles after the first third. */
static struct outcome measure(const char *kind, const char *policy, int cycles)
{
    static double busy[MOST_CYCLES], most[MOST_CYCLES], total[MOST_CYCLES], scaled[MOST_CYCLES], work[MOST_CYCLES];
    int is_cells = strcmp(kind, "particles") == 0, is_rows = strcmp(kind, "mandelbrot") == 0;
    size_t item = is_cells ? sizeof(cell) : is_rows ? PIXELS * sizeof(int) : COLUMNS * sizeof(double);
    pamir_statistics before, now;
    slow = strcmp(kind, "stencil") == 0 && rank == size - 1 ? 3 : 1;
    pamir_partition_create(comm, is_cells ? CELLS : ROWS, NULL, 1, policy, &partition);
    for (int array = 0; array < (is_cells || is_rows ? 1 : 2); array++)
        pamir_partition_array(partition, item, 1, NULL, &data[array]);
    pamir_partition_range(partition, -1, &begin, &end);
    if (is_cells)
        fill_cells(data[0]);
    double start = 0;
    for (int cycle = 0; cycle < cycles; cycle++) {
        if (cycle == cycles / 3)
            start = now_ns();
        pamir_partition_statistics(partition, &before);
        if (!is_cells && !is_rows)
            exchange_rows(data[cycle % 2]);
        pamir_cycle_begin(partition);
        if (is_cells)
            for (int step = 0; step < STEPS; step++)
                forces(data[0]);
        else if (is_rows)
            mandelbrot_rows(data[0]);
        else
            stencil_rows(data[cycle % 2], data[1 - cycle % 2]);
        pamir_cycle_end(partition, NULL);
        pamir_partition_range(partition, -1, &begin, &end);
        if (is_cells)
            migrate(data[0]);
        if (is_cells && strncmp(policy, "balanced", 8) == 0)
            weigh(data[0]);
        pamir_partition_statistics(partition, &now);
        busy[cycle] = (double)(now.busy_ns - before.busy_ns);
        scaled[cycle] = busy[cycle] / slow;
    }
    struct outcome outcome = {.wall = (now_ns() - start) / (cycles - cycles / 3)};
    MPI_Allreduce(busy, most, cycles, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(busy, total, cycles, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(scaled, work, cycles, MPI_DOUBLE, MPI_SUM, comm);
    double speed = size - (strcmp(kind, "stencil") == 0 ? 2.0 / 3 : 0), averages = 0;
    for (int cycle = cycles / 3; cycle < cycles; cycle++) {
        outcome.busy += most[cycle] / (cycles - cycles / 3);
        outcome.ideal += work[cycle] / speed / (cycles - cycles / 3);
        averages += total[cycle] / size / (cycles - cycles / 3);
    }
    outcome.balance = averages / outcome.busy * 100;
    double sums[3] = {(double)now.fetched_bytes, (double)now.hidden_ns, (double)now.set_up_ns};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, comm);
    outcome.moved = sums[0];
    outcome.hidden = sums[2] > 0 ? sums[1] / sums[2] * 100 : 100;
    outcome.sum = checksum(kind, cycles);
    pamir_partition_free(&partition);
    return outcome;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The balanced run's speed beside the static one's, in percent: the median of pairs. Which of the
 * two comes first changes from pair to pair. */
static double compared_speed(const char *kind)
{
    double ratios[PAIRS];
    for (int pair = 0; pair < PAIRS; pair++) {
        double wall[2];
        for (int turn = 0; turn < 2; turn++) {
            int policy = (pair + turn) % 2;
            wall[policy] = measure(kind, policies[policy], PAIR_CYCLES).wall;
        }
        ratios[pair] = wall[0] / wall[1] * 100;
    }
    qsort(ratios, PAIRS, sizeof ratios[0], ascending);
    return (ratios[PAIRS / 2 - 1] + ratios[PAIRS / 2]) / 2;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "stencil";
    int cycles = argc > 2 ? atoi(argv[2]) : 60;
    if (cycles < 3 || cycles > MOST_CYCLES) {
        fprintf(stderr, "balance: 3 to %d cycles\n", MOST_CYCLES);
        return 2;
    }
    MPI_Init(&argc, &argv);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    pin_to(rank);
    struct outcome fixed = measure(kind, policies[0], cycles);
    struct outcome moved = measure(kind, policies[1], cycles);
    if (fabs(fixed.sum - moved.sum) > 1e-9 * fabs(fixed.sum)) {
        fprintf(stderr, "balance: %s: %.17g with moving ranges, %.17g without\n", kind, moved.sum, fixed.sum);
        MPI_Abort(comm, 5);
    }
    if (rank == 0) {
        sample("static_busy", 0, "us", fixed.busy / 1e3);
        sample("balanced_busy", 0, "us", moved.busy / 1e3);
        sample("ideal_busy", 0, "us", fixed.ideal / 1e3);
        sample("static_cycle", 0, "us", fixed.wall / 1e3);
        sample("balanced_cycle", 0, "us", moved.wall / 1e3);
        sample("static_of_ideal", 0, "%", fixed.ideal / fixed.busy * 100);
        sample("balanced_of_ideal", 0, "%", fixed.ideal / moved.busy * 100);
        sample("static_balance", 0, "%", fixed.balance);
        sample("balanced_balance", 0, "%", moved.balance);
        sample("moved", 0, "KiB", moved.moved / 1024);
        sample("set_up_hidden", 0, "%", moved.hidden);
    }
    if (strcmp(kind, "even") == 0) {
        double speed = compared_speed(kind);
        if (rank == 0)
            sample("balanced_speed", 0, "%", speed);
    }
    MPI_Finalize();
    return 0;
}
