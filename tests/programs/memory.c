// Sends messages of all sizes to and fro, gives their buffers back, and prints how much memory is
// this process's own: "private RANK BYTES".
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LARGEST (10 << 20)
#define OUTSTANDING 64

static long private_bytes(void)
{
    char line[256];
    long kibibytes, sum = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %ld kB", &kibibytes) == 1 ||
            sscanf(line, "Private_Dirty: %ld kB", &kibibytes) == 1)
            sum += kibibytes;
    fclose(file);
    return sum * 1024;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    char *buffer = mmap(NULL, 2 * LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(buffer, rank, LARGEST);
    MPI_Request requests[OUTSTANDING];
    for (int bytes = 1; bytes <= LARGEST; bytes *= 2)
        for (int round = 0; round < 10; round++) {
            MPI_Irecv(buffer + LARGEST, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Send(buffer, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
    // Unexpected messages: sent before anybody receives.
    for (int round = 0; round < 10; round++) {
        for (int each = 0; each < OUTSTANDING; each++)
            MPI_Isend(buffer + each * 1024, 1024, MPI_BYTE, right, each, MPI_COMM_WORLD,
                      &requests[each]);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int each = OUTSTANDING - 1; each >= 0; each--)
            MPI_Recv(buffer + LARGEST, 1024, MPI_BYTE, left, each, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Waitall(OUTSTANDING, requests, MPI_STATUSES_IGNORE);
    }
    munmap(buffer, 2 * LARGEST);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("private %d %ld\n", rank, private_bytes());
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
