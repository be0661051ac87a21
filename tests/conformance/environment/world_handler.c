// ranks: 1 2
// timeout: 20
// differs: handlers for errors without an object are MPI_COMM_WORLD's alone, or either's that returns
// Errors without an object go to MPI_COMM_SELF's handler once the program has set one there; until then to
// MPI_COMM_WORLD's, which is all that programs older than MPI-4.0 set.
#include "check.h"

static int world_calls, own_calls;
static MPI_Comm last_comm;

static void world_handler(MPI_Comm *comm, int *code, ...) {
    (void)code;
    last_comm = *comm;
    world_calls++;
}
static void own_handler(MPI_Comm *comm, int *code, ...) {
    (void)code;
    last_comm = *comm;
    own_calls++;
}

// Calls that fail without a valid communicator among their arguments; how many.
static int fail(void) {
    int value = 0, key = MPI_KEYVAL_INVALID;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    void *memory;
    FAILS(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    FAILS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    FAILS(MPI_Barrier((MPI_Comm)0x7777), MPI_ERR_COMM);
    FAILS(MPI_Type_size(type, &value), MPI_ERR_TYPE);
    FAILS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
    FAILS(MPI_Info_delete(MPI_INFO_NULL, "a"), MPI_ERR_INFO);
    FAILS(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
    FAILS(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
    return 11;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    begin_initialized();
    MPI_Errhandler world, own, got;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    fail();

    OK(MPI_Comm_create_errhandler(world_handler, &world));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, world));
    int failures_made = fail();
    CHECK_INT(world_calls, failures_made);
    CHECK(last_comm == MPI_COMM_WORLD);
    OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &got)); // to look is not to set
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    fail();
    CHECK_INT(world_calls, 2 * failures_made);

    OK(MPI_Comm_create_errhandler(own_handler, &own));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, own));
    fail();
    CHECK_INT(world_calls, 2 * failures_made);
    CHECK_INT(own_calls, failures_made);
    CHECK(last_comm == MPI_COMM_SELF);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    fail();
    CHECK_INT(world_calls, 2 * failures_made);
    CHECK_INT(own_calls, failures_made);

    OK(MPI_Errhandler_free(&world));
    OK(MPI_Errhandler_free(&own));
    return finish("world_handler");
}
