// ranks: 2
// timeout: 20
// A synchronous send is complete only when its receive has started: neither MPI_Issend nor a persistent synchronous
// send completes before; a probe does not complete it.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int sizes[] = {0, 8, 500, 100000};
    unsigned char *buffer = space(100000);
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            if (world_rank == 0) {
                MPI_Request request;
                int flag = 0;
                if (way == 0) {
                    OK(MPI_Issend(buffer, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
                } else {
                    OK(MPI_Ssend_init(buffer, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
                    OK(MPI_Start(&request));
                }
                for (int turn = 0; turn < 200; turn++) {
                    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
                    CHECK_INT(flag, 0);
                }
                OK(MPI_Recv(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); // it has been probed
                pause_microseconds(1000);
                OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
                CHECK_INT(flag, 0);
                OK(MPI_Send(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                if (way == 1) OK(MPI_Request_free(&request));
            } else {
                OK(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                OK(MPI_Send(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD));
                OK(MPI_Recv(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                OK(MPI_Recv(buffer, sizes[i], MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            }
        }
    free(buffer);
    return finish("synchronous_send");
}
