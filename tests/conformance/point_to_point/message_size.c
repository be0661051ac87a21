// ranks: 2
// timeout: 30
// A ping-pong at every power of two and its neighbours up to 8 MiB, each size once into a receive that waits and once
// as an unexpected message (a later message with another tag is received first).
#include "check.h"

static void expected(int bytes, unsigned char *out, unsigned char *in) {
    int other = 1 - world_rank;
    fill(out, (size_t)bytes, (uint64_t)bytes * 2 + (uint64_t)world_rank);
    memset(in, 0xee, (size_t)bytes + 8);
    for (int turn = 0; turn < 2; turn++)
        if (turn == world_rank)
            OK(MPI_Send(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD));
        else
            OK(MPI_Recv(in, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_FILLED(in, bytes, bytes * 2 + other);
    CHECK(all_bytes(in + bytes, 8, 0xee));
}

static void unexpected(int bytes, unsigned char *out, unsigned char *in) {
    int other = 1 - world_rank, token = bytes, count = -1;
    MPI_Request request;
    MPI_Status status;
    fill(out, (size_t)bytes, (uint64_t)bytes * 3 + (uint64_t)world_rank);
    memset(in, 0xee, (size_t)bytes + 8);
    OK(MPI_Isend(out, bytes, MPI_BYTE, other, 2, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&token, 1, MPI_INT, other, 3, MPI_COMM_WORLD));
    token = -1;
    OK(MPI_Recv(&token, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(token, bytes);
    // More room than the message needs.
    OK(MPI_Recv(in, bytes + 8, MPI_BYTE, other, 2, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, bytes);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_FILLED(in, bytes, bytes * 3 + other);
    CHECK(all_bytes(in + bytes, 8, 0xee));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    const int largest = 1 << 23;
    unsigned char *out = space((size_t)largest + 64), *in = space((size_t)largest + 64);
    for (int bytes = 0; bytes <= 600; bytes++) { // every size that could fit few cache lines
        expected(bytes, out, in);
        unexpected(bytes, out, in);
    }
    for (int power = 1024; power <= largest; power *= 2)
        for (int bytes = power - 1; bytes <= power + 1; bytes++) {
            expected(bytes, out, in);
            unexpected(bytes, out, in);
        }
    free(out);
    free(in);
    return finish("message_size");
}
