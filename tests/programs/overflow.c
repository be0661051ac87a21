/* More messages than lanes and injection FIFOs hold, before anybody receives.
 *
 *     overflow MESSAGES
 *
 * Every rank sends MESSAGES messages of mixed lengths to every other with MPI_Isend, and a few
 * synchronous ones between them; only then does it receive. Each message carries its number, and
 * all come with one tag, so that one which has overtaken another is seen. Rank 0 prints
 * "N messages in order" with the number that all have received.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 3000, SYNCHRONOUS = 97 };

static int length_of(int number) { return 5 + number * 37 % (LONGEST - 5); }

int main(int argc, char **argv)
{
    int rank, ranks, messages = argc > 1 ? atoi(argv[1]) : 2000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Request *requests = malloc(sizeof *requests * (size_t)messages * (size_t)ranks);
    char *data = malloc((size_t)messages * LONGEST), *room = malloc(LONGEST);
    int started = 0;
    for (int number = 0; number < messages; number++) {
        char *message = data + (size_t)number * LONGEST;
        memset(message, number, LONGEST);
        memcpy(message, &number, sizeof number);
        for (int to = 0; to < ranks; to++) {
            if (to == rank)
                continue;
            MPI_Request *request = &requests[started++];
            if (number % SYNCHRONOUS == 0)
                MPI_Issend(message, length_of(number), MPI_CHAR, to, 1, MPI_COMM_WORLD, request);
            else
                MPI_Isend(message, length_of(number), MPI_CHAR, to, 1, MPI_COMM_WORLD, request);
        }
    }
    long received = 0, all = 0;
    for (int number = 0; number < messages; number++) {
        for (int from = 0; from < ranks; from++) {
            if (from == rank)
                continue;
            MPI_Status status;
            int length, came;
            MPI_Recv(room, LONGEST, MPI_CHAR, from, 1, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &length);
            memcpy(&came, room, sizeof came);
            if (came != number || length != length_of(number) || room[length - 1] != (char)number) {
                fprintf(stderr, "rank %d: message %d of %d bytes from %d where %d was due\n", rank, came,
                        length, from, number);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            received++;
        }
    }
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    MPI_Reduce(&received, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld messages in order\n", all);
    free(requests);
    free(data);
    free(room);
    MPI_Finalize();
    return 0;
}
