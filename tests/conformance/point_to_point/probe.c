// ranks: 2 3 5
// timeout: 20
// MPI_Probe and MPI_Iprobe: they report source, tag and size of the message the next receive gets, do not consume it,
// and wildcards find the oldest.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int sizes[] = {0, 1, 7, 64, 1000, 40000, 1500000};
    const int kinds = sizeof sizes / sizeof *sizes;
    if (world_rank == 0) {
        for (int i = 0; i < kinds * (world_size - 1); i++) {
            MPI_Status probed, again, received;
            int count, recount;
            if (i % 2) {
                OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed));
            } else {
                int flag = 0;
                while (!flag) OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &probed));
            }
            OK(MPI_Get_count(&probed, MPI_BYTE, &count));
            OK(MPI_Probe(probed.MPI_SOURCE, probed.MPI_TAG, MPI_COMM_WORLD, &again));
            OK(MPI_Get_count(&again, MPI_BYTE, &recount));
            CHECK_INT(recount, count);
            CHECK(probed.MPI_TAG >= 0 && probed.MPI_TAG < kinds);
            CHECK_INT(count, sizes[probed.MPI_TAG % kinds]);
            unsigned char *in = space((size_t)count);
            OK(MPI_Recv(in, count, MPI_BYTE, probed.MPI_SOURCE, probed.MPI_TAG, MPI_COMM_WORLD, &received));
            CHECK_INT(received.MPI_SOURCE, probed.MPI_SOURCE);
            CHECK_INT(received.MPI_TAG, probed.MPI_TAG);
            CHECK_FILLED(in, count, probed.MPI_SOURCE * 100 + probed.MPI_TAG);
            free(in);
        }
        int flag = -1;
        OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0);
    } else {
        for (int i = 0; i < kinds; i++) {
            unsigned char *out = space((size_t)sizes[i]);
            fill(out, (size_t)sizes[i], (uint64_t)(world_rank * 100 + i));
            OK(MPI_Send(out, sizes[i], MPI_BYTE, 0, i, MPI_COMM_WORLD));
            free(out);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));

    // Probing for the second of two messages leaves the first one first.
    if (world_rank == 1) {
        for (int i = 10; i < 12; i++) OK(MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD));
    } else if (world_rank == 0) {
        MPI_Status status;
        int value = 0;
        OK(MPI_Probe(1, 11, MPI_COMM_WORLD, &status));
        CHECK_INT(status.MPI_TAG, 11);
        OK(MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_INT(status.MPI_TAG, 10);
        OK(MPI_Recv(&value, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_INT(value, 10);
        OK(MPI_Recv(&value, 1, MPI_INT, 1, 11, MPI_COMM_WORLD, &status));
        CHECK_INT(value, 11);
    }
    // A message matched by a posted receive is not probed.
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (world_rank == 0) {
        int value = 0, flag = -1;
        MPI_Request request;
        OK(MPI_Irecv(&value, 1, MPI_INT, 1, 20, MPI_COMM_WORLD, &request));
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_INT, 1, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Iprobe(1, 20, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(value, 42);
    } else if (world_rank == 1) {
        int value = 42;
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(&value, 1, MPI_INT, 0, 20, MPI_COMM_WORLD));
        OK(MPI_Send(NULL, 0, MPI_INT, 0, 21, MPI_COMM_WORLD));
    }
    return finish("probe");
}
