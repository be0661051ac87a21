// A program that a rank's script runs among others: exchanges messages and reduces, and prints the first argument if all of it
// was right.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char out[300000], in[300000];

int main(int argc, char **argv)
{
    int rank, size, sum = 0, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 20; round++) {
        int bytes = 1 << (round % 19), one = rank + round;
        memset(out, rank + round, (size_t)bytes);
        MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, round, in, bytes, MPI_BYTE, (rank + size - 1) % size, round,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes; i++) wrong += in[i] != (char)((rank + size - 1) % size + round);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * (size - 1) / 2 + size * round;
    }
    // Sent and never received: the next program must not meet it.
    MPI_Send(out, 100, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %d wrong\n", argc > 1 ? argv[1] : "", all);
    fflush(stdout);
    MPI_Finalize();
    if (argc > 2) {
        // Still there while the next program begins, which waits for this file.
        char path[500];
        snprintf(path, sizeof path, "%s.%d", argv[2], rank);
        FILE *file = fopen(path, "w");
        if (file) fclose(file);
        usleep(200000);
        unlink(path);
    }
    return all != 0;
}
