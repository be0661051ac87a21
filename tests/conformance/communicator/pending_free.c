// ranks: 2 3
// timeout: 20
// A communicator freed while requests on it are pending stays until they are complete: sends, receives, collectives.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    const int bytes = 500000;
    unsigned char *out = space((size_t)bytes), *in = space((size_t)bytes);
    for (int way = 0; way < 4; way++) {
        MPI_Comm comm, other;
        MPI_Request requests[2];
        fill(out, (size_t)bytes, (uint64_t)(world_rank + way));
        memset(in, 0, (size_t)bytes);
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (way < 2) {
            int count = way ? bytes : 50;
            OK(MPI_Irecv(in, count, MPI_BYTE, left, 1, comm, &requests[0]));
            if (world_rank == 0) pause_microseconds(3000);
            OK(MPI_Isend(out, count, MPI_BYTE, right, 1, comm, &requests[1]));
            OK(MPI_Comm_free(&comm));
            CHECK(comm == MPI_COMM_NULL);
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &other)); // must not meet what is pending
            OK(MPI_Comm_free(&other));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_FILLED(in, count, left + way);
        } else {
            int sum = 0, one = way;
            OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]));
            OK(MPI_Ibarrier(comm, &requests[1]));
            OK(MPI_Comm_free(&comm));
            OK(MPI_Barrier(MPI_COMM_WORLD));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_INT(sum, way * world_size);
        }
    }
    free(out);
    free(in);
    return finish("pending_free");
}
