// ranks: 1 2 3
// timeout: 20
// MPI_Request_free on active sends: the handle is null at once, the message still arrives; also of persistent ones
// after they completed, and MPI_Finalize with freed sends whose receivers were slow.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    static const int sizes[] = {4, 500, 20000, 600000};
    unsigned char *out[4], *in = space(600000);
    for (int way = 0; way < 3; way++) {
        for (int i = 0; i < 4; i++) {
            MPI_Request request;
            out[i] = space((size_t)sizes[i]);
            fill(out[i], (size_t)sizes[i], (uint64_t)(world_rank + way));
            if (way == 0) {
                OK(MPI_Isend(out[i], sizes[i], MPI_BYTE, right, i, MPI_COMM_WORLD, &request));
            } else if (way == 1) {
                OK(MPI_Issend(out[i], sizes[i], MPI_BYTE, right, i, MPI_COMM_WORLD, &request));
            } else {
                OK(MPI_Send_init(out[i], sizes[i], MPI_BYTE, right, i, MPI_COMM_WORLD, &request));
                OK(MPI_Start(&request));
            }
            OK(MPI_Request_free(&request));
            CHECK(request == MPI_REQUEST_NULL);
        }
        for (int i = 3; i >= 0; i--) {
            OK(MPI_Recv(in, sizes[i], MPI_BYTE, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_FILLED(in, sizes[i], left + way);
        }
        OK(MPI_Barrier(MPI_COMM_WORLD)); // all arrived: the buffers may go
        for (int i = 0; i < 4; i++) free(out[i]);
    }
    free(in);
    return finish("request_free");
}
