// ranks: 2
// timeout: 20
// A message longer than its receive gives MPI_ERR_TRUNCATE, in every way of receiving, posted or unexpected, small or
// large; memory past the receive buffer stays, and the next message arrives whole.
#include "check.h"

enum { RECV, IRECV, WAITALL, SENDRECV, MRECV, WAYS };

static void receive_short(int way, int bytes, int room, int posted) {
    unsigned char *in = space((size_t)bytes + 64);
    memset(in, 0x77, (size_t)bytes + 64);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    MPI_Message message;
    int whole = 0;
    if (posted && way == IRECV) OK(MPI_Irecv(in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]));
    if (posted && way == WAITALL) {
        OK(MPI_Irecv(in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Irecv(&whole, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]));
    }
    OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD));
    if (!posted) { // wait until the message is here: its successor on the same path has arrived
        OK(MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    switch (way) {
    case RECV: FAILS(MPI_Recv(in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &statuses[0]), MPI_ERR_TRUNCATE); break;
    case IRECV:
        if (!posted) OK(MPI_Irecv(in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]));
        FAILS(MPI_Wait(&requests[0], &statuses[0]), MPI_ERR_TRUNCATE);
        CHECK(requests[0] == MPI_REQUEST_NULL);
        break;
    case WAITALL:
        if (!posted) {
            OK(MPI_Irecv(in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Irecv(&whole, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]));
        }
        FAILS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
        FAILS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
        // The other one is complete or reported as pending; then it is still ours to complete.
        if (statuses[1].MPI_ERROR == MPI_ERR_PENDING) OK(MPI_Wait(&requests[1], &statuses[1]));
        else OK(statuses[1].MPI_ERROR);
        CHECK_INT(whole, bytes);
        break;
    case SENDRECV:
        FAILS(MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &statuses[0]),
              MPI_ERR_TRUNCATE);
        break;
    case MRECV:
        OK(MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &statuses[0]));
        FAILS(MPI_Mrecv(in, room, MPI_BYTE, &message, &statuses[0]), MPI_ERR_TRUNCATE);
        break;
    }
    if (way != WAITALL) {
        OK(MPI_Recv(&whole, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(whole, bytes);
    }
    CHECK_THAT(all_bytes(in + room, (size_t)(bytes + 64 - room), 0x77), "way %d, %d bytes into %d", way, bytes, room);
    free(in);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int sizes[] = {1, 9, 60, 200, 5000, 70000, 2000000};
    for (int way = 0; way < WAYS; way++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int posted = 0; posted < 2; posted++)
                for (int cut = 0; cut < 2; cut++) {
                    int bytes = sizes[i], room = cut ? bytes - 1 : bytes / 2;
                    if (world_rank == 1) {
                        receive_short(way, bytes, room, posted);
                    } else if (world_rank == 0) {
                        unsigned char *out = space((size_t)bytes);
                        MPI_Request request;
                        fill(out, (size_t)bytes, 3);
                        OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                        OK(MPI_Isend(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
                        OK(MPI_Send(&bytes, 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
                        // Whether the sender hears of the truncation is not specified: only that it completes.
                        MPI_Wait(&request, MPI_STATUS_IGNORE);
                        free(out);
                    }
                }
    return finish("truncation");
}
