// ranks: 1 2
// timeout: 20
// differs: MPICH 5.0 gives the status of an inactive request (MPI_ANY_SOURCE) instead of MPI_PROC_NULL
// A started persistent receive from MPI_PROC_NULL completes with the status of an empty message from MPI_PROC_NULL.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Request request;
    MPI_Status status;
    int value = 4, count = -1;
    OK(MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request));
    for (int turn = 0; turn < 3; turn++) {
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, &status));
        CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
        CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_INT(count, 0);
        CHECK_INT(value, 4);
    }
    OK(MPI_Request_free(&request));
    return finish("null_process_persistent");
}
