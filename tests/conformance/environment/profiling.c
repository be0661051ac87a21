// ranks: 2 3
// timeout: 20
// The program defines MPI functions of its own that count and call the PMPI_ form: they are the ones called, and the
// library's other functions do not go through them.
#include "check.h"

static int sends, receives, allreduces, barriers, isends, waits;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    sends++;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    receives++;
    return PMPI_Recv(buf, count, type, source, tag, comm, status);
}
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
    isends++;
    return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    waits++;
    return PMPI_Wait(request, status);
}
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    allreduces++;
    return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
}
int MPI_Barrier(MPI_Comm comm) {
    barriers++;
    return PMPI_Barrier(comm);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int value = world_rank, sum = 0, in = -1, right = (world_rank + 1) % world_size;
    int left = (world_rank + world_size - 1) % world_size;
    MPI_Request request;
    OK(MPI_Isend(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Recv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, left);
    if (world_rank == 0) OK(MPI_Send(&value, 1, MPI_INT, world_size - 1, 2, MPI_COMM_WORLD));
    if (world_rank == world_size - 1) OK(MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_INT(sends, world_rank == 0);
    CHECK_INT(receives, 1 + (world_rank == world_size - 1));
    CHECK_INT(isends, 1);
    CHECK_INT(waits, 1);
    CHECK_INT(allreduces, 1);
    CHECK_INT(barriers, 1);
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm)); // made of messages, maybe: not of these functions
    OK(MPI_Bcast(&value, 1, MPI_INT, 0, comm));
    OK(MPI_Comm_free(&comm));
    CHECK_INT(sends, world_rank == 0);
    CHECK_INT(barriers, 1);
    CHECK_INT(allreduces, 1);
    CHECK_INT(isends, 1);
    return finish("profiling");
}
