// ranks: 1 2
// timeout: 20
// MPI_PROC_NULL as origin or target of every call: complete at once, buffers untouched, the status of an empty
// message from MPI_PROC_NULL with MPI_ANY_TAG.
#include "check.h"

static void check_status(const MPI_Status *status) {
    int count = -1;
    CHECK_INT(status->MPI_SOURCE, MPI_PROC_NULL);
    CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_INT(count, 0);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int value = 99, flag = 0, none = MPI_PROC_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Status status;
    MPI_Request request, requests[4];
    char attachment[1000 + MPI_BSEND_OVERHEAD];
    OK(MPI_Buffer_attach(attachment, sizeof attachment));
    OK(MPI_Send(&value, 1, MPI_INT, none, 1, comm));
    OK(MPI_Bsend(&value, 1, MPI_INT, none, 1, comm));
    OK(MPI_Ssend(&value, 1, MPI_INT, none, 1, comm));
    OK(MPI_Rsend(&value, 1, MPI_INT, none, 1, comm));
    OK(MPI_Isend(&value, 1, MPI_INT, none, 1, comm, &requests[0]));
    OK(MPI_Ibsend(&value, 1, MPI_INT, none, 1, comm, &requests[1]));
    OK(MPI_Issend(&value, 1, MPI_INT, none, 1, comm, &requests[2]));
    OK(MPI_Irsend(&value, 1, MPI_INT, none, 1, comm, &requests[3]));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Recv(&value, 1, MPI_INT, none, 1, comm, &status));
    check_status(&status);
    OK(MPI_Irecv(&value, 1, MPI_INT, none, MPI_ANY_TAG, comm, &request));
    OK(MPI_Test(&request, &flag, &status));
    CHECK_INT(flag, 1);
    check_status(&status);
    OK(MPI_Probe(none, 4, comm, &status));
    check_status(&status);
    OK(MPI_Iprobe(none, MPI_ANY_TAG, comm, &flag, &status));
    CHECK_INT(flag, 1);
    check_status(&status);
    OK(MPI_Recv_init(&value, 1, MPI_INT, none, 1, comm, &requests[0]));
    OK(MPI_Send_init(&value, 1, MPI_INT, none, 1, comm, &requests[1]));
    OK(MPI_Ssend_init(&value, 1, MPI_INT, none, 1, comm, &requests[2]));
    OK(MPI_Bsend_init(&value, 1, MPI_INT, none, 1, comm, &requests[3]));
    for (int turn = 0; turn < 3; turn++) {
        OK(MPI_Startall(4, requests));
        OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    }
    for (int i = 0; i < 4; i++) OK(MPI_Request_free(&requests[i]));
    OK(MPI_Sendrecv(&value, 1, MPI_INT, none, 0, &value, 1, MPI_INT, none, 0, comm, &status));
    check_status(&status);
    OK(MPI_Sendrecv_replace(&value, 1, MPI_INT, none, 0, none, 0, comm, &status));
    check_status(&status);
    CHECK_INT(value, 99);
    void *detached;
    int size;
    OK(MPI_Buffer_detach(&detached, &size));
    return finish("null_process");
}
