// ranks: 1 2
// timeout: 20
// differs: MPICH 5.0 returns MPI_SUCCESS from the call after a handler of the program returned
// When an error handler of the program returns, the call returns the code the handler was given.
#include "check.h"

static int last_code;
static void handler(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    last_code = *code;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Errhandler mine;
    MPI_Comm comm;
    MPI_Request request;
    int value = 1, code, four[4] = {0};
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, mine));
    OK(MPI_Errhandler_free(&mine));
    code = MPI_Send(&value, 1, MPI_INT, world_size + 3, 0, comm);
    FAILS(code, MPI_ERR_RANK);
    CHECK_INT(code, last_code);
    code = MPI_Bcast(&value, -1, MPI_INT, 0, comm);
    FAILS(code, MPI_ERR_COUNT);
    CHECK_INT(code, last_code);
    OK(MPI_Irecv(&value, 1, MPI_INT, world_rank, 5, comm, &request));
    OK(MPI_Send(four, 4, MPI_INT, world_rank, 5, comm));
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    FAILS(code, MPI_ERR_TRUNCATE);
    CHECK_INT(code, last_code);
    OK(MPI_Comm_free(&comm));
    return finish("error_handler_result");
}
