// Each rank says how many KiB of memory that it shares would go into a core of it, after large messages between blocks of the
// heap: "RANK KIB". Then it frees most of a large block and says so again.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (4 << 20)

// All of the shared mappings that are not left out: a dump makes memory of their untouched pages.
static long shared_kib(void)
{
    char line[512];
    long size = 0, sum = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (strncmp(line, "Size:", 5) == 0)
            size = atol(line + 5);
        if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " sh") && !strstr(line, " dd"))
            sum += size;
    }
    if (maps)
        fclose(maps);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *from = malloc(BLOCK), *to = malloc(BLOCK), *long_one = malloc(512u << 20);
    if (!from || !to || !long_one)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(from, rank, BLOCK);
    MPI_Sendrecv(from, BLOCK, MPI_CHAR, (rank + 1) % ranks, 0, to, BLOCK, MPI_CHAR,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long with = shared_kib();
    free(long_one);
    printf("%d %ld %ld\n", rank, with, shared_kib());
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
