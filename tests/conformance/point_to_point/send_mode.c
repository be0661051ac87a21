// ranks: 2 3 5
// timeout: 30
// Every send mode, blocking and nonblocking, at every power of two and its neighbours, into receives that are posted
// first. The sender overwrites its buffer as soon as the mode allows it.
#include "check.h"

enum { SEND, BSEND, SSEND, RSEND, ISEND, IBSEND, ISSEND, IRSEND, MODES };
static const char *const mode_name[] = {"send", "bsend", "ssend", "rsend", "isend", "ibsend", "issend", "irsend"};

static void send_by(int mode, void *buffer, int bytes, int to, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    switch (mode) {
    case SEND: OK(MPI_Send(buffer, bytes, MPI_BYTE, to, tag, comm)); break;
    case BSEND: OK(MPI_Bsend(buffer, bytes, MPI_BYTE, to, tag, comm)); break;
    case SSEND: OK(MPI_Ssend(buffer, bytes, MPI_BYTE, to, tag, comm)); break;
    case RSEND: OK(MPI_Rsend(buffer, bytes, MPI_BYTE, to, tag, comm)); break;
    case ISEND: OK(MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, comm, &request)); break;
    case IBSEND: OK(MPI_Ibsend(buffer, bytes, MPI_BYTE, to, tag, comm, &request)); break;
    case ISSEND: OK(MPI_Issend(buffer, bytes, MPI_BYTE, to, tag, comm, &request)); break;
    case IRSEND: OK(MPI_Irsend(buffer, bytes, MPI_BYTE, to, tag, comm, &request)); break;
    }
    if (mode >= ISEND) {
        CHECK(request != MPI_REQUEST_NULL);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(request == MPI_REQUEST_NULL);
    }
}

static void transfer(int mode, int bytes, int from, int to, unsigned char *buffer) {
    int tag = mode * 100 + bytes % 97;
    uint64_t seed = (uint64_t)mode * 1000003 + (uint64_t)bytes;
    if (world_rank == from) {
        fill(buffer, (size_t)bytes, seed);
        OK(MPI_Recv(NULL, 0, MPI_INT, to, 9999, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        send_by(mode, buffer, bytes, to, tag);
        memset(buffer, 0x5a, (size_t)bytes);
    } else {
        MPI_Request request;
        MPI_Status status;
        int count = -1;
        memset(buffer, 0xa5, (size_t)bytes + 16);
        OK(MPI_Irecv(buffer, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request));
        OK(MPI_Send(NULL, 0, MPI_INT, from, 9999, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, &status));
        CHECK_INT(status.MPI_SOURCE, from);
        CHECK_INT(status.MPI_TAG, tag);
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_THAT(count == bytes, "%s of %d bytes gave count %d", mode_name[mode], bytes, count);
        CHECK_FILLED(buffer, bytes, seed);
        CHECK_THAT(all_bytes(buffer + bytes, 16, 0xa5), "%s of %d bytes wrote past its end", mode_name[mode], bytes);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int pair = world_rank ^ 1;
    const int largest = 1 << 23, largest_buffered = 1 << 20;
    unsigned char *buffer = space((size_t)largest + 64);
    int attached = largest_buffered + 64 + MPI_BSEND_OVERHEAD;
    void *attachment = space((size_t)attached);
    OK(MPI_Buffer_attach(attachment, attached));

    if (pair < world_size) {
        int low = world_rank & ~1;
        for (int mode = 0; mode < MODES; mode++) {
            int limit = mode == SEND || mode == ISSEND ? largest : mode == BSEND || mode == IBSEND ? largest_buffered : 1 << 18;
            transfer(mode, 0, low, low + 1, buffer);
            for (int power = 1; power <= limit; power *= 2)
                for (int bytes = power - 1; bytes <= power + 1; bytes++) {
                    int swap = bytes % 3 == 0;
                    transfer(mode, bytes, low + swap, low + !swap, buffer);
                }
        }
    }
    void *detached;
    int size;
    OK(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == attachment);
    CHECK_INT(size, attached);
    free(attachment);
    free(buffer);
    return finish("send_mode");
}
