// Topologies with reordering: every rank tells its neighbours who it is, and neighbours are right
// by the numbers of the new communicator. Run by tests/tests/placement.rs.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what) {
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// Every vertex of the ring v -> v+1 with weights, made by who knows what; the new ranks must be the
// vertices.
static void check_ring(MPI_Comm ring, int n) {
    int rank, source, target, source_weight, target_weight, came = -1;
    MPI_Comm_rank(ring, &rank);
    MPI_Dist_graph_neighbors(ring, 1, &source, &source_weight, 1, &target, &target_weight);
    if (source != (rank + n - 1) % n || target != (rank + 1) % n) fail("a ring's neighbours");
    if (target_weight != rank + 1 || source_weight != source + 1) fail("a ring's weights");
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &came, 1, MPI_INT, ring);
    if (came != source) fail("what came around the ring");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int n, me;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);

    int dims[2] = {0, 0}, periods[2] = {1, 0};
    MPI_Dims_create(n, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    int rank, coordinates[2], back, up, down;
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coordinates);
    MPI_Cart_rank(grid, coordinates, &back);
    if (back != rank) fail("coordinates");
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    int came = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, down, 0, &came, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    if (came != up) fail("a shift");

    // Each half of the vertices forms a ring: as ranks are dealt out to two cores, each ring is on both.
    int half = n / 2, *index = malloc(n * sizeof(int)), *edges = malloc(n * sizeof(int));
    for (int v = 0; v < n; v++) {
        index[v] = v + 1;
        edges[v] = v < half ? (v + 1) % half : half + (v - half + 1) % (n - half);
    }
    MPI_Comm graph;
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 1, &graph);
    MPI_Comm_rank(graph, &rank);
    int neighbour;
    MPI_Graph_neighbors(graph, rank, 1, &neighbour);
    if (neighbour != edges[rank]) fail("a graph's neighbour");
    int moved = rank != me, all;
    MPI_Allreduce(&moved, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    MPI_Comm ring;
    int source = (me + n - 1) % n, target = (me + 1) % n, one = 1;
    int source_weight = source + 1, target_weight = me + 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, &source_weight, 1, &target,
                                   &target_weight, MPI_INFO_NULL, 1, &ring);
    check_ring(ring, n);
    MPI_Comm_free(&ring);
    // Each rank names the edge of the next vertex.
    int from = (me + 1) % n, to = (me + 2) % n, weight = from + 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &from, &one, &to, &weight, MPI_INFO_NULL, 1, &ring);
    check_ring(ring, n);
    MPI_Comm_free(&ring);
    if (me == 0) printf("moved %d\n", all);
    MPI_Finalize();
    return 0;
}
