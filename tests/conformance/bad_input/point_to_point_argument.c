// ranks: 1 2
// timeout: 20
// Wrong arguments of point-to-point calls give the right class under MPI_ERRORS_RETURN, nothing is sent, and the
// program goes on: every argument of every call of the family.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD, no_comm = MPI_COMM_NULL;
    MPI_Datatype no_type = MPI_DATATYPE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;
    int b[4] = {0}, flag, n = world_size;
    static const int bad_ranks[] = {-1, -77, 1000000}; // MPI_ANY_SOURCE is no target
    char attachment[4000];
    OK(MPI_Buffer_attach(attachment, sizeof attachment));

    for (int i = 0; i < 4; i++) {
        int to = i == 3 ? n : bad_ranks[i];
        FAILS(MPI_Send(b, 1, MPI_INT, to, 0, comm), MPI_ERR_RANK);
        FAILS(MPI_Bsend(b, 1, MPI_INT, to, 0, comm), MPI_ERR_RANK);
        FAILS(MPI_Ssend(b, 1, MPI_INT, to, 0, comm), MPI_ERR_RANK);
        FAILS(MPI_Rsend(b, 1, MPI_INT, to, 0, comm), MPI_ERR_RANK);
        FAILS(MPI_Isend(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Ibsend(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Issend(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Irsend(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Send_init(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Ssend_init(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Bsend_init(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Rsend_init(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Sendrecv(b, 1, MPI_INT, to, 0, b + 1, 1, MPI_INT, 0, 0, comm, &status), MPI_ERR_RANK);
        FAILS(MPI_Sendrecv_replace(b, 1, MPI_INT, to, 0, 0, 0, comm, &status), MPI_ERR_RANK);
        FAILS(MPI_Send_c(b, 1, MPI_INT, to, 0, comm), MPI_ERR_RANK);
        FAILS(MPI_Isend_c(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        if (to == MPI_ANY_SOURCE) continue;
        FAILS(MPI_Recv(b, 1, MPI_INT, to, 0, comm, &status), MPI_ERR_RANK);
        FAILS(MPI_Irecv(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Recv_init(b, 1, MPI_INT, to, 0, comm, &request), MPI_ERR_RANK);
        FAILS(MPI_Probe(to, 0, comm, &status), MPI_ERR_RANK);
        FAILS(MPI_Iprobe(to, 0, comm, &flag, &status), MPI_ERR_RANK);
        FAILS(MPI_Mprobe(to, 0, comm, &message, &status), MPI_ERR_RANK);
        FAILS(MPI_Improbe(to, 0, comm, &flag, &message, &status), MPI_ERR_RANK);
    }
    int *upper, bad_tags[4] = {-1, MPI_ANY_TAG, -500, -1};
    OK(MPI_Comm_get_attr(comm, MPI_TAG_UB, &upper, &flag));
    if (*upper < INT32_MAX) bad_tags[3] = *upper + 1;
    for (int i = 0; i < 4; i++) {
        int tag = bad_tags[i];
        FAILS(MPI_Send(b, 1, MPI_INT, 0, tag, comm), MPI_ERR_TAG);
        FAILS(MPI_Ssend(b, 1, MPI_INT, 0, tag, comm), MPI_ERR_TAG);
        FAILS(MPI_Bsend(b, 1, MPI_INT, 0, tag, comm), MPI_ERR_TAG);
        FAILS(MPI_Isend(b, 1, MPI_INT, 0, tag, comm, &request), MPI_ERR_TAG);
        FAILS(MPI_Send_init(b, 1, MPI_INT, 0, tag, comm, &request), MPI_ERR_TAG);
        FAILS(MPI_Sendrecv(b, 1, MPI_INT, 0, tag, b + 1, 1, MPI_INT, 0, 0, comm, &status), MPI_ERR_TAG);
        if (tag == MPI_ANY_TAG) continue;
        NOT_PEER FAILS(MPI_Recv(b, 1, MPI_INT, 0, tag, comm, &status), MPI_ERR_TAG);
        NOT_PEER FAILS(MPI_Irecv(b, 1, MPI_INT, 0, tag, comm, &request), MPI_ERR_TAG);
        NOT_PEER FAILS(MPI_Probe(0, tag, comm, &status), MPI_ERR_TAG);
        NOT_PEER FAILS(MPI_Iprobe(0, tag, comm, &flag, &status), MPI_ERR_TAG);
        NOT_PEER FAILS(MPI_Mprobe(0, tag, comm, &message, &status), MPI_ERR_TAG);
    }
    FAILS(MPI_Send(b, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    FAILS(MPI_Send_c(b, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    FAILS(MPI_Bsend(b, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    FAILS(MPI_Isend(b, -5, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Issend(b, -5, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Recv(b, -1, MPI_INT, 0, 0, comm, &status), MPI_ERR_COUNT);
    FAILS(MPI_Irecv(b, -1, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Recv_init(b, -1, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Sendrecv(b, -1, MPI_INT, 0, 0, b + 1, 1, MPI_INT, 0, 0, comm, &status), MPI_ERR_COUNT);
    FAILS(MPI_Sendrecv(b, 1, MPI_INT, 0, 0, b + 1, -1, MPI_INT, 0, 0, comm, &status), MPI_ERR_COUNT);

    FAILS(MPI_Send(b, 1, no_type, 0, 0, comm), MPI_ERR_TYPE);
    FAILS(MPI_Isend(b, 1, no_type, 0, 0, comm, &request), MPI_ERR_TYPE);
    FAILS(MPI_Recv(b, 1, no_type, 0, 0, comm, &status), MPI_ERR_TYPE);
    FAILS(MPI_Irecv(b, 1, no_type, 0, 0, comm, &request), MPI_ERR_TYPE);
    MPI_Datatype raw;
    OK(MPI_Type_contiguous(2, MPI_INT, &raw)); // not committed
    FAILS(MPI_Send(b, 1, raw, 0, 0, comm), MPI_ERR_TYPE);
    FAILS(MPI_Isend(b, 1, raw, 0, 0, comm, &request), MPI_ERR_TYPE);
    FAILS(MPI_Recv(b, 1, raw, 0, 0, comm, &status), MPI_ERR_TYPE);
    FAILS(MPI_Irecv(b, 1, raw, 0, 0, comm, &request), MPI_ERR_TYPE);
    FAILS(MPI_Bcast(b, 1, raw, 0, comm), MPI_ERR_TYPE);
    OK(MPI_Type_free(&raw));

    // A null communicator: the error goes to MPI_COMM_SELF's handler, which returns.
    FAILS(MPI_Send(b, 1, MPI_INT, 0, 0, no_comm), MPI_ERR_COMM);
    FAILS(MPI_Isend(b, 1, MPI_INT, 0, 0, no_comm, &request), MPI_ERR_COMM);
    FAILS(MPI_Recv(b, 1, MPI_INT, 0, 0, no_comm, &status), MPI_ERR_COMM);
    FAILS(MPI_Irecv(b, 1, MPI_INT, 0, 0, no_comm, &request), MPI_ERR_COMM);
    FAILS(MPI_Probe(0, 0, no_comm, &status), MPI_ERR_COMM);

    // No memory behind a count above 0.
    FAILS(MPI_Send(NULL, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(NULL, 1, MPI_INT, 0, 0, comm, &status), MPI_ERR_BUFFER);
    FAILS(MPI_Irecv(NULL, 1, MPI_INT, 0, 0, comm, &request), MPI_ERR_BUFFER);

    // All of that left no trace: messages still go where they should.
    int right = (world_rank + 1) % n, left = (world_rank + n - 1) % n, in = -1;
    OK(MPI_Sendrecv(&world_rank, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, comm, &status));
    CHECK_INT(in, left);
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status));
    CHECK_INT(flag, 0);
    void *detached;
    int size;
    OK(MPI_Buffer_detach(&detached, &size));
    return finish("point_to_point_argument");
}
