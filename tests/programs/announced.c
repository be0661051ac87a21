/* Announced synchronisations: every rank reads the same history of who called when.
 *
 * A call's time lies between two looks at the clock by its caller, and no rank knows another time of
 * it; ranks sleep for different times before, so that they come one after the other.
 *
 *   announced sync       pamir_balance_sync, which always announces itself
 *   announced barrier    MPI_Barrier, where PAMIR_BALANCE asks for it
 *   announced allreduce  MPI_Allreduce, likewise
 *   announced none       MPI_Barrier, which announces nothing
 */
#include <pamir.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long before, after;

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void synchronize(const char *how, MPI_Comm comm)
{
    int one = 1, sum = 0;
    before = now();
    if (strcmp(how, "sync") == 0)
        pamir_balance_sync(comm);
    else if (strcmp(how, "allreduce") == 0)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    else
        MPI_Barrier(comm);
    after = now();
}

static void fail(const char *what, int number)
{
    printf("wrong: %s %d\n", what, number);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* The history is complete, in the order in which ranks came, and the same everywhere. */
static void compare(MPI_Comm comm, int back)
{
    int rank, size, known;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    pamir_call *own = malloc(2 * (size_t)size * sizeof *own), *first = own + size;
    pamir_balance_history(comm, back, own, &known);
    if (known != size)
        fail("known", known);
    for (int r = 0; r < size; r++) {
        if (own[r].arrived_ns < own[r].started_ns || own[r].load < 0)
            fail("times of rank", r);
    }
    if (back == 0 && (own[rank].arrived_ns < before || own[rank].arrived_ns > after))
        fail("clock of rank", rank);
    memcpy(first, own, (size_t)size * sizeof *own);
    MPI_Bcast(first, size * (int)sizeof *own, MPI_BYTE, 0, comm);
    if (memcmp(own, first, (size_t)size * sizeof *own) != 0)
        fail("another history than rank 0's at", rank);
    free(own);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "sync";
    int rank, size, known;
    pamir_call calls[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "none") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        pamir_balance_history(MPI_COMM_WORLD, 0, calls, &known);
        if (known != 0 || calls[0].arrived_ns != -1)
            fail("announced though nobody asked for it:", known);
    } else {
        /* Numbers of communicators are used again: none may find the calls of the one before. */
        for (int round = 0; round < 3; round++) {
            MPI_Comm half;
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
            pamir_balance_history(half, 0, calls, &known);
            if (known != 0)
                fail("calls before the first:", known);
            for (int cycle = 0; cycle < 2; cycle++) {
                usleep(2000 * (useconds_t)rank);
                synchronize(how, half);
            }
            compare(half, 0);
            compare(half, 1);
            /* Whoever frees it takes its calls back: not before all have read them. */
            MPI_Request all;
            MPI_Ibarrier(half, &all);
            MPI_Wait(&all, MPI_STATUS_IGNORE);
            MPI_Comm_free(&half);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(2000 * (useconds_t)rank);
        synchronize(how, MPI_COMM_WORLD);
        compare(MPI_COMM_WORLD, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("announced %d\n", size);
    MPI_Finalize();
    return 0;
}
