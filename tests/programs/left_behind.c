/* Sends that stay behind while the program computes.
 *
 *     left_behind DIRECTORY MILLISECONDS
 *
 * Rank 0 posts more sends than its lane holds and makes no call any more. Only then does rank 1 receive them all; it looks
 * at every byte, and makes a file in DIRECTORY, for which rank 0 looks that long. Rank 0 prints "gone" if it was there, or "left". Three
 * rounds: short messages, long ones, and both with a gap in each element; calls come within calls, through a function that
 * deletes an attribute.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 6000, SHORT = 1000, FEW = 1500, LONG = 4000 };

static int rank;

static int deletes(MPI_Comm comm, int key, void *value, void *extra)
{
    int size;
    MPI_Comm_size(comm, &size);
    (void)key, (void)value, (void)extra;
    return size == 2 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static unsigned char byte_of(int round, int message, size_t at)
{
    return (unsigned char)(round * 31 + message * 7 + (int)(at * 13 >> 3));
}

static int exists(const char *path, double milliseconds)
{
    double until = MPI_Wtime() + milliseconds * 1e-3;
    while (access(path, F_OK) != 0)
        if (MPI_Wtime() > until)
            return 0;
    return 1;
}

static void make(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static void round_of(int round, int messages, int bytes, MPI_Datatype type, const char *directory, double milliseconds)
{
    char posted[4096], received[4096];
    snprintf(posted, sizeof posted, "%s/posted-%d", directory, round);
    snprintf(received, sizeof received, "%s/received-%d", directory, round);
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    size_t room = (size_t)bytes * (size_t)extent;
    MPI_Request *requests = malloc(sizeof *requests * (size_t)messages);
    unsigned char *data = malloc(room * (size_t)messages);
    int key, wrong = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletes, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    if (rank == 0) {
        for (int message = 0; message < messages; message++) {
            for (size_t at = 0; at < room; at++)
                data[(size_t)message * room + at] = byte_of(round, message, at);
            MPI_Isend(data + (size_t)message * room, bytes, type, 1, round, MPI_COMM_WORLD, &requests[message]);
        }
        MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
        make(posted);
        puts(exists(received, milliseconds) ? "gone" : "left");
        MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    } else {
        exists(posted, 60000);
        for (int message = 0; message < messages; message++) {
            memset(data, 0, room);
            MPI_Recv(data, bytes, type, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (size_t at = 0; at < room; at += (size_t)extent)
                wrong += data[at] != byte_of(round, message, at);
        }
        MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
        if (wrong)
            MPI_Abort(MPI_COMM_WORLD, 3);
        make(received);
    }
    MPI_Comm_free_keyval(&key);
    free(requests);
    free(data);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int provided, level = getenv("SEVERAL") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype gapped;
    MPI_Type_create_resized(MPI_BYTE, 0, 3, &gapped);
    MPI_Type_commit(&gapped);
    double milliseconds = atof(argv[2]);
    round_of(0, MESSAGES, SHORT, MPI_BYTE, argv[1], milliseconds);
    round_of(1, FEW, LONG, MPI_BYTE, argv[1], milliseconds);
    round_of(2, MESSAGES, SHORT, gapped, argv[1], milliseconds);
    MPI_Type_free(&gapped);
    MPI_Finalize();
    return 0;
}
