// A block grows from few bytes to many and keeps what is in it; blocks of all kinds are freed. Prints "right".
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    unsigned char *block = NULL;
    for (size_t bytes = 16; bytes <= (1 << 20); bytes *= 2) {
        block = realloc(block, bytes);
        for (size_t at = 0; at < bytes / 2 && bytes > 16; at++)
            if (block[at] != 0xA5)
                fail("what was there before it grew");
        memset(block, 0xA5, bytes);
        if (malloc_usable_size(block) < bytes)
            fail("the usable size");
    }
    block = reallocarray(block, 3, 300000);
    if (block[0] != 0xA5 || block[(1 << 19)] != 0xA5)
        fail("what was there before reallocarray");
    for (size_t bytes = 100; bytes < 1000000; bytes *= 10) {
        void *aligned = NULL;
        if (posix_memalign(&aligned, 4096, bytes) != 0 || (size_t)aligned % 4096)
            fail("posix_memalign");
        free(aligned);
        free(aligned_alloc(256, bytes));
        free(memalign(256, bytes));
        unsigned char *zeros = calloc(bytes, 2);
        if (zeros[0] || zeros[2 * bytes - 1])
            fail("calloc");
        free(zeros);
    }
    free(block);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("right\n");
    MPI_Finalize();
    return 0;
}
