// ranks: 1 2 4 5
// timeout: 20
// Cartesian topologies: coordinates and ranks both ways, shifts with and without periods, sub-grids, enquiries, grids
// smaller than the communicator, zero dimensions, MPI_Cart_map.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, status, count, rank, size;
    MPI_Comm cart, sub;
    OK(MPI_Topo_test(MPI_COMM_WORLD, &status));
    CHECK_INT(status, MPI_UNDEFINED);

    OK(MPI_Dims_create(n, 2, dims));
    CHECK_INT(dims[0] * dims[1], n);
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    OK(MPI_Topo_test(cart, &status));
    CHECK_INT(status, MPI_CART);
    OK(MPI_Comm_rank(cart, &rank));
    CHECK_INT(rank, world_rank); // no reordering was allowed
    OK(MPI_Cartdim_get(cart, &count));
    CHECK_INT(count, 2);
    int got_dims[2], got_periods[2], coordinates[2], mine[2];
    OK(MPI_Cart_get(cart, 2, got_dims, got_periods, mine));
    CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1]);
    CHECK(got_periods[0] && !got_periods[1]);
    for (int r = 0; r < n; r++) {
        int back = -1;
        OK(MPI_Cart_coords(cart, r, 2, coordinates));
        CHECK_INT(coordinates[0], r / dims[1]); // row-major
        CHECK_INT(coordinates[1], r % dims[1]);
        OK(MPI_Cart_rank(cart, coordinates, &back));
        CHECK_INT(back, r);
        coordinates[0] += 2 * dims[0]; // the periodic dimension wraps
        OK(MPI_Cart_rank(cart, coordinates, &back));
        CHECK_INT(back, r);
        coordinates[0] -= 5 * dims[0];
        OK(MPI_Cart_rank(cart, coordinates, &back));
        CHECK_INT(back, r);
    }
    OK(MPI_Cart_coords(cart, rank, 2, coordinates));
    CHECK(coordinates[0] == mine[0] && coordinates[1] == mine[1]);
    for (int displacement = -2; displacement <= 2; displacement++)
        for (int d = 0; d < 2; d++) {
            int source, target, expected_target, expected_source;
            OK(MPI_Cart_shift(cart, d, displacement, &source, &target));
            if (d == 0) {
                int a = ((mine[0] + displacement) % dims[0] + dims[0]) % dims[0];
                int b = ((mine[0] - displacement) % dims[0] + dims[0]) % dims[0];
                expected_target = a * dims[1] + mine[1];
                expected_source = b * dims[1] + mine[1];
            } else {
                int a = mine[1] + displacement, b = mine[1] - displacement;
                expected_target = a < 0 || a >= dims[1] ? MPI_PROC_NULL : mine[0] * dims[1] + a;
                expected_source = b < 0 || b >= dims[1] ? MPI_PROC_NULL : mine[0] * dims[1] + b;
            }
            CHECK_INT(target, expected_target);
            CHECK_INT(source, expected_source);
            int out = rank, in = -1;
            OK(MPI_Sendrecv(&out, 1, MPI_INT, target, 1, &in, 1, MPI_INT, source, 1, cart, MPI_STATUS_IGNORE));
            CHECK_INT(in, source == MPI_PROC_NULL ? -1 : source);
        }
    // Rows, columns, everything and nothing.
    for (int keep = 0; keep < 4; keep++) {
        int remain[2] = {keep & 1, keep >> 1}, sub_size, sub_rank, dimensions;
        OK(MPI_Cart_sub(cart, remain, &sub));
        OK(MPI_Comm_size(sub, &sub_size));
        OK(MPI_Comm_rank(sub, &sub_rank));
        CHECK_INT(sub_size, (remain[0] ? dims[0] : 1) * (remain[1] ? dims[1] : 1));
        CHECK_INT(sub_rank, remain[0] && remain[1] ? rank : remain[0] ? mine[0] : remain[1] ? mine[1] : 0);
        OK(MPI_Topo_test(sub, &status));
        CHECK_INT(status, MPI_CART);
        OK(MPI_Cartdim_get(sub, &dimensions));
        CHECK_INT(dimensions, remain[0] + remain[1]);
        int one = 1, sum = 0;
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, sub));
        CHECK_INT(sum, sub_size);
        OK(MPI_Comm_free(&sub));
    }
    // A duplicate keeps the topology.
    OK(MPI_Comm_dup(cart, &sub));
    OK(MPI_Topo_test(sub, &status));
    CHECK_INT(status, MPI_CART);
    OK(MPI_Comm_free(&sub));
    OK(MPI_Comm_free(&cart));

    // Three dimensions, reordering allowed: ranks are a permutation.
    int three[3] = {1, 0, 1};
    OK(MPI_Dims_create(n, 3, three));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 3, three, periods, 1, &cart));
    OK(MPI_Comm_rank(cart, &rank));
    int sum = 0;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, cart));
    CHECK_INT(sum, n * (n - 1) / 2);
    OK(MPI_Comm_free(&cart));

    // A grid that leaves some out.
    if (n > 1) {
        int less[1] = {n - 1}, no[1] = {0};
        OK(MPI_Cart_create(MPI_COMM_WORLD, 1, less, no, 0, &cart));
        if (world_rank == n - 1) {
            CHECK(cart == MPI_COMM_NULL);
        } else {
            OK(MPI_Comm_size(cart, &size));
            CHECK_INT(size, n - 1);
            OK(MPI_Comm_free(&cart));
        }
        int where = -5;
        OK(MPI_Cart_map(MPI_COMM_WORLD, 1, less, no, &where));
        // It tells where a reordering communicator has this process.
        OK(MPI_Cart_create(MPI_COMM_WORLD, 1, less, no, 1, &cart));
        if (cart == MPI_COMM_NULL) {
            CHECK_INT(where, MPI_UNDEFINED);
        } else {
            int rank = -1;
            OK(MPI_Comm_rank(cart, &rank));
            CHECK_INT(where, rank);
            OK(MPI_Comm_free(&cart));
        }
    }
    // No dimensions: one process has a communicator.
    OK(MPI_Cart_create(MPI_COMM_WORLD, 0, dims, periods, 0, &cart));
    if (world_rank == 0) {
        OK(MPI_Comm_size(cart, &size));
        CHECK_INT(size, 1);
        OK(MPI_Cartdim_get(cart, &count));
        CHECK_INT(count, 0);
        OK(MPI_Comm_free(&cart));
    } else {
        CHECK(cart == MPI_COMM_NULL);
    }
    return finish("cartesian");
}
