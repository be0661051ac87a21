// Rank 0 sends a large buffer to rank 1 again and again. Both say how much of their memory is in huge pages then, in
// KiB, how much there was before the messages and after them, and which settings the C library was given:
// "RANK huge KIB before KIB after KIB settings SETTINGS".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER (16 << 20)
#define MESSAGES 40

static long entry(const char *file, const char *name)
{
    char line[256];
    long kib = -1;
    FILE *stream = fopen(file, "r");
    while (stream && fgets(line, sizeof line, stream))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = atol(line + strlen(name));
    if (stream)
        fclose(stream);
    return kib;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // Half of it is never touched.
    char *buffer = malloc(BUFFER);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(buffer, rank, BUFFER / 2);
    long before = entry("/proc/self/status", "RssAnon:");
    for (int message = 0; message < MESSAGES; message++) {
        if (rank == 0)
            MPI_Send(buffer, BUFFER / 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(buffer, BUFFER / 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    long after = entry("/proc/self/status", "RssAnon:");
    long huge = entry("/proc/self/smaps_rollup", "AnonHugePages:");
    const char *settings = getenv("GLIBC_TUNABLES");
    printf("%d huge %ld before %ld after %ld settings %s\n", rank, huge, before, after,
           settings ? settings : "none");
    for (int at = 0; at < BUFFER / 2; at++)
        if (buffer[at] != 0)
            MPI_Abort(MPI_COMM_WORLD, 4);
    free(buffer);
    MPI_Finalize();
    return 0;
}
