// ranks: 1
// timeout: 20
// Wrong use of requests: freeing a null one, starting one that is active or not persistent, counts below zero.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Request none = MPI_REQUEST_NULL, request, persistent;
    MPI_Message no_message = MPI_MESSAGE_NULL;
    int value = 1, in = 0, index, flag, indices[2], count;
    MPI_Status status;
    FAILS(MPI_Request_free(&none), MPI_ERR_REQUEST);
    FAILS(MPI_Cancel(&none), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&none), MPI_ERR_REQUEST);
    OK(MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST); // not persistent
    OK(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Recv_init(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &persistent));
    OK(MPI_Start(&persistent));
    FAILS(MPI_Start(&persistent), MPI_ERR_REQUEST); // active
    OK(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&persistent, &status));
    OK(MPI_Request_free(&persistent));
    FAILS_EITHER(MPI_Waitall(-1, &none, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, MPI_ERR_ARG);
    NOT_PEER FAILS_EITHER(MPI_Waitany(-1, &none, &index, &status), MPI_ERR_COUNT, MPI_ERR_ARG);
    FAILS_EITHER(MPI_Testall(-1, &none, &flag, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, MPI_ERR_ARG);
    NOT_PEER FAILS_EITHER(MPI_Waitsome(-1, &none, &count, indices, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, MPI_ERR_ARG);
    FAILS_EITHER(MPI_Startall(-1, &none), MPI_ERR_COUNT, MPI_ERR_ARG);
    FAILS(MPI_Mrecv(&in, 1, MPI_INT, &no_message, &status), MPI_ERR_REQUEST);
    FAILS(MPI_Imrecv(&in, 1, MPI_INT, &no_message, &request), MPI_ERR_REQUEST);
    return finish("request_argument");
}
