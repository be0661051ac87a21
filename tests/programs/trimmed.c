/* Memory that was freed and that nobody uses again, in a rank that waits for others.
 *
 *   trimmed
 *
 * Rank 0 takes 64 MB in small pieces, frees all but the last, and is early in each cycle; the last
 * rank is late. Rank 0 prints by how many MB it has become smaller in the cycles.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CYCLES = 60, PIECES = 64000, BYTES = 1000 };

static long resident_mb(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE) / 1000000;
}

int main(int argc, char **argv)
{
    int rank, size;
    static char *pieces[PIECES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < PIECES && rank == 0; i++)
        memset(pieces[i] = malloc(BYTES), 1, BYTES);
    for (int i = 0; i < PIECES - 1 && rank == 0; i++)
        free(pieces[i]);
    long before = resident_mb();
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        struct timespec pause = {0, rank == size - 1 ? 30000000 : 100000};
        nanosleep(&pause, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%ld\n", before - resident_mb());
    MPI_Finalize();
    return 0;
}
