// ranks: 2 3 5
// timeout: 40
// Everybody sends to everybody at once: large messages in both directions of every pair, receives posted before and
// after the sends, completed in mixed order; and all ranks into one.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int sizes[] = {1, 64, 2048, 16384, 100000, 1000003};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int after = 0; after < 2; after++) {
            int bytes = sizes[s], used = 0;
            size_t stride = (size_t)bytes;
            unsigned char *in = space(stride * (size_t)world_size), *out = space(stride * (size_t)world_size);
            MPI_Request *requests = space(2 * (size_t)world_size * sizeof *requests);
            memset(in, 0, stride * (size_t)world_size);
            for (int half = 0; half < 2; half++)
                for (int r = 0; r < world_size; r++) {
                    if (half == after) {
                        OK(MPI_Irecv(in + stride * (size_t)r, bytes, MPI_BYTE, r, 1, MPI_COMM_WORLD, &requests[used++]));
                    } else {
                        fill(out + stride * (size_t)r, stride, (uint64_t)(world_rank * 100 + r));
                        OK(MPI_Isend(out + stride * (size_t)r, bytes, MPI_BYTE, r, 1, MPI_COMM_WORLD, &requests[used++]));
                    }
                }
            for (int i = 0; i < used; i += 2) OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
            OK(MPI_Waitall(used, requests, MPI_STATUSES_IGNORE));
            for (int r = 0; r < world_size; r++) CHECK_FILLED(in + stride * (size_t)r, bytes, r * 100 + world_rank);
            // All into the last rank, blocking.
            int target = world_size - 1;
            if (world_rank != target) {
                OK(MPI_Send(out, bytes, MPI_BYTE, target, 2, MPI_COMM_WORLD));
            } else {
                for (int i = 0; i < target; i++) {
                    MPI_Status status;
                    OK(MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status));
                    CHECK_FILLED(in, bytes, status.MPI_SOURCE * 100);
                }
            }
            free(in);
            free(out);
            free(requests);
        }
    return finish("crossing");
}
