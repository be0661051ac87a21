// ranks: 1 2 3 4 5
// timeout: 30
// Persistent collectives: every one created once, started several times with new data, alone and all together, and
// freed when inactive.
#include "check.h"

enum { BARRIER, BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN };

static int *in, *out, n, me, root;
#define N 200

// Element i of block r of what rank `from` sends in turn t.
static int value(int from, int t, int r, int i) { return from * 100000 + t * 10000 + r * 1000 + i; }

static void prepare(int t) {
    for (int r = 0; r < n; r++)
        for (int i = 0; i < N; i++) out[r * N + i] = value(me, t, r, i);
    memset(in, 0xff, sizeof(int) * N * (size_t)n);
}

static int total(int first, int last, int t, int r, int i) {
    int sum = 0;
    for (int from = first; from <= last; from++) sum += value(from, t, r, i);
    return sum;
}

static void verify(const char *what, int kind, int t) {
    for (int r = 0; r < n; r++)
        for (int i = 0; i < N; i++) {
            int expected, found = in[r * N + i];
            switch (kind) {
            case BCAST: expected = r ? -1 : value(root, t, 0, i); break;
            case GATHER: expected = me == root ? value(r, t, 0, i) : -1; break;
            case SCATTER: expected = r ? -1 : value(root, t, me, i); break;
            case ALLGATHER: expected = value(r, t, 0, i); break;
            case ALLTOALL: expected = value(r, t, me, i); break;
            case REDUCE: expected = r || me != root ? -1 : total(0, n - 1, t, 0, i); break;
            case ALLREDUCE: expected = r ? -1 : total(0, n - 1, t, 0, i); break;
            case REDUCE_SCATTER: expected = r ? -1 : total(0, n - 1, t, me, i); break;
            case SCAN: expected = r ? -1 : total(0, me, t, 0, i); break;
            case EXSCAN:
                if (me == 0) continue;
                expected = r ? -1 : total(0, me - 1, t, 0, i);
                break;
            default: continue;
            }
            CHECK_THAT(found == expected, "%s turn %d, block %d element %d is %d, expected %d", what, t, r, i, found, expected);
        }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    n = world_size, me = world_rank;
    in = space(sizeof *in * N * (size_t)n);
    out = space(sizeof *out * N * (size_t)n);
    int counts[8];
    int places[8], byte_places[8];
    MPI_Datatype types[8];
    for (int r = 0; r < n; r++) counts[r] = N, places[r] = r * N, byte_places[r] = r * N * (int)sizeof(int), types[r] = MPI_INT;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    for (root = 0; root < n; root++) {
        OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Barrier", BARRIER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Bcast_init(in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            memcpy(in, out, sizeof(int) * N);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Bcast", BCAST, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Gather_init(out, N, MPI_INT, in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Gather", GATHER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Gatherv_init(out, N, MPI_INT, in, counts, places, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Gatherv", GATHER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Scatter_init(out, N, MPI_INT, in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Scatter", SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Scatterv_init(out, counts, places, MPI_INT, in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Scatterv", SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Allgather_init(out, N, MPI_INT, in, N, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Allgather", ALLGATHER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Allgatherv_init(out, N, MPI_INT, in, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Allgatherv", ALLGATHER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Alltoall_init(out, N, MPI_INT, in, N, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Alltoall", ALLTOALL, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Alltoallv_init(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Alltoallv", ALLTOALL, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Alltoallw_init(out, counts, byte_places, types, in, counts, byte_places, types, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Alltoallw", ALLTOALL, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Reduce_init(out, in, N, MPI_INT, MPI_SUM, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Reduce", REDUCE, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Allreduce_init(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Allreduce", ALLREDUCE, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Reduce_scatter_block_init(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Reduce_scatter_block", REDUCE_SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Reduce_scatter_init(out, in, counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Reduce_scatter", REDUCE_SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Scan_init(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Scan", SCAN, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Exscan_init(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 3; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request != MPI_REQUEST_NULL);
            verify("Exscan", EXSCAN, t);
        }
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
    }
    // Several active at once, started together, completed in any order; a message in between.
    enum { DEPTH = 6 };
    MPI_Request many[DEPTH];
    int numbers[DEPTH], sums[DEPTH];
    for (int d = 0; d < DEPTH; d++)
        OK(MPI_Allreduce_init(&numbers[d], &sums[d], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &many[d]));
    for (int t = 0; t < 5; t++) {
        for (int d = 0; d < DEPTH; d++) numbers[d] = me + d * 100 + t, sums[d] = -1;
        OK(MPI_Startall(DEPTH, many));
        OK(MPI_Barrier(comm));
        if (t % 2) {
            for (int d = DEPTH - 1; d >= 0; d--) OK(MPI_Wait(&many[d], MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Waitall(DEPTH, many, MPI_STATUSES_IGNORE));
        }
        for (int d = 0; d < DEPTH; d++) CHECK_INT(sums[d], n * (n - 1) / 2 + n * (d * 100 + t));
    }
    for (int d = 0; d < DEPTH; d++) OK(MPI_Request_free(&many[d]));
    free(in);
    free(out);
    return finish("persistent_collective");
}
