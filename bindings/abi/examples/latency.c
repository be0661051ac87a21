/*
 * Latency and bandwidth between rank 0 and rank 1, 0 B to 1 MiB, in OSU's columns.
 *
 * Latency: half the time of a message there and back. Bandwidth: windows of 64
 * messages, each window answered by one empty message. Buffers are left untouched
 * between messages, as OSU's benchmarks do; scripts/bench measures both ways.
 *
 *   mpicc -O2 latency.c -o latency
 *   mpiexec -n 2 --bind-to core ./latency
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20, WINDOW = 64, TAG = 1 };

static char *out, *in;

static double latency_us(int rank, int bytes, int rounds)
{
    double begin = 0.0;
    for (int round = -rounds / 10 - 1; round < rounds; round++) {
        if (round == 0) begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) * 1e6 / (2.0 * rounds);
}

static double bandwidth_mb_s(int rank, int bytes, int windows)
{
    MPI_Request requests[WINDOW];
    double begin = 0.0;
    for (int window = -windows / 10 - 1; window < windows; window++) {
        if (window == 0) begin = MPI_Wtime();
        for (int message = 0; message < WINDOW; message++) {
            if (rank == 0) {
                MPI_Isend(out, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[message]);
            } else {
                MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[message]);
            }
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        }
    }
    return 1e-6 * bytes * WINDOW * windows / (MPI_Wtime() - begin);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0) fprintf(stderr, "latency: needs two ranks: mpiexec -n 2 ./latency\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    out = malloc(LARGEST);
    in = malloc(LARGEST);
    if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 3);
    memset(out, rank + 1, LARGEST);
    memset(in, 0, LARGEST);

    if (rank == 0) printf("# %-10s%18s%20s\n", "Size", "Latency (us)", "Bandwidth (MB/s)");
    for (int bytes = 0; bytes <= LARGEST; bytes = bytes ? 2 * bytes : 1) {
        int rounds = bytes <= 8192 ? 10000 : bytes <= 131072 ? 1000 : 200;
        int windows = bytes <= 8192 ? 200 : bytes <= 131072 ? 40 : 10;
        MPI_Barrier(MPI_COMM_WORLD);
        double latency = latency_us(rank, bytes, rounds);
        double bandwidth = bytes ? bandwidth_mb_s(rank, bytes, windows) : 0.0;
        if (bytes && in[bytes - 1] != 2 - rank) {
            fprintf(stderr, "latency: rank %d received wrong bytes at %d B\n", rank, bytes);
            MPI_Abort(MPI_COMM_WORLD, 4);
        }
        if (rank == 0) {
            printf("%-12d%18.2f", bytes, latency);
            if (bytes) printf("%20.2f", bandwidth);
            printf("\n");
            fflush(stdout);
        }
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
