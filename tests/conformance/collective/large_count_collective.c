// ranks: 1 2 3 4
// timeout: 30
// The large-count (_c) twins of every collective: blocking and nonblocking.
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
        prepare(0);
        memcpy(in, out, sizeof(int) * N);
        OK(MPI_Bcast_c(in, N, MPI_INT, root, comm));
        verify("MPI_Bcast_c", BCAST, 0);
        prepare(1);
        memcpy(in, out, sizeof(int) * N);
        OK(MPI_Ibcast_c(in, N, MPI_INT, root, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ibcast_c", BCAST, 1);
        prepare(0);
        OK(MPI_Gather_c(out, N, MPI_INT, in, N, MPI_INT, root, comm));
        verify("MPI_Gather_c", GATHER, 0);
        prepare(1);
        OK(MPI_Igather_c(out, N, MPI_INT, in, N, MPI_INT, root, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Igather_c", GATHER, 1);
        prepare(0);
        OK(MPI_Gatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, root, comm));
        verify("MPI_Gatherv_c", GATHER, 0);
        prepare(1);
        OK(MPI_Igatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, root, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Igatherv_c", GATHER, 1);
        prepare(0);
        OK(MPI_Scatter_c(out, N, MPI_INT, in, N, MPI_INT, root, comm));
        verify("MPI_Scatter_c", SCATTER, 0);
        prepare(1);
        OK(MPI_Iscatter_c(out, N, MPI_INT, in, N, MPI_INT, root, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iscatter_c", SCATTER, 1);
        prepare(0);
        OK(MPI_Scatterv_c(out, counts, places, MPI_INT, in, N, MPI_INT, root, comm));
        verify("MPI_Scatterv_c", SCATTER, 0);
        prepare(1);
        OK(MPI_Iscatterv_c(out, counts, places, MPI_INT, in, N, MPI_INT, root, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iscatterv_c", SCATTER, 1);
        prepare(0);
        OK(MPI_Allgather_c(out, N, MPI_INT, in, N, MPI_INT, comm));
        verify("MPI_Allgather_c", ALLGATHER, 0);
        prepare(1);
        OK(MPI_Iallgather_c(out, N, MPI_INT, in, N, MPI_INT, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iallgather_c", ALLGATHER, 1);
        prepare(0);
        OK(MPI_Allgatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, comm));
        verify("MPI_Allgatherv_c", ALLGATHER, 0);
        prepare(1);
        OK(MPI_Iallgatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iallgatherv_c", ALLGATHER, 1);
        prepare(0);
        OK(MPI_Alltoall_c(out, N, MPI_INT, in, N, MPI_INT, comm));
        verify("MPI_Alltoall_c", ALLTOALL, 0);
        prepare(1);
        OK(MPI_Ialltoall_c(out, N, MPI_INT, in, N, MPI_INT, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ialltoall_c", ALLTOALL, 1);
        prepare(0);
        OK(MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm));
        verify("MPI_Alltoallv_c", ALLTOALL, 0);
        prepare(1);
        OK(MPI_Ialltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ialltoallv_c", ALLTOALL, 1);
        prepare(0);
        OK(MPI_Alltoallw_c(out, counts, byte_places, types, in, counts, byte_places, types, comm));
        verify("MPI_Alltoallw_c", ALLTOALL, 0);
        prepare(1);
        OK(MPI_Ialltoallw_c(out, counts, byte_places, types, in, counts, byte_places, types, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ialltoallw_c", ALLTOALL, 1);
        prepare(0);
        OK(MPI_Reduce_c(out, in, N, MPI_INT, MPI_SUM, root, comm));
        verify("MPI_Reduce_c", REDUCE, 0);
        prepare(1);
        OK(MPI_Ireduce_c(out, in, N, MPI_INT, MPI_SUM, root, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ireduce_c", REDUCE, 1);
        prepare(0);
        OK(MPI_Allreduce_c(out, in, N, MPI_INT, MPI_SUM, comm));
        verify("MPI_Allreduce_c", ALLREDUCE, 0);
        prepare(1);
        OK(MPI_Iallreduce_c(out, in, N, MPI_INT, MPI_SUM, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iallreduce_c", ALLREDUCE, 1);
        prepare(0);
        OK(MPI_Reduce_scatter_block_c(out, in, N, MPI_INT, MPI_SUM, comm));
        verify("MPI_Reduce_scatter_block_c", REDUCE_SCATTER, 0);
        prepare(1);
        OK(MPI_Ireduce_scatter_block_c(out, in, N, MPI_INT, MPI_SUM, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ireduce_scatter_block_c", REDUCE_SCATTER, 1);
        prepare(0);
        OK(MPI_Reduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, comm));
        verify("MPI_Reduce_scatter_c", REDUCE_SCATTER, 0);
        prepare(1);
        OK(MPI_Ireduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Ireduce_scatter_c", REDUCE_SCATTER, 1);
        prepare(0);
        OK(MPI_Scan_c(out, in, N, MPI_INT, MPI_SUM, comm));
        verify("MPI_Scan_c", SCAN, 0);
        prepare(1);
        OK(MPI_Iscan_c(out, in, N, MPI_INT, MPI_SUM, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iscan_c", SCAN, 1);
        prepare(0);
        OK(MPI_Exscan_c(out, in, N, MPI_INT, MPI_SUM, comm));
        verify("MPI_Exscan_c", EXSCAN, 0);
        prepare(1);
        OK(MPI_Iexscan_c(out, in, N, MPI_INT, MPI_SUM, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify("MPI_Iexscan_c", EXSCAN, 1);
    }
    int a[3] = {1, 2, 3}, b[3] = {10, 20, 30};
    OK(MPI_Reduce_local_c(a, b, 3, MPI_INT, MPI_SUM));
    CHECK_INT(b[2], 33);
    free(in);
    free(out);
    return finish("large_count_collective");
}
