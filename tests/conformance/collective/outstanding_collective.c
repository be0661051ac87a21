// ranks: 1 2 3 4 5
// timeout: 30
// differs: ranks 1: MPICH 5.0 never completes several MPI_Ialltoall of one rank
// Many nonblocking collectives at once on one communicator and on several, completed in another order than started,
// with blocking collectives, messages and a posted wildcard receive in between.
#include "check.h"

#define DEPTH 24
#define N 5000

static int in[DEPTH][N * 8], out[DEPTH][N * 8];

static void start(int kind, int slot, MPI_Comm comm, MPI_Request *request) {
    int n = world_size, root = slot % n;
    for (int i = 0; i < N * n; i++) out[slot][i] = world_rank * 100000 + slot * 1000 + i % N;
    memset(in[slot], 0xff, sizeof in[slot]);
    switch (kind % 7) {
    case 0: OK(MPI_Iallreduce(out[slot], in[slot], N, MPI_INT, MPI_SUM, comm, request)); break;
    case 1:
        memcpy(in[slot], out[slot], N * sizeof(int));
        OK(MPI_Ibcast(in[slot], N, MPI_INT, root, comm, request));
        break;
    case 2: OK(MPI_Iallgather(out[slot], N, MPI_INT, in[slot], N, MPI_INT, comm, request)); break;
    case 3: OK(MPI_Ialltoall(out[slot], N, MPI_INT, in[slot], N, MPI_INT, comm, request)); break;
    case 4: OK(MPI_Iscan(out[slot], in[slot], N, MPI_INT, MPI_SUM, comm, request)); break;
    case 5: OK(MPI_Igather(out[slot], N, MPI_INT, in[slot], N, MPI_INT, root, comm, request)); break;
    case 6: OK(MPI_Ibarrier(comm, request)); break;
    }
}

static void verify(int kind, int slot) {
    int n = world_size, me = world_rank, root = slot % n;
    for (int i = 0; i < N; i++) {
        int base = slot * 1000 + i, all = base * n + 100000 * (n * (n - 1) / 2);
        switch (kind % 7) {
        case 0: CHECK_INT(in[slot][i], all); break;
        case 1: CHECK_INT(in[slot][i], root * 100000 + base); break;
        case 2:
        case 3:
            for (int r = 0; r < n; r++) CHECK_INT(in[slot][r * N + i], r * 100000 + base);
            break;
        case 4: CHECK_INT(in[slot][i], base * (me + 1) + 100000 * (me * (me + 1) / 2)); break;
        case 5:
            for (int r = 0; r < n && me == root; r++) CHECK_INT(in[slot][r * N + i], r * 100000 + base);
            break;
        }
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comms[3] = {MPI_COMM_WORLD};
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]));
    MPI_Request requests[DEPTH], wildcard;
    int never = -1, last = 12345, flag;
    OK(MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &wildcard));
    for (int way = 0; way < 5; way++) {
        for (int slot = 0; slot < DEPTH; slot++) {
            // Between communicators the order of starting may differ from rank to rank.
            int actual = way == 4 ? (slot / 3) * 3 + (slot + world_rank) % 3 : slot;
            start(way + actual, actual, comms[way >= 3 ? actual % 3 : 0], &requests[actual]);
        }
        if (way == 1) OK(MPI_Barrier(MPI_COMM_WORLD));
        if (way == 2) {
            int sum = 0, one = 1;
            OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
            CHECK_INT(sum, world_size);
        }
        if (way == 0 || way == 4) {
            OK(MPI_Waitall(DEPTH, requests, MPI_STATUSES_IGNORE));
        } else if (way == 1) {
            for (int slot = DEPTH - 1; slot >= 0; slot--) OK(MPI_Wait(&requests[slot], MPI_STATUS_IGNORE));
        } else if (way == 2) { // another order on each rank
            for (int i = 0; i < DEPTH; i++)
                OK(MPI_Wait(&requests[(i * 5 + world_rank * 7) % DEPTH], MPI_STATUS_IGNORE));
        } else {
            for (int done = 0; done < DEPTH; done++) {
                int index;
                OK(MPI_Waitany(DEPTH, requests, &index, MPI_STATUS_IGNORE));
                CHECK(index >= 0 && index < DEPTH);
            }
        }
        for (int slot = 0; slot < DEPTH; slot++) {
            CHECK(requests[slot] == MPI_REQUEST_NULL);
            verify(way + slot, slot);
        }
        OK(MPI_Test(&wildcard, &flag, MPI_STATUS_IGNORE)); // collectives do not match receives
        CHECK_INT(flag, 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD)); // all have tested
    OK(MPI_Send(&last, 1, MPI_INT, (world_rank + 1) % world_size, 3, MPI_COMM_WORLD));
    OK(MPI_Wait(&wildcard, MPI_STATUS_IGNORE));
    CHECK_INT(never, 12345);
    OK(MPI_Comm_free(&comms[1]));
    OK(MPI_Comm_free(&comms[2]));
    return finish("outstanding_collective");
}
