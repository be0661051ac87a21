// ranks: 2 4
// timeout: 20
// Neighbourhood collectives with blocks of 80 KB.
#include "check.h"

#define N 20000

static int in_degree, out_degree, sources[16], targets[16];
static int *in, *out;

// What `from` sends over its out-edge number `edge` in turn t.
static int value(int from, int edge, int t, int i) { return from * 100000 + edge * 10000 + t * 1000 + i; }

// For each of my in-edges, the number it has among its sender's out-edges. On a grid what came from the negative
// neighbour left it by its positive edge, also where both are the same process (MPI-4.1, 8.6).
static int edges[16];

static void prepare(int t) {
    for (int e = 0; e < out_degree; e++)
        for (int i = 0; i < N; i++) out[e * N + i] = value(world_rank, e, t, i);
    memset(in, 0xff, sizeof *in * N * 17);
}

// kind 0: every source sent all its targets block 0; kind 1: each edge carried its own block.
static void verify(const char *what, int kind, int t) {
    for (int s = 0; s < in_degree; s++)
        for (int i = 0; i < N; i++) {
            int expected = sources[s] == MPI_PROC_NULL ? -1 : value(sources[s], kind ? edges[s] : 0, t, i);
            CHECK_THAT(in[s * N + i] == expected, "%s turn %d: slot %d element %d is %d, expected %d", what, t, s, i,
                       in[s * N + i], expected);
        }
    CHECK_THAT(all_bytes(in + in_degree * N, 64, 0xff), "%s wrote past the last slot", what);
}

static void all_calls(MPI_Comm comm) {
    int counts[16];
    int places[16];
    MPI_Aint byte_places[16];
    MPI_Datatype types[16];
    MPI_Request request;
    for (int i = 0; i < 16; i++) {
        counts[i] = N, places[i] = i * N, types[i] = MPI_INT;
        byte_places[i] = (MPI_Aint)(i * N) * (MPI_Aint)sizeof(int);
    }
    prepare(0);
    OK(MPI_Neighbor_allgather(out, N, MPI_INT, in, N, MPI_INT, comm));
    verify("Neighbor_allgather", 0, 0);
    prepare(1);
    OK(MPI_Ineighbor_allgather(out, N, MPI_INT, in, N, MPI_INT, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify("Ineighbor_allgather", 0, 1);
    prepare(0);
    OK(MPI_Neighbor_allgatherv(out, N, MPI_INT, in, counts, places, MPI_INT, comm));
    verify("Neighbor_allgatherv", 0, 0);
    prepare(1);
    OK(MPI_Ineighbor_allgatherv(out, N, MPI_INT, in, counts, places, MPI_INT, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify("Ineighbor_allgatherv", 0, 1);
    prepare(0);
    OK(MPI_Neighbor_alltoall(out, N, MPI_INT, in, N, MPI_INT, comm));
    verify("Neighbor_alltoall", 1, 0);
    prepare(1);
    OK(MPI_Ineighbor_alltoall(out, N, MPI_INT, in, N, MPI_INT, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify("Ineighbor_alltoall", 1, 1);
    prepare(0);
    OK(MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm));
    verify("Neighbor_alltoallv", 1, 0);
    prepare(1);
    OK(MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify("Ineighbor_alltoallv", 1, 1);
    prepare(0);
    OK(MPI_Neighbor_alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, comm));
    verify("Neighbor_alltoallw", 1, 0);
    prepare(1);
    OK(MPI_Ineighbor_alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify("Ineighbor_alltoallw", 1, 1);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, me = world_rank;
    in = space(sizeof *in * N * 17);
    out = space(sizeof *out * N * 16);
    MPI_Comm comm;

    // A grid: for each dimension the negative neighbour, then the positive one.
    for (int periodic = 0; periodic < 2; periodic++) {
        int dims[2] = {0, 0}, periods[2] = {periodic, !periodic};
        OK(MPI_Dims_create(n, 2, dims));
        OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
        in_degree = out_degree = 4;
        for (int d = 0; d < 2; d++) {
            OK(MPI_Cart_shift(comm, d, 1, &sources[2 * d], &sources[2 * d + 1]));
            edges[2 * d] = 2 * d + 1;
            edges[2 * d + 1] = 2 * d;
        }
        all_calls(comm);
        OK(MPI_Comm_free(&comm));
    }
    // A directed graph: everyone sends to the next two (maybe itself), receives from the two before.
    in_degree = out_degree = 2;
    for (int k = 0; k < 2; k++) {
        targets[k] = (me + k + 1) % n;
        sources[k] = (me + 2 * n - k - 1) % n;
        edges[k] = k;
    }
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                      0, &comm));
    all_calls(comm);
    OK(MPI_Comm_free(&comm));
    // Two edges between the same two processes are matched in the order of the lists.
    for (int k = 0; k < 2; k++) targets[k] = (me + 1) % n, sources[k] = (me + n - 1) % n;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                      0, &comm));
    all_calls(comm);
    OK(MPI_Comm_free(&comm));
    // Everyone sends to rank 0 alone.
    int zero = 0;
    in_degree = me ? 0 : n;
    out_degree = 1;
    for (int r = 0; r < n; r++) sources[r] = n - 1 - r, edges[r] = 0;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degree, sources, MPI_UNWEIGHTED, 1, &zero, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &comm));
    all_calls(comm);
    OK(MPI_Comm_free(&comm));
    free(in);
    free(out);
    return finish("large_neighbor");
}
