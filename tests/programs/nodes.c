// What a job of several nodes does: who shares memory, long messages both ways, a slow receiver,
// collective operations over and within nodes.
//
// Arguments: the number of nodes that the ranks are in, in blocks of equal size. Rank 0 prints
// "nodes: N failures".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG (1 << 20)
#define MESSAGES 2000
#define BYTES 3000

static int rank, size, failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            failures++; \
            fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
        } \
    } while (0)

static void fill(unsigned char *data, size_t bytes, int seed)
{
    for (size_t at = 0; at < bytes; at++)
        data[at] = (unsigned char)(at * 7 + at / 251 + seed);
}

static int is(const unsigned char *data, size_t bytes, int seed)
{
    for (size_t at = 0; at < bytes; at++)
        if (data[at] != (unsigned char)(at * 7 + at / 251 + seed))
            return 0;
    return 1;
}

// The communicator of a node has its ranks and no others.
static void check_groups(int nodes)
{
    MPI_Comm shared;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
    int of_node = size / nodes, shared_size, shared_rank, sum;
    MPI_Comm_size(shared, &shared_size);
    MPI_Comm_rank(shared, &shared_rank);
    CHECK(shared_size == of_node);
    CHECK(shared_rank == rank % of_node);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, shared);
    int first = rank / of_node * of_node;
    CHECK(sum == of_node * first + of_node * (of_node - 1) / 2);
    MPI_Barrier(shared);
    MPI_Comm_free(&shared);
    const char *local = getenv("MPI_LOCALRANKID"), *locals = getenv("MPI_LOCALNRANKS");
    CHECK(local && atoi(local) == rank % of_node);
    CHECK(locals && atoi(locals) == of_node);
}

// Programs that tell nodes apart by their names see as many as there are.
static void check_names(int nodes)
{
    enum { ROOM = MPI_MAX_PROCESSOR_NAME };
    char own[ROOM] = "", all[64][ROOM];
    int length;
    MPI_Get_processor_name(own, &length);
    CHECK(length == (int)strlen(own));
    MPI_Allgather(own, ROOM, MPI_CHAR, all, ROOM, MPI_CHAR, MPI_COMM_WORLD);
    for (int one = 0; one < size; one++)
        for (int other = 0; other < size; other++) {
            int together = one / (size / nodes) == other / (size / nodes);
            CHECK((strcmp(all[one], all[other]) == 0) == together);
        }
}

// Every pair at once, in both directions, with data that does not lie together too.
static void exchange(void)
{
    MPI_Datatype column;
    MPI_Type_vector(LONG / 64, 32, 64, MPI_BYTE, &column);
    MPI_Type_commit(&column);
    for (int round = 0; round < 3; round++) {
        unsigned char *in = malloc((size_t)size * LONG), *out = malloc(LONG);
        MPI_Request requests[2 * 64];
        int count = 0;
        fill(out, LONG, rank + round);
        for (int other = 0; other < size; other++) {
            MPI_Irecv(in + (size_t)other * LONG, LONG, MPI_BYTE, other, round, MPI_COMM_WORLD, &requests[count++]);
            MPI_Isend(out, LONG, MPI_BYTE, other, round, MPI_COMM_WORLD, &requests[count++]);
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        for (int other = 0; other < size; other++)
            CHECK(is(in + (size_t)other * LONG, LONG, other + round));
        int right = (rank + 1) % size, left = (rank + size - 1) % size;
        memset(in, 0, LONG);
        MPI_Sendrecv(out, 1, column, right, 9, in, 1, column, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fill(out, LONG, left + round);
        int wrong = 0;
        for (int at = 0; at < LONG; at++)
            wrong += at % 64 < 32 ? in[at] != out[at] : in[at] != 0;
        CHECK(wrong == 0);
        free(in);
        free(out);
    }
    MPI_Type_free(&column);
}

// The last rank looks at nothing while the first sends it more than anybody keeps; meanwhile those
// two nodes' other ranks talk to each other, through the same connection.
static void flood(void)
{
    unsigned char data[BYTES];
    int last = size - 1, word = rank;
    if (rank == 0) {
        for (int number = 0; number < MESSAGES; number++) {
            fill(data, BYTES, number);
            MPI_Send(data, BYTES, MPI_BYTE, last, 1, MPI_COMM_WORLD);
        }
    } else if (rank == last) {
        usleep(300000);
        int wrong = 0;
        for (int number = 0; number < MESSAGES; number++) {
            MPI_Recv(data, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += !is(data, BYTES, number);
        }
        CHECK(wrong == 0);
    } else if (rank == 1 || rank == last - 1) {
        for (int number = 0; number < 200 && last > 2; number++)
            MPI_Sendrecv_replace(&word, 1, MPI_INT, last - rank, 2, last - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(word == rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void combine(void)
{
    for (int count = 1; count <= 100000; count *= 10) {
        double *mine = malloc(count * sizeof *mine), *sum = malloc(count * sizeof *sum);
        for (int at = 0; at < count; at++)
            mine[at] = rank + at;
        MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        int wrong = 0;
        for (int at = 0; at < count; at++)
            wrong += sum[at] != size * (size - 1) / 2.0 + (double)size * at;
        MPI_Bcast(mine, count, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
        for (int at = 0; at < count; at++)
            wrong += mine[at] != size - 1 + at;
        CHECK(wrong == 0);
        free(mine);
        free(sum);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_groups(atoi(argv[1]));
    check_names(atoi(argv[1]));
    exchange();
    flood();
    combine();
    int all;
    MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("nodes: %d failures\n", all);
    MPI_Finalize();
}
