// ranks: 1 2 3 5
// timeout: 20
// MPI_Mprobe, Improbe, Mrecv and Imrecv: a matched message belongs to its handle, is invisible to every other probe
// and receive, and can be received in any order; MPI_PROC_NULL gives MPI_MESSAGE_NO_PROC.
#include "check.h"

static void no_process(void) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Request request;
    int flag = 0, count = -1;
    OK(MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Mrecv(NULL, 0, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 0);
    OK(MPI_Improbe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_INT(flag, 1);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Imrecv(NULL, 0, MPI_INT, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    OK(MPI_Wait(&request, &status));
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    no_process();
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    static const int sizes[] = {0, 5, 63, 900, 5000, 66000, 3000000, 17};
    enum { KINDS = sizeof sizes / sizeof *sizes };
    unsigned char *out[KINDS], *in[KINDS];
    MPI_Request sends[KINDS], receives[KINDS];
    MPI_Message messages[KINDS];
    MPI_Status status;
    int flag;

    OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &messages[0], &status));
    CHECK_INT(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < KINDS; i++) {
        out[i] = space((size_t)sizes[i]);
        in[i] = space((size_t)sizes[i]);
        fill(out[i], (size_t)sizes[i], (uint64_t)(world_rank * 50 + i));
        OK(MPI_Isend(out[i], sizes[i], MPI_BYTE, right, 9, MPI_COMM_WORLD, &sends[i]));
    }
    for (int i = 0; i < KINDS; i++) { // same tag: matched in the order of sending
        int count;
        if (i % 2) {
            OK(MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &messages[i], &status));
        } else {
            flag = 0;
            while (!flag) OK(MPI_Improbe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &messages[i], &status));
        }
        CHECK(messages[i] != MPI_MESSAGE_NULL && messages[i] != MPI_MESSAGE_NO_PROC);
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_INT(count, sizes[i]);
        CHECK_INT(status.MPI_SOURCE, left);
        CHECK_INT(status.MPI_TAG, 9);
    }
    OK(MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 0);
    MPI_Message none;
    OK(MPI_Improbe(left, 9, MPI_COMM_WORLD, &flag, &none, &status));
    CHECK_INT(flag, 0);
    for (int i = KINDS - 1; i >= 0; i--) { // received in the reverse order
        int count;
        if (i % 3 == 0) {
            OK(MPI_Mrecv(in[i], sizes[i], MPI_BYTE, &messages[i], &status));
            receives[i] = MPI_REQUEST_NULL;
            CHECK_INT(status.MPI_SOURCE, left);
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_INT(count, sizes[i]);
        } else {
            OK(MPI_Imrecv(in[i], sizes[i], MPI_BYTE, &messages[i], &receives[i]));
        }
        CHECK(messages[i] == MPI_MESSAGE_NULL);
    }
    OK(MPI_Waitall(KINDS, receives, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(KINDS, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < KINDS; i++) {
        CHECK_FILLED(in[i], sizes[i], left * 50 + i);
        free(in[i]);
        free(out[i]);
    }
    // A receive posted after the match gets the next message, not the matched one.
    int first = 1, second = 2, got = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Request both[2];
    OK(MPI_Isend(&first, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &both[0]));
    OK(MPI_Isend(&second, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &both[1]));
    OK(MPI_Mprobe(left, 4, MPI_COMM_WORLD, &messages[0], MPI_STATUS_IGNORE));
    OK(MPI_Recv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(got, 2);
    OK(MPI_Mrecv(&got, 1, MPI_INT, &messages[0], MPI_STATUS_IGNORE));
    CHECK_INT(got, 1);
    OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    return finish("matched_probe");
}
