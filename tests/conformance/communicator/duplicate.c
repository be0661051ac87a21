// ranks: 1 2 3 5
// timeout: 20
// MPI_Comm_dup, dup_with_info, idup and idup_with_info: congruent to the original, an own world of messages, names not
// copied, groups the same; several idups at once, completed in any order.
#include "check.h"

static void usable(MPI_Comm comm, int factor) {
    int result, sum = 0, one = factor, rank, size, inter = -1;
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    CHECK(rank == world_rank && size == world_size);
    OK(MPI_Comm_test_inter(comm, &inter));
    CHECK_INT(inter, 0);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(sum, factor * world_size);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comm, comms[6];
    MPI_Request requests[6], request;
    MPI_Info info, back;
    int result, length;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
    CHECK_INT(result, MPI_IDENT);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result));
    CHECK_INT(result, world_size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    usable(comm, 1);
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK_STR(name, "");
    // What is sent in one is not received in the other.
    int out[2] = {1, 2}, in[2] = {0, 0}, right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    OK(MPI_Irecv(&in[1], 1, MPI_INT, left, 5, comm, &requests[0]));
    OK(MPI_Irecv(&in[0], 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Send(&out[0], 1, MPI_INT, right, 5, MPI_COMM_WORLD));
    OK(MPI_Send(&out[1], 1, MPI_INT, right, 5, comm));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in[0] == 1 && in[1] == 2);
    OK(MPI_Comm_free(&comm));
    CHECK(comm == MPI_COMM_NULL);

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    usable(comm, 2);
    OK(MPI_Comm_get_info(comm, &back));
    CHECK(back != MPI_INFO_NULL);
    OK(MPI_Info_free(&back));
    OK(MPI_Comm_set_info(comm, info));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm));
    usable(comm, 3);
    OK(MPI_Comm_free(&comm));

    OK(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    usable(comm, 4);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    usable(comm, 5);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_free(&info));
    for (int i = 0; i < 6; i++) OK(MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &requests[i]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 5; i >= 0; i--) OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (int i = 0; i < 6; i++) usable(comms[i], i);
    for (int i = 0; i < 6; i++) OK(MPI_Comm_free(&comms[i]));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_compare(comm, MPI_COMM_SELF, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    OK(MPI_Comm_free(&comm));
    return finish("duplicate");
}
