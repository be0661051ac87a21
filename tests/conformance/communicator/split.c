// ranks: 1 2 3 4 5
// timeout: 20
// one-node:
// MPI_Comm_split by colour and key, with undefined colours, equal keys and deep recursion; MPI_Comm_split_type.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comm, next;
    int rank, size, result, n = world_size, me = world_rank;

    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm)); // reversed
    OK(MPI_Comm_rank(comm, &rank));
    CHECK_INT(rank, n - 1 - me);
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    CHECK_INT(result, n == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    int first = me;
    OK(MPI_Bcast(&first, 1, MPI_INT, 0, comm));
    CHECK_INT(first, n - 1);
    OK(MPI_Comm_free(&comm));

    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 7, &comm)); // equal keys keep the order
    OK(MPI_Comm_rank(comm, &rank));
    CHECK_INT(rank, me);
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    OK(MPI_Comm_free(&comm));

    OK(MPI_Comm_split(MPI_COMM_WORLD, me % 3 * 1000000, me, &comm));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_rank(comm, &rank));
    CHECK_INT(size, (n - me % 3 + 2) / 3);
    CHECK_INT(rank, me / 3);
    int sum = 0;
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    int expected = 0;
    for (int r = me % 3; r < n; r += 3) expected += r;
    CHECK_INT(sum, expected);
    OK(MPI_Comm_free(&comm));

    OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2 ? MPI_UNDEFINED : 5, 0, &comm));
    if (me % 2) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_size(comm, &size));
        CHECK_INT(size, (n + 1) / 2);
        OK(MPI_Comm_free(&comm));
    }
    // Halves of halves until each is alone; communicators of all levels stay usable.
    MPI_Comm levels[8] = {MPI_COMM_WORLD};
    int depth = 0;
    for (;;) {
        OK(MPI_Comm_size(levels[depth], &size));
        OK(MPI_Comm_rank(levels[depth], &rank));
        if (size == 1 || depth == 7) break;
        OK(MPI_Comm_split(levels[depth], rank < size / 2, rank, &next));
        levels[++depth] = next;
    }
    for (int d = depth; d >= 0; d--) {
        int one = 1, total = 0;
        OK(MPI_Comm_size(levels[d], &size));
        OK(MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, levels[d]));
        CHECK_INT(total, size);
    }
    for (int d = 1; d <= depth; d++) OK(MPI_Comm_free(&levels[d]));

    // Processes of one machine share memory.
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, &comm));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_rank(comm, &rank));
    CHECK_INT(size, n);
    CHECK_INT(rank, n - 1 - me);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, me ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL, &comm));
    if (me == 0) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_size(comm, &size));
        CHECK_INT(size, n - 1);
        OK(MPI_Comm_free(&comm));
    }
    // Guided by a resource type nobody knows: null communicators.
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "no such resource"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_free(&info));
    return finish("split");
}
