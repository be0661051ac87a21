// ranks: 1 2
// timeout: 20
// Wrong arguments of calls on communicators, groups, types, topologies, attributes, error handlers and info.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL, comm;
    MPI_Group group, no_group = MPI_GROUP_NULL, other;
    MPI_Datatype type, no_type = MPI_DATATYPE_NULL, predefined = MPI_INT;
    MPI_Info info;
    int value, n = world_size, flag, ranks[4];
    void *attribute;

    FAILS(MPI_Comm_rank(none, &value), MPI_ERR_COMM);
    FAILS(MPI_Comm_size(none, &value), MPI_ERR_COMM);
    FAILS(MPI_Comm_dup(none, &comm), MPI_ERR_COMM);
    FAILS(MPI_Comm_split(none, 0, 0, &comm), MPI_ERR_COMM);
    FAILS(MPI_Comm_free(&none), MPI_ERR_COMM);
    FAILS(MPI_Comm_free(&world), MPI_ERR_COMM); // predefined
    CHECK(world == MPI_COMM_WORLD);
    NOT_PEER FAILS(MPI_Comm_split(world, -5, 0, &comm), MPI_ERR_ARG);
    NOT_PEER FAILS(MPI_Comm_remote_size(world, &value), MPI_ERR_COMM);
    NOT_PEER FAILS(MPI_Comm_remote_group(world, &group), MPI_ERR_COMM);
    NOT_PEER FAILS(MPI_Intercomm_merge(world, 0, &comm), MPI_ERR_COMM);
    FAILS(MPI_Comm_create(world, no_group, &comm), MPI_ERR_GROUP);
    FAILS(MPI_Comm_split_type(world, -12345, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);

    OK(MPI_Comm_group(world, &group));
    FAILS(MPI_Group_size(no_group, &value), MPI_ERR_GROUP);
    FAILS(MPI_Group_free(&no_group), MPI_ERR_GROUP);
    ranks[0] = n;
    FAILS(MPI_Group_incl(group, 1, ranks, &other), MPI_ERR_RANK);
    FAILS(MPI_Group_excl(group, 1, ranks, &other), MPI_ERR_RANK);
    ranks[0] = ranks[1] = 0;
    NOT_PEER FAILS_EITHER(MPI_Group_incl(group, 2, ranks, &other), MPI_ERR_RANK, MPI_ERR_ARG); // twice the same
    int zero_stride[1][3] = {{0, 0, 0}};
    FAILS(MPI_Group_range_incl(group, 1, zero_stride, &other), MPI_ERR_ARG);
    ranks[0] = n + 5;
    FAILS(MPI_Group_translate_ranks(group, 1, ranks, group, ranks + 1), MPI_ERR_RANK);
    OK(MPI_Group_free(&group));

    FAILS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Type_contiguous(1, no_type, &type), MPI_ERR_TYPE);
    FAILS(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS_EITHER(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG, MPI_ERR_COUNT);
    FAILS(MPI_Type_size(no_type, &value), MPI_ERR_TYPE);
    FAILS(MPI_Type_commit(&no_type), MPI_ERR_TYPE);
    FAILS(MPI_Type_free(&no_type), MPI_ERR_TYPE);
    FAILS(MPI_Type_free(&predefined), MPI_ERR_TYPE);
    CHECK(predefined == MPI_INT);
    int ints[4];
    FAILS(MPI_Type_get_contents(MPI_INT, 4, 0, 0, ints, NULL, NULL), MPI_ERR_TYPE);
    int sizes[1] = {4}, subsizes[1] = {3}, starts[1] = {2};
    NOT_PEER FAILS(MPI_Type_create_subarray(1, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);

    int dims[2] = {n + 1, 1}, periods[2] = {0, 0}, negative[2] = {-1, 1};
    FAILS_EITHER(MPI_Cart_create(world, 2, dims, periods, 0, &comm), MPI_ERR_ARG, MPI_ERR_DIMS);
    NOT_PEER FAILS_EITHER(MPI_Cart_create(world, 2, negative, periods, 0, &comm), MPI_ERR_ARG, MPI_ERR_DIMS);
    FAILS(MPI_Cart_coords(world, 0, 2, dims), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Cart_shift(world, 0, 1, &value, &flag), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Cartdim_get(world, &value), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Graphdims_get(world, &value, &flag), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Dist_graph_neighbors_count(world, &value, &flag, ints), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Neighbor_allgather(ints, 1, MPI_INT, ints, 1, MPI_INT, world), MPI_ERR_TOPOLOGY);
    int grid[1] = {n};
    OK(MPI_Cart_create(world, 1, grid, periods, 0, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(MPI_Cart_coords(comm, n, 1, dims), MPI_ERR_RANK);
    int outside[1] = {n};
    FAILS_EITHER(MPI_Cart_rank(comm, outside, &value), MPI_ERR_ARG, MPI_ERR_RANK);
    FAILS_EITHER(MPI_Cart_shift(comm, 3, 1, &value, &flag), MPI_ERR_ARG, MPI_ERR_DIMS);
    OK(MPI_Comm_free(&comm));

    FAILS(MPI_Comm_get_attr(world, MPI_KEYVAL_INVALID, &attribute, &flag), MPI_ERR_KEYVAL);
    FAILS(MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL);
    int upper = MPI_TAG_UB;
    FAILS(MPI_Comm_set_attr(world, upper, NULL), MPI_ERR_KEYVAL);
    FAILS(MPI_Comm_free_keyval(&upper), MPI_ERR_KEYVAL);
    MPI_Errhandler no_handler = MPI_ERRHANDLER_NULL;
    FAILS_EITHER(MPI_Errhandler_free(&no_handler), MPI_ERR_ERRHANDLER, MPI_ERR_ARG);
    FAILS_EITHER(MPI_Comm_set_errhandler(world, no_handler), MPI_ERR_ERRHANDLER, MPI_ERR_ARG);

    MPI_Info no_info = MPI_INFO_NULL;
    FAILS_EITHER(MPI_Info_set(no_info, "a", "b"), MPI_ERR_INFO, MPI_ERR_ARG);
    FAILS_EITHER(MPI_Info_free(&no_info), MPI_ERR_INFO, MPI_ERR_ARG);
    OK(MPI_Info_create(&info));
    FAILS(MPI_Info_delete(info, "absent"), MPI_ERR_INFO_NOKEY);
    OK(MPI_Info_free(&info));
    NOT_PEER FAILS_EITHER(MPI_Error_class(-5, &value), MPI_ERR_ARG, MPI_ERR_UNKNOWN);
    FAILS_EITHER(MPI_Buffer_attach(ints, -1), MPI_ERR_ARG, MPI_ERR_BUFFER);
    int position = 0;
    NOT_PEER CHECK(MPI_Pack(ints, 4, MPI_INT, ints, 8, &position, world) != MPI_SUCCESS); // no room

    int one = 1, total = 0;
    OK(MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, world));
    CHECK_INT(total, n);
    return finish("object_argument");
}
