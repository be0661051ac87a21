/* Large messages between buffers of the shared heap, with realloc, threads and fork meanwhile.
 *
 * Each rank sends to the next one from blocks that grow, shrink and move, and checks every byte.
 * Rank 0 forks now and then: the child must see what the parent had, and what it writes must stay
 * its own. Prints "mapped N" (how many shared heaps of peers this process has mapped) at the end.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 30, SMALL = 100, LARGE = 3 << 20 };

static void fail(const char *what)
{
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void *churn(void *argument)
{
    unsigned state = (unsigned)(size_t)argument;
    char *blocks[16] = {0};
    for (int step = 0; step < 3000; step++) {
        state = state * 1103515245u + 12345u;
        int at = (int)(state >> 8) % 16;
        size_t bytes = 1 + (state >> 4) % 200000;
        if (blocks[at] && blocks[at][0] != (char)at)
            fail("a thread's block");
        blocks[at] = realloc(blocks[at], bytes);
        blocks[at][0] = (char)at;
        blocks[at][bytes - 1] = (char)at;
    }
    for (int at = 0; at < 16; at++)
        free(blocks[at]);
    return NULL;
}

static void fork_and_write(char *block, size_t bytes, char value)
{
    pid_t child = fork();
    if (child == 0) {
        for (size_t at = 0; at < bytes; at += 512)
            if (block[at] != value)
                _exit(1);
        memset(block, ~value, bytes);
        free(block);
        char *own = calloc(1, LARGE);
        _exit(own && own[LARGE / 2] == 0 ? 0 : 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0)
        fail("what a child found");
    for (size_t at = 0; at < bytes; at += 512)
        if (block[at] != value)
            fail("what a child wrote reached its parent");
}

static int mapped_heaps(void)
{
    char line[512];
    int found = -1; /* one's own */
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        /* Heaps are as long as the machine's memory. */
        if (strstr(line, "memfd:pamir") && sscanf(line, "%lx-%lx", &start, &end) == 2)
            found += end - start > (1ul << 30);
    }
    fclose(maps);
    return found;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_t thread;
    pthread_create(&thread, NULL, churn, (void *)(size_t)(rank + 1));
    char *out = NULL;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++) {
        int bytes = round % 3 == 0 ? SMALL : LARGE / (1 + round % 7) + round;
        out = realloc(out, (size_t)bytes);
        char *in = malloc((size_t)bytes);
        memset(out, rank + round, (size_t)bytes);
        MPI_Sendrecv(out, bytes, MPI_CHAR, next, 1, in, bytes, MPI_CHAR, previous, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int at = 0; at < bytes; at++)
            if (in[at] != (char)(previous + round))
                fail("a message");
        if (rank == 0 && round % 10 == 4)
            fork_and_write(in, (size_t)bytes, (char)(previous + round));
        free(in);
    }
    free(out);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("mapped %d\n", mapped_heaps());
    MPI_Finalize();
    return 0;
}
