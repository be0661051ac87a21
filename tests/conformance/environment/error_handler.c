// ranks: 1 2
// timeout: 20
// Error handlers: a function of the program is called with the communicator and the code; set, get, free while in use;
// inherited by dup; MPI_Comm_call_errhandler; errors of calls without communicator go to MPI_COMM_SELF's.
#include "check.h"

static int calls, last_code;
static MPI_Comm last_comm;
static int other_calls;

static void handler(MPI_Comm *comm, int *code, ...) {
    calls++;
    last_comm = *comm;
    last_code = *code;
}
static void other_handler(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    other_calls++;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Errhandler mine, other, got;
    MPI_Comm comm, copy;
    int value = 1, class_number;
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_create_errhandler(other_handler, &other));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_get_errhandler(comm, &got)); // inherited
    CHECK(got == MPI_ERRORS_RETURN);
    OK(MPI_Comm_set_errhandler(comm, mine));
    OK(MPI_Comm_get_errhandler(comm, &got));
    CHECK(got == mine);
    OK(MPI_Errhandler_free(&got));
    CHECK(got == MPI_ERRHANDLER_NULL);

    MPI_Send(&value, 1, MPI_INT, world_size + 3, 0, comm);
    CHECK_INT(calls, 1);
    CHECK(last_comm == comm);
    FAILS(last_code, MPI_ERR_RANK);
    MPI_Recv(&value, -1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    CHECK_INT(calls, 2);
    FAILS(last_code, MPI_ERR_COUNT);
    OK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
    CHECK_INT(calls, 3);
    CHECK_INT(last_code, MPI_ERR_OTHER);
    OK(MPI_Add_error_class(&class_number));
    OK(MPI_Comm_call_errhandler(comm, class_number));
    CHECK_INT(calls, 4);
    CHECK_INT(last_code, class_number);

    OK(MPI_Errhandler_free(&mine)); // in use: still called
    CHECK(mine == MPI_ERRHANDLER_NULL);
    OK(MPI_Comm_dup(comm, &copy));
    MPI_Send(&value, 1, MPI_INT, -77, 0, copy);
    CHECK_INT(calls, 5);
    CHECK(last_comm == copy);
    OK(MPI_Comm_set_errhandler(copy, other));
    MPI_Send(&value, 1, MPI_INT, -77, 0, copy);
    CHECK_INT(calls, 5);
    CHECK_INT(other_calls, 1);
    MPI_Send(&value, 1, MPI_INT, -77, 0, comm);
    CHECK_INT(calls, 6);
    OK(MPI_Comm_free(&copy));

    // An error that shows on completion goes to the communicator of the request.
    MPI_Request request;
    int small[1], large[4] = {0};
    OK(MPI_Irecv(small, 1, MPI_INT, world_rank, 5, comm, &request));
    OK(MPI_Send(large, 4, MPI_INT, world_rank, 5, comm));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    FAILS(last_code, MPI_ERR_TRUNCATE);
    CHECK_INT(calls, 7);
    CHECK(last_comm == comm);

    // Back to returning, by the constant.
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(MPI_Send(&value, 1, MPI_INT, -77, 0, comm), MPI_ERR_RANK);
    CHECK_INT(calls, 7);
    OK(MPI_Comm_free(&comm));

    // No communicator in the call: MPI_COMM_SELF's handler (MPI-4.0).
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, other));
    int before = other_calls;
    MPI_Datatype type;
    MPI_Type_contiguous(-1, MPI_INT, &type);
    CHECK_INT(other_calls, before + 1);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&other));
    return finish("error_handler");
}
