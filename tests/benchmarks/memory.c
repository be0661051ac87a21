/* Memory a rank: what it has for itself after MPI_Init and after some traffic with every rank.
 *
 *     memory
 *
 * Every rank exchanges 8 B, 1 KiB, 8 KiB and 64 KiB with every other, 20 times each, and takes
 * part in some barriers and allreduces. One sample a rank and metric, in MiB:
 *
 *   private_after_init     Private_Clean + Private_Dirty + Private_Hugetlb of /proc/self/smaps_rollup
 *   private_after_traffic  the same, when the traffic is over
 *   proportional           Pss then: shared pages are divided among those who map them
 *   peak_resident          VmHWM of /proc/self/status at the end
 *
 * The program's own buffers are 128 KiB of that.
 */
#include "footprint.h"
#include "measure.h"

#include <mpi.h>

enum { METRICS = 4, LARGEST_BYTES = 65536 };

static void traffic(int rank, int ranks)
{
    static char out[LARGEST_BYTES], in[LARGEST_BYTES];
    static const int sizes[] = { 8, 1024, 8192, LARGEST_BYTES };
    for (int distance = 1; distance < ranks; distance++)
        for (int s = 0; s < 4; s++)
            for (int i = 0; i < 20; i++) {
                MPI_Request request;
                MPI_Irecv(in, sizes[s], MPI_CHAR, (rank - distance + ranks) % ranks, 1, MPI_COMM_WORLD, &request);
                MPI_Send(out, sizes[s], MPI_CHAR, (rank + distance) % ranks, 1, MPI_COMM_WORLD);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
    for (int i = 0; i < 20; i++) {
        double mine = rank, sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const char *names[METRICS] = { "private_after_init", "private_after_traffic", "proportional", "peak_resident" };
    int rank, ranks;
    double figures[METRICS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    figures[0] = private_mib();
    traffic(rank, ranks);
    figures[1] = private_mib();
    figures[2] = proportional_mib();
    figures[3] = peak_resident_mib();
    if (rank != 0) {
        MPI_Send(figures, METRICS, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    } else {
        for (int r = 0; r < ranks; r++) {
            if (r > 0)
                MPI_Recv(figures, METRICS, MPI_DOUBLE, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int m = 0; m < METRICS; m++)
                sample(names[m], 0, "MiB", figures[m]);
        }
    }
    MPI_Finalize();
    return 0;
}
