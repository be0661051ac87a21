// Every kind of instruction that has a table of algorithms, at several sizes and with several
// roots, with results that are checked: whichever algorithm is taken, they are the same. The
// argument is a kind's name. Rank 0 prints "right KIND SIZE".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 20000, MOST_RANKS = 16 };
static const int counts[] = {1, 7, 300, 5000, LONGEST};
static int rank, size;
static const char *kind;
static long outgoing[LONGEST * MOST_RANKS], incoming[LONGEST * MOST_RANKS];

static long value(int from, int to, int at) { return 1000003L * from + 10007L * to + at; }

static void expect(long found, long wanted, const char *what, int count, int at)
{
    if (found == wanted)
        return;
    fprintf(stderr, "%s: rank %d, %s, count %d, element %d: %ld, expected %ld\n", kind, rank, what,
            count, at, found, wanted);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

// Block `to` of `outgoing` is this rank's for rank `to`; `incoming` holds nothing of use.
static void fill(int blocks, int count)
{
    for (int to = 0; to < blocks; to++)
        for (int at = 0; at < count; at++)
            outgoing[to * count + at] = value(rank, to, at);
    memset(incoming, 0xEE, sizeof(long) * (size_t)count * (size_t)size);
}

static void expect_blocks(int from_step, int to, int count, const char *what)
{
    for (int block = 0; block < size; block++)
        for (int at = 0; at < count; at++)
            expect(incoming[block * count + at], value(from_step ? block : 0, to, at), what, count, at);
}

static long sum(int up_to, int to, int at)
{
    long total = 0;
    for (int from = 0; from < up_to; from++)
        total += value(from, to, at);
    return total;
}

static void send(int count)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int time = 0; time < 3; time++) {
        fill(1, count);
        MPI_Request requests[2];
        if (time == 0) {
            MPI_Sendrecv(outgoing, count, MPI_LONG, next, 5, incoming, count, MPI_LONG, previous, 5,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (time == 1) { // The message comes before its receive.
            MPI_Isend(outgoing, count, MPI_LONG, next, 5, MPI_COMM_WORLD, &requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(incoming, count, MPI_LONG, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else { // Synchronous, and neither side's data lies in one piece.
            MPI_Datatype every_other;
            MPI_Type_vector(count, 1, 2, MPI_LONG, &every_other);
            MPI_Type_commit(&every_other);
            static long sparse[2 * LONGEST];
            for (int at = 0; at < count; at++)
                sparse[2 * at] = outgoing[at];
            MPI_Irecv(incoming, count, MPI_LONG, previous, 6, MPI_COMM_WORLD, &requests[0]);
            MPI_Issend(sparse, 1, every_other, next, 6, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            MPI_Type_free(&every_other);
        }
        for (int at = 0; at < count; at++)
            expect(incoming[at], value(previous, 0, at), "message", count, at);
    }
}

static void barrier(int count)
{
    static int epoch;
    // Nobody may leave before the last has come: rank 0 waits, and all see that it had come.
    for (int late = 0; late < size; late++) {
        int seen = 0, one = 1;
        if (rank == late)
            for (volatile int turn = 0; turn < count * 10; turn++) {}
        MPI_Barrier(MPI_COMM_WORLD);
        epoch++;
        MPI_Allreduce(&one, &seen, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect(seen, size, "barrier", count, epoch);
    }
}

static void broadcast(int count)
{
    for (int root = 0; root < size; root++) {
        fill(1, count);
        MPI_Bcast(outgoing, count, MPI_LONG, root, MPI_COMM_WORLD);
        for (int at = 0; at < count; at++)
            expect(outgoing[at], value(root, 0, at), "broadcast", count, at);
    }
}

static void reduce(int count)
{
    for (int root = 0; root < size; root++) {
        fill(1, count);
        MPI_Reduce(outgoing, incoming, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
        for (int at = 0; rank == root && at < count; at++)
            expect(incoming[at], sum(size, 0, at), "reduce", count, at);
    }
}

static void allreduce(int count)
{
    fill(1, count);
    MPI_Allreduce(outgoing, incoming, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int at = 0; at < count; at++)
        expect(incoming[at], sum(size, 0, at), "allreduce", count, at);
}

static int lengths[MOST_RANKS], places[MOST_RANKS];

static void list(int count)
{
    for (int other = 0; other < size; other++) {
        lengths[other] = count;
        places[other] = other * count;
    }
}

static void gather(int count)
{
    for (int root = 0; root < size; root++) {
        fill(1, count);
        list(count);
        if (strcmp(kind, "gatherv") == 0)
            MPI_Gatherv(outgoing, count, MPI_LONG, incoming, lengths, places, MPI_LONG, root,
                        MPI_COMM_WORLD);
        else
            MPI_Gather(outgoing, count, MPI_LONG, incoming, count, MPI_LONG, root, MPI_COMM_WORLD);
        if (rank == root)
            expect_blocks(1, 0, count, "gather");
    }
}

static void scatter(int count)
{
    for (int root = 0; root < size; root++) {
        fill(size, count);
        list(count);
        if (strcmp(kind, "scatterv") == 0)
            MPI_Scatterv(outgoing, lengths, places, MPI_LONG, incoming, count, MPI_LONG, root,
                         MPI_COMM_WORLD);
        else
            MPI_Scatter(outgoing, count, MPI_LONG, incoming, count, MPI_LONG, root, MPI_COMM_WORLD);
        for (int at = 0; at < count; at++)
            expect(incoming[at], value(root, rank, at), "scatter", count, at);
    }
}

static void allgather(int count)
{
    fill(1, count);
    list(count);
    if (strcmp(kind, "allgatherv") == 0)
        MPI_Allgatherv(outgoing, count, MPI_LONG, incoming, lengths, places, MPI_LONG,
                       MPI_COMM_WORLD);
    else
        MPI_Allgather(outgoing, count, MPI_LONG, incoming, count, MPI_LONG, MPI_COMM_WORLD);
    expect_blocks(1, 0, count, "allgather");
}

static void alltoall(int count)
{
    fill(size, count);
    list(count);
    if (strcmp(kind, "alltoallv") == 0) {
        MPI_Alltoallv(outgoing, lengths, places, MPI_LONG, incoming, lengths, places, MPI_LONG,
                      MPI_COMM_WORLD);
    } else if (strcmp(kind, "alltoall_in_place") == 0) {
        memcpy(incoming, outgoing, sizeof(long) * (size_t)count * (size_t)size);
        MPI_Alltoall(MPI_IN_PLACE, count, MPI_LONG, incoming, count, MPI_LONG, MPI_COMM_WORLD);
    } else {
        MPI_Alltoall(outgoing, count, MPI_LONG, incoming, count, MPI_LONG, MPI_COMM_WORLD);
    }
    expect_blocks(1, rank, count, "alltoall");
}

static void reduce_scatter(int count)
{
    fill(size, count);
    MPI_Reduce_scatter_block(outgoing, incoming, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int at = 0; at < count; at++)
        expect(incoming[at], sum(size, rank, at), "reduce_scatter", count, at);
}

static void scan(int count)
{
    int exclusive = strcmp(kind, "exscan") == 0;
    fill(1, count);
    if (exclusive)
        MPI_Exscan(outgoing, incoming, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Scan(outgoing, incoming, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int at = 0; !(exclusive && rank == 0) && at < count; at++)
        expect(incoming[at], sum(rank + !exclusive, 0, at), "scan", count, at);
}

static void neighbor(int count)
{
    int periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    fill(2, count);
    MPI_Neighbor_alltoall(outgoing, count, MPI_LONG, incoming, count, MPI_LONG, ring);
    int before = (rank + size - 1) % size, after = (rank + 1) % size;
    for (int at = 0; at < count; at++) {
        expect(incoming[at], value(before, 1, at), "from before", count, at);
        expect(incoming[count + at], value(after, 0, at), "from after", count, at);
    }
    MPI_Comm_free(&ring);
}

static const struct {
    const char *name;
    void (*run)(int count);
} kinds[] = {
    {"send", send}, {"barrier", barrier}, {"broadcast", broadcast}, {"reduce", reduce},
    {"allreduce", allreduce}, {"gather", gather}, {"gatherv", gather}, {"scatter", scatter},
    {"scatterv", scatter}, {"allgather", allgather}, {"allgatherv", allgather},
    {"alltoall", alltoall}, {"alltoallv", alltoall}, {"alltoall_in_place", alltoall},
    {"reduce_scatter", reduce_scatter}, {"scan", scan}, {"exscan", scan}, {"neighbor", neighbor},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    kind = argc > 1 ? argv[1] : "";
    int known = 0;
    for (size_t one = 0; one < sizeof kinds / sizeof *kinds; one++) {
        if (strcmp(kinds[one].name, kind) != 0)
            continue;
        known = 1;
        for (size_t count = 0; count < sizeof counts / sizeof *counts; count++)
            kinds[one].run(counts[count]);
    }
    if (!known || size > MOST_RANKS) {
        fprintf(stderr, "no kind is called %s, or there are more than %d ranks\n", kind, MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0)
        printf("right %s %d\n", kind, size);
    return MPI_Finalize();
}
