// ranks: 1 2
// timeout: 20
// A rank sends to itself: through the world and through MPI_COMM_SELF, in both orders of posting, in every mode that
// can complete, small and large, several at once.
#include "check.h"

static void between(MPI_Comm comm, int me, int bytes) {
    unsigned char *out = space((size_t)bytes), *in = space((size_t)bytes);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count;
    fill(out, (size_t)bytes, 7);

    memset(in, 0, (size_t)bytes); // receive first
    OK(MPI_Irecv(in, bytes, MPI_BYTE, me, 4, comm, &requests[0]));
    OK(MPI_Send(out, bytes, MPI_BYTE, me, 4, comm));
    OK(MPI_Wait(&requests[0], &statuses[0]));
    CHECK_FILLED(in, bytes, 7);
    CHECK_INT(statuses[0].MPI_SOURCE, me);

    memset(in, 0, (size_t)bytes); // send first
    OK(MPI_Isend(out, bytes, MPI_BYTE, me, 5, comm, &requests[0]));
    OK(MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &statuses[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_INT(statuses[0].MPI_SOURCE, me);
    CHECK_INT(statuses[0].MPI_TAG, 5);
    CHECK_FILLED(in, bytes, 7);

    memset(in, 0, (size_t)bytes); // synchronous: completes only because the receive is there
    OK(MPI_Issend(out, bytes, MPI_BYTE, me, 6, comm, &requests[0]));
    OK(MPI_Irecv(in, bytes, MPI_BYTE, me, 6, comm, &requests[1]));
    OK(MPI_Waitall(2, requests, statuses));
    OK(MPI_Get_count(&statuses[1], MPI_BYTE, &count));
    CHECK_INT(count, bytes);
    CHECK_FILLED(in, bytes, 7);

    memset(in, 0, (size_t)bytes); // ready
    OK(MPI_Irecv(in, bytes, MPI_BYTE, me, 7, comm, &requests[0]));
    OK(MPI_Rsend(out, bytes, MPI_BYTE, me, 7, comm));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_FILLED(in, bytes, 7);

    memset(in, 0, (size_t)bytes);
    OK(MPI_Sendrecv(out, bytes, MPI_BYTE, me, 8, in, bytes, MPI_BYTE, me, 8, comm, &statuses[0]));
    CHECK_FILLED(in, bytes, 7);
    OK(MPI_Sendrecv_replace(in, bytes, MPI_BYTE, me, 8, me, 8, comm, &statuses[0]));
    CHECK_FILLED(in, bytes, 7);
    free(out);
    free(in);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int sizes[] = {0, 1, 8, 100, 4096, 70000, 1 << 20, 5000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        between(MPI_COMM_WORLD, world_rank, sizes[i]);
        between(MPI_COMM_SELF, 0, sizes[i]);
    }
    // A message to oneself is not seen through another communicator.
    int flag = -1, value = 5, got = 0;
    MPI_Request request;
    OK(MPI_Isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(got, 5);
    return finish("self_message");
}
