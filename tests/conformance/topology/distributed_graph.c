// ranks: 1 2 3 5
// timeout: 20
// Distributed graphs, given by each process for itself and by anyone for anyone: degrees, neighbours, weights,
// unweighted, empty weights, processes without edges.
#include "check.h"

static int total(const int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, me = world_rank, in, out, weighted, status;
    MPI_Comm graph;
    int sources[8], targets[8], source_weights[8], target_weights[8];

    // A ring, adjacent: from the left, to the right, the weight is the sender's rank.
    int left = (me + n - 1) % n, right = (me + 1) % n;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &left, 1, &right, &me, MPI_INFO_NULL, 0, &graph));
    OK(MPI_Topo_test(graph, &status));
    CHECK_INT(status, MPI_DIST_GRAPH);
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && weighted);
    OK(MPI_Dist_graph_neighbors(graph, 8, sources, source_weights, 8, targets, target_weights));
    CHECK(sources[0] == left && source_weights[0] == left && targets[0] == right && target_weights[0] == me);
    MPI_Comm copy;
    OK(MPI_Comm_dup(graph, &copy));
    OK(MPI_Dist_graph_neighbors_count(copy, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && weighted);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&graph));

    // Unweighted, order kept: to everyone in descending order.
    for (int i = 0; i < n; i++) sources[i] = targets[i] = n - 1 - i;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, sources, MPI_UNWEIGHTED, n, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                      &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == n && out == n && !weighted);
    memset(sources, 0xff, sizeof sources);
    OK(MPI_Dist_graph_neighbors(graph, n, sources, MPI_UNWEIGHTED, n, targets, MPI_UNWEIGHTED));
    for (int i = 0; i < n; i++) CHECK(sources[i] == n - 1 - i && targets[i] == n - 1 - i);
    OK(MPI_Comm_free(&graph));

    // Rank 0 alone describes everything: a ring and edges from 0 to everyone.
    int from[16], degrees[16], to[64], weights[64], used = 0;
    for (int i = 0; i < n; i++) {
        from[i] = i;
        degrees[i] = i == 0 ? 1 + n : 1;
        to[used] = (i + 1) % n;
        weights[used++] = i * 100;
        if (i == 0)
            for (int j = 0; j < n; j++) to[used] = j, weights[used++] = 1000 + j;
    }
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, me == 0 ? n : 0, from, degrees, to, me == 0 ? weights : MPI_WEIGHTS_EMPTY,
                             MPI_INFO_NULL, 0, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_INT(out, me == 0 ? n + 1 : 1);
    CHECK_INT(in, 2);
    CHECK(weighted);
    OK(MPI_Dist_graph_neighbors(graph, 8, sources, source_weights, 8, targets, target_weights));
    CHECK_INT(total(source_weights, 2), left * 100 + 1000 + me);
    CHECK_INT(total(sources, 2), left);
    OK(MPI_Comm_free(&graph));

    // Everyone describes the edge that leaves its right neighbour.
    int one = 1, next = (right + 1) % n;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &right, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && !weighted);
    OK(MPI_Comm_free(&graph));

    // Only rank 0 has an edge, to the last.
    int last = n - 1, zero = 0;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, me == last, &zero, MPI_UNWEIGHTED, me == 0, &last, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == (me == last) && out == (me == 0));
    int value = 77, got = -1;
    OK(MPI_Neighbor_alltoall(&value, 1, MPI_INT, &got, 1, MPI_INT, graph));
    CHECK_INT(got, me == last ? 77 : -1);
    OK(MPI_Comm_free(&graph));
    return finish("distributed_graph");
}
