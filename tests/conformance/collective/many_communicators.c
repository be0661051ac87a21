// ranks: 2 3 5 8
// timeout: 60
// More communicators at once than there are shared boards, made and freed again and again, with short and long
// operations that overlap, of all members and of halves of them.
#include "check.h"

#define MANY 40
#define LONG 70000

static double out[LONG], in[LONG];

// The sum of something that tells rank, communicator and element.
static void sum(MPI_Comm comm, int number, int count) {
    int rank, size;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    for (int i = 0; i < count; i++) out[i] = rank + number + i % 97;
    OK(MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm));
    for (int i = 0; i < count; i++)
        CHECK_INT(in[i], size * (size - 1) / 2 + size * (number + i % 97));
}

static void many(int round) {
    MPI_Comm comms[MANY];
    for (int c = 0; c < MANY; c++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]));
        sum(comms[c], c + round, 1);
    }
    for (int c = 0; c < MANY; c++) sum(comms[c], c + round, c % 8 == 0 ? 20000 : 3);
    for (int c = 0; c < MANY; c++) OK(MPI_Comm_free(&comms[c]));
}

static void halves(int round) {
    MPI_Comm half;
    OK(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half));
    for (int i = 0; i < 20; i++) {
        sum(half, i + round, 1 + i * 5);
        int token = i, size;
        OK(MPI_Comm_size(half, &size));
        OK(MPI_Bcast(&token, 1, MPI_INT, i % size, half));
        CHECK_INT(token, i);
    }
    // Freed at once, while others may still be looking.
    OK(MPI_Comm_free(&half));
}

// A root that runs ahead, long data, and operations behind each other that end in any order.
static void overlapping(void) {
    static int data[4][50000];
    MPI_Request requests[6];
    long long mine = world_rank, total = -1;
    for (int i = 0; i < 50000; i++)
        for (int d = 0; d < 4; d++) data[d][i] = world_rank == 0 ? d * 1000 + i : -1;
    for (int d = 0; d < 4; d++) OK(MPI_Ibcast(data[d], d % 2 ? 50000 : 2, MPI_INT, 0, MPI_COMM_WORLD, &requests[d]));
    OK(MPI_Iallreduce(&mine, &total, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[4]));
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[5]));
    OK(MPI_Wait(&requests[5], MPI_STATUS_IGNORE));
    OK(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(total, world_size * (world_size - 1) / 2);
    for (int d = 0; d < 4; d++) {
        int last = d % 2 ? 49999 : 1;
        CHECK_INT(data[d][last], d * 1000 + last);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        many(round);
        halves(round);
        overlapping();
    }
    for (int i = 0; i < 2000; i++) {
        int token = world_rank == 0 ? i : -1;
        OK(MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD));
        CHECK_INT(token, i);
    }
    sum(MPI_COMM_WORLD, 7, LONG);
    // A rank that comes late finds the others asleep, and wakes them.
    if (world_rank == 0) usleep(200000);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (world_rank == world_size - 1) usleep(200000);
    sum(MPI_COMM_WORLD, 8, 1);
    return finish("many_communicators");
}
