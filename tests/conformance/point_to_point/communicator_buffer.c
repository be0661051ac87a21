// ranks: 1 2 3
// timeout: 20
// Buffers attached to one communicator: used by its buffered sends alone, beside the process's buffer, flushed and
// detached by themselves; automatic ones; the _c forms.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    int room = 10 * (400 + MPI_BSEND_OVERHEAD), size = -1, value[100], in[100];
    char *attachment = space((size_t)room), *process = space((size_t)room);
    void *detached = NULL;
    MPI_Request request;

    OK(MPI_Comm_attach_buffer(comm, attachment, room));
    FAILS(MPI_Bsend(value, 1, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER); // the world has none
    OK(MPI_Buffer_attach(process, room));
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 100; j++) value[j] = i;
        OK(MPI_Bsend(value, 100, MPI_INT, right, i, comm));
        for (int j = 0; j < 100; j++) value[j] = i + 50;
        OK(MPI_Bsend(value, 100, MPI_INT, right, i, MPI_COMM_WORLD));
    }
    for (int i = 0; i < 5; i++) {
        OK(MPI_Recv(in, 100, MPI_INT, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(in[99], i + 50);
        OK(MPI_Recv(in, 100, MPI_INT, left, i, comm, MPI_STATUS_IGNORE));
        CHECK_INT(in[99], i);
    }
    OK(MPI_Comm_flush_buffer(comm));
    OK(MPI_Comm_iflush_buffer(comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer(comm, &detached, &size));
    CHECK(detached == attachment);
    CHECK_INT(size, room);
    OK(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == process);

    MPI_Count size_c = -1;
    OK(MPI_Comm_attach_buffer_c(comm, attachment, room));
    OK(MPI_Bsend_c(value, 100, MPI_INT, right, 7, comm));
    OK(MPI_Recv(in, 100, MPI_INT, left, 7, comm, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer_c(comm, &detached, &size_c));
    CHECK(detached == attachment);
    CHECK_INT(size_c, room);

    OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
    OK(MPI_Bsend(value, 100, MPI_INT, right, 8, comm));
    OK(MPI_Recv(in, 100, MPI_INT, left, 8, comm, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer(comm, &detached, &size));
    CHECK(detached == MPI_BUFFER_AUTOMATIC);
    free(attachment);
    free(process);
    OK(MPI_Comm_free(&comm));
    return finish("communicator_buffer");
}
