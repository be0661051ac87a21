// Two ranks that send to each other before they receive, by MPI_Send and by MPI_Isend with MPI_Wait.
//
// Such a program is right only while messages are buffered (MPI-5.0, 3.5), and many are written so. Sizes are
// those that go at once, up to the eager limit; there are enough messages that each way of sending them is
// tried. Each rank prints "right BYTES" for each size.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 300, MOST_BYTES = 64 * 1024 };

static int rank;

static void exchange(char *out, char *in, int bytes, int message)
{
    for (int at = 0; at < bytes; at++)
        out[at] = (char)(at * 7 + message + rank);
    if (message % 2 == 0) {
        MPI_Send(out, bytes, MPI_CHAR, 1 - rank, message, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Isend(out, bytes, MPI_CHAR, 1 - rank, message, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // The buffer is the program's again: what is sent was taken.
    for (int at = 0; at < bytes; at++)
        out[at] = 0;
    MPI_Status status;
    MPI_Recv(in, bytes, MPI_CHAR, 1 - rank, message, MPI_COMM_WORLD, &status);
    int count;
    MPI_Get_count(&status, MPI_CHAR, &count);
    for (int at = 0; at < bytes; at++)
        if (count != bytes || in[at] != (char)(at * 7 + message + 1 - rank))
            MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = malloc(MOST_BYTES), *in = malloc(MOST_BYTES);
    static const int sizes[] = {1000, 16384, 20000, 40000, MOST_BYTES};
    for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        for (int message = 0; message < MESSAGES; message++)
            exchange(out, in, sizes[size], message);
        printf("right %d\n", sizes[size]);
        fflush(stdout);
    }
    free(out);
    free(in);
    return MPI_Finalize();
}
