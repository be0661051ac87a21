// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Comm_create with one group and with disjoint groups, and MPI_Comm_create_group, which only the members call and
// which threads of calls are told apart by tag.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, me = world_rank, size, rank, list[16], used = 0, result;
    MPI_Group world, group;
    MPI_Comm comm, second;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));

    for (int i = n - 1; i >= 0; i -= 2) list[used++] = i; // every second, from the last
    OK(MPI_Group_incl(world, used, list, &group));
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    int member = (n - 1 - me) % 2 == 0;
    if (member) {
        OK(MPI_Comm_rank(comm, &rank));
        OK(MPI_Comm_size(comm, &size));
        CHECK_INT(size, used);
        CHECK_INT(rank, (n - 1 - me) / 2);
        int value = me;
        OK(MPI_Bcast(&value, 1, MPI_INT, 0, comm));
        CHECK_INT(value, n - 1);
        OK(MPI_Comm_free(&comm));
        // Only members call this one.
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 4, &second));
        OK(MPI_Comm_compare(comm, second, &result));
        CHECK_INT(result, MPI_CONGRUENT);
        OK(MPI_Comm_rank(comm, &rank));
        CHECK_INT(rank, (n - 1 - me) / 2);
        int sum = 0, one = 1;
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, second));
        CHECK_INT(sum, used);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_free(&second));
    } else {
        CHECK(comm == MPI_COMM_NULL);
    }
    OK(MPI_Group_free(&group));

    // Disjoint groups in one call.
    used = 0;
    for (int i = me % 2; i < n; i += 2) list[used++] = i;
    OK(MPI_Group_incl(world, used, list, &group));
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    OK(MPI_Comm_size(comm, &size));
    CHECK_INT(size, used);
    int sum = 0, one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(sum, used);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&group));

    OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);

    // The members form theirs while the others are busy with each other.
    if (n >= 3) {
        if (me < 2) {
            int pair[2] = {1, 0};
            OK(MPI_Group_incl(world, 2, pair, &group));
            for (int i = 0; i < 20; i++) {
                OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, i, &comm));
                OK(MPI_Comm_rank(comm, &rank));
                CHECK_INT(rank, 1 - me);
                OK(MPI_Barrier(comm));
                OK(MPI_Comm_free(&comm));
            }
            OK(MPI_Group_free(&group));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Group_free(&world));
    return finish("create");
}
