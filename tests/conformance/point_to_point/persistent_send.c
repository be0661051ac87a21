// ranks: 1 2 3 5
// timeout: 20
// Persistent requests of every send mode and of receiving: started again and again, alone and together, waited for
// and tested; an inactive one is complete and empty and stays allocated.
#include "check.h"

#define TURNS 30

static void inactive_is_empty(MPI_Request *request) {
    MPI_Status status;
    int flag = 0, count = -1, cancelled = -1;
    memset(&status, 0x55, sizeof status);
    OK(MPI_Wait(request, &status));
    CHECK(*request != MPI_REQUEST_NULL);
    CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 0);
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_INT(cancelled, 0);
    OK(MPI_Test(request, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK(*request != MPI_REQUEST_NULL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    static const int sizes[] = {1, 30, 3000, 100000};
    MPI_Comm comm = MPI_COMM_WORLD;
    int room = 4 * 110000 + 8 * MPI_BSEND_OVERHEAD;
    void *attachment = space((size_t)room);
    OK(MPI_Buffer_attach(attachment, room));
    for (size_t s = 0; s < 4; s++) {
        int bytes = sizes[s];
        unsigned char *out[4], *in[4];
        MPI_Request requests[8]; // 0..3 receive, 4..7 send, bsend, ssend, rsend
        MPI_Status statuses[8];
        for (int i = 0; i < 4; i++) {
            out[i] = space((size_t)bytes);
            in[i] = space((size_t)bytes);
            OK(MPI_Recv_init(in[i], bytes, MPI_BYTE, i % 2 ? left : MPI_ANY_SOURCE, i, comm, &requests[i]));
        }
        OK(MPI_Send_init(out[0], bytes, MPI_BYTE, right, 0, comm, &requests[4]));
        OK(MPI_Bsend_init(out[1], bytes, MPI_BYTE, right, 1, comm, &requests[5]));
        OK(MPI_Ssend_init(out[2], bytes, MPI_BYTE, right, 2, comm, &requests[6]));
        OK(MPI_Rsend_init(out[3], bytes, MPI_BYTE, right, 3, comm, &requests[7]));
        for (int i = 0; i < 8; i++) inactive_is_empty(&requests[i]);
        for (int turn = 0; turn < TURNS; turn++) {
            for (int i = 0; i < 4; i++) {
                fill(out[i], (size_t)bytes, (uint64_t)(world_rank * 1000 + turn * 4 + i));
                memset(in[i], 0, (size_t)bytes);
            }
            OK(MPI_Startall(4, requests));
            // The ready send needs the receive to be there.
            OK(MPI_Sendrecv(NULL, 0, MPI_INT, left, 50, NULL, 0, MPI_INT, right, 50, comm, MPI_STATUS_IGNORE));
            if (turn % 2)
                for (int i = 7; i >= 4; i--) OK(MPI_Start(&requests[i]));
            else
                OK(MPI_Startall(4, requests + 4));
            if (turn % 3 == 0) {
                OK(MPI_Waitall(8, requests, statuses));
            } else if (turn % 3 == 1) {
                for (int i = 0; i < 8; i++) OK(MPI_Wait(&requests[i], &statuses[i]));
            } else {
                for (int done = 0; done < 8;) {
                    int index;
                    MPI_Status status;
                    OK(MPI_Waitany(8, requests, &index, &status));
                    CHECK(index >= 0 && index < 8);
                    if (index < 0 || index > 7) break;
                    statuses[index] = status;
                    done++;
                }
                int index, flag;
                OK(MPI_Waitany(8, requests, &index, &statuses[7]));
                CHECK_INT(index, MPI_UNDEFINED);
                OK(MPI_Testany(8, requests, &index, &flag, &statuses[7]));
                CHECK_INT(index, MPI_UNDEFINED);
                CHECK_INT(flag, 1);
            }
            for (int i = 0; i < 4; i++) {
                int count = -1;
                CHECK_INT(statuses[i].MPI_SOURCE, left);
                CHECK_INT(statuses[i].MPI_TAG, i);
                OK(MPI_Get_count(&statuses[i], MPI_BYTE, &count));
                CHECK_INT(count, bytes);
                CHECK_FILLED(in[i], bytes, left * 1000 + turn * 4 + i);
            }
        }
        for (int i = 0; i < 8; i++) {
            inactive_is_empty(&requests[i]);
            OK(MPI_Request_free(&requests[i]));
            CHECK(requests[i] == MPI_REQUEST_NULL);
        }
        for (int i = 0; i < 4; i++) {
            free(out[i]);
            free(in[i]);
        }
    }
    void *detached;
    OK(MPI_Buffer_detach(&detached, &room));
    free(attachment);
    return finish("persistent_send");
}
