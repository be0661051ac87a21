// ranks: 1 2 3
// timeout: 30
// The large-count (_c) twins of the persistent collectives.
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
    MPI_Count counts[8];
    MPI_Aint places[8], byte_places[8];
    MPI_Datatype types[8];
    for (int r = 0; r < n; r++) counts[r] = N, places[r] = r * N, byte_places[r] = r * N * (MPI_Aint)sizeof(int), types[r] = MPI_INT;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    for (root = 0; root < n; root++) {
        OK(MPI_Bcast_init_c(in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            memcpy(in, out, sizeof(int) * N);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Bcast", BCAST, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Gather_init_c(out, N, MPI_INT, in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Gather", GATHER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Gatherv_init_c(out, N, MPI_INT, in, counts, places, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Gatherv", GATHER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Scatter_init_c(out, N, MPI_INT, in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Scatter", SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Scatterv_init_c(out, counts, places, MPI_INT, in, N, MPI_INT, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Scatterv", SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Allgather_init_c(out, N, MPI_INT, in, N, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Allgather", ALLGATHER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Allgatherv_init_c(out, N, MPI_INT, in, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Allgatherv", ALLGATHER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Alltoall_init_c(out, N, MPI_INT, in, N, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Alltoall", ALLTOALL, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Alltoallv_init_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Alltoallv", ALLTOALL, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Alltoallw_init_c(out, counts, byte_places, types, in, counts, byte_places, types, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Alltoallw", ALLTOALL, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Reduce_init_c(out, in, N, MPI_INT, MPI_SUM, root, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Reduce", REDUCE, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Allreduce_init_c(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Allreduce", ALLREDUCE, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Reduce_scatter_block_init_c(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Reduce_scatter_block", REDUCE_SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Reduce_scatter_init_c(out, in, counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Reduce_scatter", REDUCE_SCATTER, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Scan_init_c(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Scan", SCAN, t);
        }
        OK(MPI_Request_free(&request));
        OK(MPI_Exscan_init_c(out, in, N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        for (int t = 0; t < 2; t++) {
            prepare(t);
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            verify("Exscan", EXSCAN, t);
        }
        OK(MPI_Request_free(&request));
    }
    free(in);
    free(out);
    return finish("large_count_persistent");
}
