// ranks: 1 2
// timeout: 30
// The large-count (_c) twins of the point-to-point calls: same results as the int forms.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Count bytes = 300001, count = -1;
    unsigned char *out = space((size_t)bytes), *in = space((size_t)bytes);
    void *attachment = space(2 * (size_t)bytes + 4 * MPI_BSEND_OVERHEAD), *detached;
    MPI_Request requests[6];
    MPI_Status status;
    MPI_Message message;
    fill(out, (size_t)bytes, (uint64_t)world_rank);
    MPI_Count room = 2 * bytes + 4 * MPI_BSEND_OVERHEAD, room_back = 0;
    OK(MPI_Buffer_attach_c(attachment, room));

#define ARRIVED()                                     \
    do {                                              \
        CHECK_FILLED(in, bytes, left);                \
        OK(MPI_Get_count_c(&status, MPI_BYTE, &count)); \
        CHECK_INT(count, bytes);                      \
        memset(in, 0, (size_t)bytes);                 \
    } while (0)

    int (*blocking[])(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send_c, MPI_Bsend_c, MPI_Ssend_c,
                                                                                   MPI_Rsend_c};
    int (*nonblocking[])(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
        MPI_Isend_c, MPI_Ibsend_c, MPI_Issend_c, MPI_Irsend_c};
    int (*persistent[])(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
        MPI_Send_init_c, MPI_Bsend_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c};
    for (int mode = 0; mode < 4; mode++) {
        OK(MPI_Irecv_c(in, bytes, MPI_BYTE, left, mode, comm, &requests[0]));
        OK(MPI_Barrier(comm));
        OK(blocking[mode](out, bytes, MPI_BYTE, right, mode, comm));
        OK(MPI_Wait(&requests[0], &status));
        ARRIVED();
        OK(MPI_Irecv_c(in, bytes, MPI_BYTE, left, mode, comm, &requests[0]));
        OK(MPI_Barrier(comm));
        OK(nonblocking[mode](out, bytes, MPI_BYTE, right, mode, comm, &requests[1]));
        OK(MPI_Wait(&requests[0], &status));
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        ARRIVED();
        OK(MPI_Recv_init_c(in, bytes, MPI_BYTE, left, mode, comm, &requests[0]));
        OK(persistent[mode](out, bytes, MPI_BYTE, right, mode, comm, &requests[1]));
        for (int turn = 0; turn < 3; turn++) {
            OK(MPI_Start(&requests[0]));
            OK(MPI_Barrier(comm));
            OK(MPI_Start(&requests[1]));
            OK(MPI_Wait(&requests[0], &status));
            OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
            ARRIVED();
        }
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Request_free(&requests[1]));
    }
    OK(MPI_Isend_c(out, bytes, MPI_BYTE, right, 9, comm, &requests[0]));
    OK(MPI_Recv_c(in, bytes, MPI_BYTE, left, 9, comm, &status));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    ARRIVED();
    OK(MPI_Isend_c(out, bytes, MPI_BYTE, right, 9, comm, &requests[0]));
    OK(MPI_Mprobe(left, 9, comm, &message, &status));
    OK(MPI_Mrecv_c(in, bytes, MPI_BYTE, &message, &status));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    ARRIVED();
    OK(MPI_Isend_c(out, bytes, MPI_BYTE, right, 9, comm, &requests[0]));
    OK(MPI_Mprobe(left, 9, comm, &message, &status));
    OK(MPI_Imrecv_c(in, bytes, MPI_BYTE, &message, &requests[1]));
    OK(MPI_Wait(&requests[1], &status));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    ARRIVED();
    OK(MPI_Sendrecv_c(out, bytes, MPI_BYTE, right, 10, in, bytes, MPI_BYTE, left, 10, comm, &status));
    ARRIVED();
    memcpy(in, out, (size_t)bytes);
    OK(MPI_Sendrecv_replace_c(in, bytes, MPI_BYTE, right, 11, left, 11, comm, &status));
    ARRIVED();
    OK(MPI_Isendrecv_c(out, bytes, MPI_BYTE, right, 12, in, bytes, MPI_BYTE, left, 12, comm, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_FILLED(in, bytes, left);
    memcpy(in, out, (size_t)bytes);
    OK(MPI_Isendrecv_replace_c(in, bytes, MPI_BYTE, right, 13, left, 13, comm, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK_FILLED(in, bytes, left);
    OK(MPI_Barrier(comm));
    OK(MPI_Buffer_detach_c(&detached, &room_back));
    CHECK(detached == attachment);
    CHECK_INT(room_back, room);
    free(attachment);
    free(out);
    free(in);
    return finish("large_count");
}
