// A correct program that uses what allocates: messages of all lengths, to itself too, with and without being expected,
// derived datatypes, communicators, persistent and collective operations. A checker of memory has nothing to say of it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int lengths[] = {1, 40, 1000, 20000, 70000, 300000, 1500000};
#define LENGTHS (int)(sizeof lengths / sizeof *lengths)

static int rank, size, wrong;

static void messages(MPI_Comm comm, int to, int from)
{
    for (int i = 0; i < LENGTHS; i++) {
        MPI_Request requests[3];
        MPI_Datatype strided;
        int bytes = lengths[i];
        unsigned char *out = malloc((size_t)bytes), *in = malloc(2 * (size_t)bytes);
        memset(out, i + 1, (size_t)bytes);
        memset(in, 0, 2 * (size_t)bytes);
        MPI_Type_vector(bytes, 1, 2, MPI_BYTE, &strided);
        MPI_Type_commit(&strided);
        MPI_Isend(out, bytes, MPI_BYTE, to, i, comm, &requests[0]);
        MPI_Issend(out, bytes, MPI_BYTE, to, LENGTHS + i, comm, &requests[1]);
        MPI_Irecv(in, 1, strided, from, i, comm, &requests[2]);
        MPI_Type_free(&strided);
        MPI_Probe(from, LENGTHS + i, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
        for (int j = 0; j < bytes; j++) wrong += in[2 * j] != i + 1;
        MPI_Recv(in, bytes, MPI_BYTE, from, LENGTHS + i, comm, MPI_STATUS_IGNORE);
        for (int j = 0; j < bytes; j++) wrong += in[j] != i + 1;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        free(out);
        free(in);
    }
}

// More than any queue begins with room for.
static void many(MPI_Comm comm, int to, int from)
{
    enum { COUNT = 600 };
    static MPI_Request requests[2 * COUNT];
    static int in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++) {
        out[i] = i;
        MPI_Irecv(&in[i], 1, MPI_INT, from, i, comm, &requests[i]);
    }
    for (int i = 0; i < COUNT; i++) MPI_Isend(&out[i], 1, MPI_INT, to, i, comm, &requests[COUNT + i]);
    MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COUNT; i++) wrong += in[i] != i;
}

static void collectives(MPI_Comm comm)
{
    for (int i = 0; i < LENGTHS - 1; i++) {
        int count = lengths[i] / 4 + 1;
        int *in = malloc((size_t)count * sizeof(int)), *out = malloc((size_t)count * sizeof(int));
        for (int j = 0; j < count; j++) out[j] = rank + j;
        MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
        for (int j = 0; j < count; j++) wrong += in[j] != size * (size - 1) / 2 + size * j;
        MPI_Bcast(in, count, MPI_INT, size - 1, comm);
        MPI_Request request;
        MPI_Ibcast(in, count, MPI_INT, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce_init(out, in, count, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &request);
        for (int k = 0; k < 2; k++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        wrong += in[0] != size - 1;
        MPI_Request_free(&request);
        free(in);
        free(out);
    }
}

int main(int argc, char **argv)
{
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm copy, kept;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "a", "b");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &kept); // never freed
    messages(copy, (rank + 1) % size, (rank + size - 1) % size);
    messages(MPI_COMM_SELF, 0, 0);
    many(copy, (rank + 1) % size, (rank + size - 1) % size);
    collectives(copy);
    MPI_Comm_free(&copy);
    MPI_Info_free(&info);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) printf("%d wrong\n", all);
    return all != 0;
}
