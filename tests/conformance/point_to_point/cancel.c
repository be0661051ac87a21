// ranks: 2 3
// timeout: 20
// MPI_Cancel: a receive that nothing matched is cancelled, its buffer untouched, and the next message goes to the next
// receive; of a receive that may have matched exactly one of the two happens; a cancelled persistent receive starts again.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Status status;
    int flag;
    if (world_rank == 0) {
        int untouched = 7, value = 0;
        MPI_Request request, persistent;
        OK(MPI_Irecv(&untouched, 1, MPI_INT, 1, 1, comm, &request));
        OK(MPI_Cancel(&request));
        CHECK(request != MPI_REQUEST_NULL);
        OK(MPI_Wait(&request, &status));
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, 1);
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 9, comm));
        OK(MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, &status)); // what the cancelled one would have got
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, 0);
        CHECK_INT(value, 11);
        CHECK_INT(untouched, 7);

        // Cancel, then free instead of waiting.
        OK(MPI_Irecv(&untouched, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &request));
        OK(MPI_Cancel(&request));
        OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);

        // A persistent receive: cancelled when active, then started again.
        OK(MPI_Recv_init(&value, 1, MPI_INT, 1, 3, comm, &persistent));
        OK(MPI_Start(&persistent));
        OK(MPI_Cancel(&persistent));
        OK(MPI_Wait(&persistent, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, 1);
        CHECK(persistent != MPI_REQUEST_NULL);
        OK(MPI_Start(&persistent));
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 9, comm));
        OK(MPI_Wait(&persistent, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, 0);
        CHECK_INT(value, 33);
        OK(MPI_Request_free(&persistent));

        // Cancel in a queue of receives: only that one goes.
        MPI_Request queue[5];
        int got[5] = {-1, -1, -1, -1, -1};
        for (int i = 0; i < 5; i++) OK(MPI_Irecv(&got[i], 1, MPI_INT, 1, 4, comm, &queue[i]));
        OK(MPI_Cancel(&queue[2]));
        OK(MPI_Wait(&queue[2], &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, 1);
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 9, comm));
        OK(MPI_Waitall(5, queue, MPI_STATUSES_IGNORE));
        int expected[5] = {0, 1, -1, 2, 3};
        for (int i = 0; i < 5; i++) CHECK_INT(got[i], expected[i]);
    } else if (world_rank == 1) {
        int value = 11;
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE));
        OK(MPI_Send(&value, 1, MPI_INT, 0, 1, comm));
        value = 33;
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE));
        OK(MPI_Send(&value, 1, MPI_INT, 0, 3, comm));
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < 4; i++) OK(MPI_Send(&i, 1, MPI_INT, 0, 4, comm));
    }
    OK(MPI_Barrier(comm));

    // Racing with the message: either cancelled and the message is still there, or received.
    for (int i = 0; i < 50; i++) {
        if (world_rank == 0) {
            int value = -1, again = -1;
            MPI_Request request;
            OK(MPI_Irecv(&value, 1, MPI_INT, 1, 5, comm, &request));
            OK(MPI_Send(NULL, 0, MPI_INT, 1, 9, comm));
            if (i % 2) MPI_Iprobe(1, 6, comm, &flag, MPI_STATUS_IGNORE);
            OK(MPI_Cancel(&request));
            OK(MPI_Wait(&request, &status));
            OK(MPI_Test_cancelled(&status, &flag));
            if (flag) {
                CHECK_INT(value, -1);
                OK(MPI_Recv(&again, 1, MPI_INT, 1, 5, comm, MPI_STATUS_IGNORE));
                CHECK_INT(again, i);
            } else {
                CHECK_INT(value, i);
            }
        } else if (world_rank == 1) {
            OK(MPI_Recv(NULL, 0, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE));
            OK(MPI_Send(&i, 1, MPI_INT, 0, 5, comm));
        }
    }
    return finish("cancel");
}
