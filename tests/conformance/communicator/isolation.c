// ranks: 2 3 5
// timeout: 20
// Messages stay in their communicator although source, tag and moment are the same: overlapping communicators with
// different orders of ranks, unexpected and posted, and probes.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comms[4] = {MPI_COMM_WORLD};
    int n = world_size, flag;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[2]));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, (world_rank + 1) % n, &comms[3]));
    for (int way = 0; way < 2; way++) {
        MPI_Request requests[8];
        int in[4] = {-1, -1, -1, -1}, out[4], rank[4];
        for (int half = 0; half < 2; half++)
            for (int c = 0; c < 4; c++) {
                OK(MPI_Comm_rank(comms[c], &rank[c]));
                if (half == way) {
                    OK(MPI_Irecv(&in[c], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &requests[c]));
                } else { // in another order of communicators
                    int d = 3 - c, me;
                    OK(MPI_Comm_rank(comms[d], &me));
                    out[d] = d * 100 + me;
                    OK(MPI_Isend(&out[d], 1, MPI_INT, (me + 1) % n, 1, comms[d], &requests[4 + d]));
                }
            }
        OK(MPI_Waitall(8, requests, MPI_STATUSES_IGNORE));
        for (int c = 0; c < 4; c++) CHECK_INT(in[c], c * 100 + (rank[c] + n - 1) % n);
    }
    // A probe in one does not see what was sent in the other.
    OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Request request;
    int value = 5, in = 0;
    OK(MPI_Isend(&value, 1, MPI_INT, (world_rank + 1) % n, 2, comms[1], &request));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[2], &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[1], MPI_STATUS_IGNORE));
    OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, comms[1], MPI_STATUS_IGNORE));
    CHECK_INT(in, 5);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int c = 1; c < 4; c++) OK(MPI_Comm_free(&comms[c]));
    return finish("isolation");
}
