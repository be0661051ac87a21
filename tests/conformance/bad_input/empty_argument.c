// ranks: 1 2
// timeout: 20
// Arguments that say that nothing is to be done, which others accept, too: no elements of MPI_DATATYPE_NULL,
// MPI_Free_mem of null, arrays without elements, buffers that are not attached, attributes that are not set, grids
// without places.
#include "check.h"

// No elements of no type, in sends, receives and the collective operations that take them.
static void no_elements(void) {
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype none = MPI_DATATYPE_NULL, many[8] = {none, none, none, none, none, none, none, none};
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size, zeros[8] = {0}, count;
    MPI_Request request;
    MPI_Status status;
    static const int partners[] = {MPI_PROC_NULL, 0};
    for (int i = 0; i < 2; i++) {
        int to = partners[i] == MPI_PROC_NULL ? MPI_PROC_NULL : right;
        int from = partners[i] == MPI_PROC_NULL ? MPI_PROC_NULL : left;
        OK(MPI_Irecv(NULL, 0, none, from, 1, comm, &request));
        OK(MPI_Send(NULL, 0, none, to, 1, comm));
        OK(MPI_Wait(&request, &status));
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_INT(count, 0);
        OK(MPI_Isend(NULL, 0, none, to, 2, comm, &request));
        OK(MPI_Recv(NULL, 0, none, from, 2, comm, &status));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Irecv(NULL, 0, MPI_INT, from, 3, comm, &request));
        OK(MPI_Ssend(NULL, 0, none, to, 3, comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Recv_init(NULL, 0, none, from, 4, comm, &request));
        OK(MPI_Start(&request));
        OK(MPI_Bsend(NULL, 0, none, MPI_PROC_NULL, 4, comm));
        OK(MPI_Send(NULL, 0, none, to, 4, comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&request));
        OK(MPI_Irecv(NULL, 0, none, from, 5, comm, &request));
        OK(MPI_Rsend(NULL, 0, none, MPI_PROC_NULL, 5, comm));
        OK(MPI_Send(NULL, 0, MPI_INT, to, 5, comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Sendrecv(NULL, 0, none, to, 6, NULL, 0, none, from, 6, comm, &status));
        OK(MPI_Sendrecv_replace(NULL, 0, none, to, 7, from, 7, comm, &status));
        OK(MPI_Isendrecv(NULL, 0, none, to, 8, NULL, 0, none, from, 8, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Bcast(NULL, 0, none, 0, comm));
    OK(MPI_Bcast(NULL, 0, world_rank ? none : MPI_INT, 0, comm));
    OK(MPI_Ibcast(NULL, 0, none, 0, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Alltoallw(&left, zeros, zeros, many, &count, zeros, zeros, many, comm));
    MPI_Comm ring;
    int periodic = 1;
    OK(MPI_Cart_create(comm, 1, &world_size, &periodic, 0, &ring));
    OK(MPI_Neighbor_allgather(NULL, 0, none, NULL, 0, none, ring));
    OK(MPI_Neighbor_alltoall(NULL, 0, none, NULL, 0, none, ring));
    static const MPI_Aint bytes[2] = {0};
    OK(MPI_Neighbor_alltoallw(NULL, zeros, bytes, many, NULL, zeros, bytes, many, ring));
    OK(MPI_Comm_free(&ring));
    // One element of no type is wrong, whomever it goes to.
    FAILS(MPI_Send(zeros, 1, none, MPI_PROC_NULL, 1, comm), MPI_ERR_TYPE);
    FAILS(MPI_Bcast(zeros, 1, none, 0, comm), MPI_ERR_TYPE);
    // Packing takes none, nor do the collective operations that scale displacements.
    count = 0;
    FAILS(MPI_Pack(zeros, 0, none, many, sizeof many, &count, comm), MPI_ERR_TYPE);
    FAILS(MPI_Unpack(zeros, sizeof zeros, &count, many, 0, none, comm), MPI_ERR_TYPE);
    FAILS(MPI_Alltoallv(zeros, zeros, zeros, none, many, zeros, zeros, none, comm), MPI_ERR_TYPE);
    FAILS(MPI_Send(zeros, -1, none, MPI_PROC_NULL, 1, comm), MPI_ERR_COUNT);
}

static void no_array_elements(int dimensions, const int *sizes, const int *subsizes, const int *starts, int extent) {
    MPI_Datatype type;
    int size = -1;
    MPI_Aint lower = -1, found = -1;
    static const int order[] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
    for (int i = 0; i < 2; i++) {
        OK(MPI_Type_create_subarray(dimensions, sizes, subsizes, starts, order[i], MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        if (dimensions > 0) {
            OK(MPI_Type_size(type, &size));
            CHECK_INT(size, 0);
            OK(MPI_Type_get_extent(type, &lower, &found));
            CHECK_INT(lower, 0);
            CHECK_INT(found, extent);
        }
        OK(MPI_Sendrecv(NULL, 1, type, 0, 9, NULL, 1, type, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        OK(MPI_Type_free(&type));
    }
}

static void arrays(void) {
    static const int sizes[] = {4, 3}, none[] = {0, 0}, some[] = {0, 2}, others[] = {2, 0}, ends[] = {4, 3};
    static const int beyond[] = {5, 3}, negative[] = {-1, 1};
    MPI_Datatype type;
    no_array_elements(1, sizes, none, none, 16);
    no_array_elements(1, sizes, none, ends, 16);
    no_array_elements(1, none, none, none, 0);
    no_array_elements(2, sizes, some, none, 48);
    no_array_elements(2, sizes, others, none, 48);
    NOT_PEER no_array_elements(0, NULL, NULL, NULL, 0);
    NOT_PEER FAILS(MPI_Type_create_subarray(1, sizes, none, beyond, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
    NOT_PEER FAILS(MPI_Type_create_subarray(1, sizes, negative, none, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
}

static void no_buffer(void) {
    void *address = &address;
    int size = -1;
    MPI_Count large = -1;
    OK(MPI_Buffer_detach(&address, &size));
    CHECK_INT(size, 0);
    OK(MPI_Buffer_detach_c(&address, &large));
    CHECK_INT(large, 0);
    size = -1;
    OK(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &size));
    CHECK_INT(size, 0);
}

static void no_attribute(void) {
    int key, type_key, set;
    void *value;
    MPI_Datatype type;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
    OK(MPI_Type_dup(MPI_INT, &type));
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    OK(MPI_Type_delete_attr(type, type_key));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
        OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &set));
        CHECK_INT(set, 0);
    }
    OK(MPI_Type_set_attr(type, type_key, &key));
    for (int i = 0; i < 2; i++) OK(MPI_Type_delete_attr(type, type_key));
    FAILS(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL);
    FAILS(MPI_Type_delete_attr(type, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL);
    FAILS(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
    OK(MPI_Type_free(&type));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Type_free_keyval(&type_key));
}

static void no_places(void) {
    static const int grids[3][2] = {{0, 2}, {7, 0}, {0, 0}}, periods[2] = {1, 0};
    for (int i = 0; i < 3; i++)
        for (int reorder = 0; reorder < 2; reorder++) {
            int rank = -9;
            MPI_Comm grid = MPI_COMM_WORLD;
            OK(MPI_Cart_map(MPI_COMM_WORLD, 2, grids[i], periods, &rank));
            CHECK_INT(rank, MPI_UNDEFINED);
            OK(MPI_Cart_create(MPI_COMM_WORLD, 2, grids[i], periods, reorder, &grid));
            CHECK(grid == MPI_COMM_NULL);
        }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    OK(MPI_Free_mem(NULL));
    no_elements();
    arrays();
    no_buffer();
    no_attribute();
    no_places();
    return finish("empty_argument");
}
