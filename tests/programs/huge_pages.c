// Says of each rank whether a large block begins where a huge page does, and which settings the C library was given:
// "RANK aligned|elsewhere SETTINGS".
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (8 << 20)
#define HUGE_PAGE (2 << 20)
#define PAGE 4096

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *block = malloc(BLOCK);
    if (!block)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(block, rank, BLOCK);
    // Up to a page of the heap lies before the boundary.
    int aligned = ((uintptr_t)block + PAGE) % HUGE_PAGE < 2 * PAGE;
    const char *settings = getenv("GLIBC_TUNABLES");
    printf("%d %s %s\n", rank, aligned ? "aligned" : "elsewhere", settings ? settings : "none");
    free(block);
    MPI_Finalize();
    return 0;
}
