// A large message whose origin, or target, calls nothing until the other one has done everything.
//
// absent origin: rank 0 starts a send, and makes no call until rank 1 has received it.
// absent target: rank 1 starts a receive of a message that is there, and makes no call until the
//                data has arrived, which rank 0 sends with MPI_Send.
// All sizes are above every eager limit: eager data lies in the ring, for the target to take out.
// Rank 1 prints "right MODE BYTES" for each size. A library that needs both ranks never ends.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 3000000 };

static int rank;
static char flag[256];

static void tell(void)
{
    FILE *file = fopen(flag, "w");
    if (!file || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
}

static void wait_without_a_call(void)
{
    struct stat status;
    while (stat(flag, &status) != 0)
        usleep(100);
    unlink(flag);
}

static void expect(const volatile char *bytes, int count, int seed)
{
    for (int at = 0; at < count; at++)
        if (bytes[at] != (char)(at * 7 + seed))
            MPI_Abort(MPI_COMM_WORLD, 3);
}

static void absent_origin(char *bytes, int count, int seed)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(bytes, count, MPI_BYTE, 1, seed, MPI_COMM_WORLD, &request);
        wait_without_a_call();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(bytes, count, MPI_BYTE, 0, seed, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(bytes, count, seed);
        tell();
    }
}

static void absent_target(char *bytes, int count, int seed)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Send(bytes, count, MPI_BYTE, 1, seed, MPI_COMM_WORLD);
        return;
    }
    MPI_Probe(0, seed, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(bytes, count, MPI_BYTE, 0, seed, MPI_COMM_WORLD, &request);
    for (int at = 0; at < count; at++)
        while (((volatile char *)bytes)[at] != (char)(at * 7 + seed))
            usleep(100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(bytes, count, seed);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {131073, 180000, 262144, 1000001, MOST_BYTES};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *mode = argc > 2 ? argv[1] : "";
    snprintf(flag, sizeof flag, "%s/here", argc > 2 ? argv[2] : "");
    char *bytes = malloc(MOST_BYTES);
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        for (int at = 0; at < MOST_BYTES; at++)
            bytes[at] = (char)(rank == 0 ? at * 7 + i : at * 7 + i + 1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (strcmp(mode, "origin") == 0)
            absent_origin(bytes, sizes[i], i);
        else if (strcmp(mode, "target") == 0)
            absent_target(bytes, sizes[i], i);
        else
            MPI_Abort(MPI_COMM_WORLD, 2);
        if (rank == 1)
            printf("right %s %d\n", mode, sizes[i]);
    }
    free(bytes);
    return MPI_Finalize();
}
