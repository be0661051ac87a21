// ranks: 1 2 3
// timeout: 20
// Buffered sends: complete without a receive, keep their order, fail with MPI_ERR_BUFFER where the space is too small,
// space is used again after delivery; detaching waits for delivery; flushing; MPI_BUFFER_AUTOMATIC.
#include "check.h"

static void drain(int source, int tag, int first, int count, int ints) {
    int *in = space((size_t)ints * sizeof *in);
    for (int i = 0; i < count; i++) {
        OK(MPI_Recv(in, ints, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(in[0], first + i);
        CHECK_INT(in[ints - 1], first + i);
    }
    free(in);
}

static void buffered(int to, int tag, int first, int count, int ints) {
    int *out = space((size_t)ints * sizeof *out);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < ints; j++) out[j] = first + i;
        OK(MPI_Bsend(out, ints, MPI_INT, to, tag, MPI_COMM_WORLD));
        memset(out, 0xff, (size_t)ints * sizeof *out);
    }
    free(out);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    void *detached = NULL;
    int size = -1, packed;
    static const int lengths[] = {1, 20, 1000, 50000};
    for (size_t s = 0; s < 4; s++) {
        int ints = lengths[s], count = 8;
        OK(MPI_Pack_size(ints, MPI_INT, MPI_COMM_WORLD, &packed));
        int room = count * (packed + MPI_BSEND_OVERHEAD);
        void *attachment = space((size_t)room);
        OK(MPI_Buffer_attach(attachment, room));
        for (int round = 0; round < 10; round++) { // every rank sends before any receives
            buffered(right, 1, round * 100, count, ints);
            drain(left, 1, round * 100, count, ints);
            OK(MPI_Barrier(MPI_COMM_WORLD)); // all delivered: the space is free again
        }
        if (world_size > 1) { // the messages leave although this rank only detaches, in turn
            buffered(right, 2, 7, 3, ints);
            if (world_rank % 2 == 0) OK(MPI_Buffer_detach(&detached, &size));
            drain(left, 2, 7, 3, ints);
            if (world_rank % 2 == 1) OK(MPI_Buffer_detach(&detached, &size));
            if (world_size % 2 == 1) OK(MPI_Barrier(MPI_COMM_WORLD));
        } else {
            OK(MPI_Buffer_detach(&detached, &size));
        }
        CHECK(detached == attachment);
        CHECK_INT(size, room);
        free(attachment);
    }
    // Too little space: an error, nothing sent, and what fits still goes.
    {
        int room = 2000 + MPI_BSEND_OVERHEAD;
        char *attachment = space((size_t)room), big[4000] = {0}, in[100];
        OK(MPI_Buffer_attach(attachment, room));
        FAILS(MPI_Bsend(big, 4000, MPI_CHAR, right, 3, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        OK(MPI_Bsend(big, 100, MPI_CHAR, right, 3, MPI_COMM_WORLD));
        MPI_Status status;
        OK(MPI_Recv(in, 100, MPI_CHAR, left, 3, MPI_COMM_WORLD, &status));
        int count;
        OK(MPI_Get_count(&status, MPI_CHAR, &count));
        CHECK_INT(count, 100);
        // Flush: after it, everything has left.
        OK(MPI_Bsend(big, 100, MPI_CHAR, right, 3, MPI_COMM_WORLD));
        OK(MPI_Recv(in, 100, MPI_CHAR, left, 3, MPI_COMM_WORLD, &status));
        OK(MPI_Buffer_flush());
        MPI_Request request;
        OK(MPI_Buffer_iflush(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Buffer_detach(&detached, &size));
        CHECK(detached == attachment);
        free(attachment);
    }
    // No space at all, and attaching twice, are errors.
    {
        int value = 1;
        char room[100 + MPI_BSEND_OVERHEAD];
        FAILS(MPI_Bsend(&value, 1, MPI_INT, right, 4, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        OK(MPI_Buffer_attach(room, sizeof room));
        FAILS_EITHER(MPI_Buffer_attach(room, sizeof room), MPI_ERR_BUFFER, MPI_ERR_OTHER);
        OK(MPI_Buffer_detach(&detached, &size));
        CHECK_INT(size, sizeof room);
    }
    // Automatic buffering needs no space from the program; detaching returns the constant and 0 bytes.
    {
        OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
        buffered(right, 5, 1, 20, 3000);
        drain(left, 5, 1, 20, 3000);
        OK(MPI_Buffer_detach(&detached, &size));
        CHECK(detached == MPI_BUFFER_AUTOMATIC);
        CHECK_INT(size, 0);
    }
    return finish("buffered_send");
}
