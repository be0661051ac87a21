// ranks: 1 2 3 5
// timeout: 20
// Graph topologies: neighbours as given, including several edges between two nodes and loops, enquiries, graphs
// smaller than the communicator, map.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, me = world_rank, nodes, edges, count, status, rank;
    int index[8], edge[64], used = 0, got_index[8], got_edge[64], neighbours[64];
    // Node i: both sides of a ring, a loop, and both sides again.
    for (int i = 0; i < n; i++) {
        edge[used++] = (i + 1) % n;
        edge[used++] = (i + n - 1) % n;
        edge[used++] = i;
        edge[used++] = (i + 1) % n;
        edge[used++] = (i + n - 1) % n; // symmetric: as many edges back
        index[i] = used;
    }
    MPI_Comm graph;
    OK(MPI_Graph_create(MPI_COMM_WORLD, n, index, edge, 0, &graph));
    OK(MPI_Topo_test(graph, &status));
    CHECK_INT(status, MPI_GRAPH);
    OK(MPI_Graphdims_get(graph, &nodes, &edges));
    CHECK_INT(nodes, n);
    CHECK_INT(edges, 5 * n);
    OK(MPI_Graph_get(graph, 8, 64, got_index, got_edge));
    CHECK(memcmp(index, got_index, sizeof(int) * (size_t)n) == 0);
    CHECK(memcmp(edge, got_edge, sizeof(int) * (size_t)used) == 0);
    for (int r = 0; r < n; r++) {
        OK(MPI_Graph_neighbors_count(graph, r, &count));
        CHECK_INT(count, 5);
        OK(MPI_Graph_neighbors(graph, r, 64, neighbours));
        CHECK(neighbours[0] == (r + 1) % n && neighbours[1] == (r + n - 1) % n && neighbours[2] == r &&
              neighbours[3] == (r + 1) % n);
    }
    OK(MPI_Comm_rank(graph, &rank));
    CHECK_INT(rank, me);
    int out = me * 10, in[5] = {-1, -1, -1, -1, -1};
    OK(MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, graph));
    CHECK(in[1] == (me + n - 1) % n * 10 && in[2] == me * 10);
    MPI_Comm copy;
    OK(MPI_Comm_dup(graph, &copy));
    OK(MPI_Topo_test(copy, &status));
    CHECK_INT(status, MPI_GRAPH);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&graph));
    if (n > 1) { // one node fewer, a star around node 0
        used = 0;
        for (int i = 0; i < n - 1; i++) {
            if (i == 0)
                for (int j = 1; j < n - 1; j++) edge[used++] = j;
            else
                edge[used++] = 0;
            index[i] = used;
        }
        int where = -5;
        OK(MPI_Graph_map(MPI_COMM_WORLD, n - 1, index, edge, &where));
        OK(MPI_Graph_create(MPI_COMM_WORLD, n - 1, index, edge, 1, &graph));
        int members = graph != MPI_COMM_NULL, all = 0;
        OK(MPI_Allreduce(&members, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(all, n - 1);
        int rank = MPI_UNDEFINED;
        if (members)
            OK(MPI_Comm_rank(graph, &rank));
        CHECK_INT(where, rank);
        if (members) {
            OK(MPI_Graph_neighbors_count(graph, 0, &count));
            CHECK_INT(count, n - 2);
            OK(MPI_Comm_free(&graph));
        }
    }
    return finish("graph");
}
