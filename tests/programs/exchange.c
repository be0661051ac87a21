// Exchanges 10 MiB in a ring until it is killed: the program that ranks are killed in.
//
// Prints "process RANK PID" before MPI_Init and "exchanging RANK" after the first round.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES (10 << 20)

int main(int argc, char **argv)
{
    int rank, size;
    const char *launched = getenv("PAMIR_RANK");
    printf("process %s %d\n", launched ? launched : "?", (int)getpid());
    fflush(stdout);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *outgoing = calloc(BYTES, 1), *incoming = calloc(BYTES, 1);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (long round = 0;; round++) {
        MPI_Request request;
        MPI_Irecv(incoming, BYTES, MPI_BYTE, left, 0, MPI_COMM_WORLD, &request);
        MPI_Send(outgoing, BYTES, MPI_BYTE, right, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (round == 0) {
            printf("exchanging %d\n", rank);
            fflush(stdout);
        }
    }
}
