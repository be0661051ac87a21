// ranks: 2 3 5
// timeout: 40
// Every rank but one sends it messages it does not receive for a while: nothing is lost, order is kept, the senders
// are held back or buffered, never failed; meanwhile another pair of tags still gets through.
#include "check.h"

#define ALL 100000
#define LARGE 300

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int each = ALL / (world_size - 1);
    if (world_rank == 0) {
        MPI_Status status;
        int *next = calloc((size_t)world_size, sizeof *next), body[16];
        pause_microseconds(200000);
        for (int i = 0; i < each * (world_size - 1); i++) {
            OK(MPI_Recv(body, 16, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
            int source = status.MPI_SOURCE, count;
            OK(MPI_Get_count(&status, MPI_INT, &count));
            if (count != 1 + body[0] % 16 || body[0] != next[source] || body[count - 1] != (count > 1 ? source : body[0]))
                CHECK_THAT(0, "source %d message %d, expected %d, %d ints", source, body[0], next[source], count);
            next[source]++;
        }
        for (int r = 1; r < world_size; r++) CHECK_INT(next[r], each);
        free(next);
    } else {
        int body[16];
        for (int i = 0; i < each; i++) {
            body[i % 16] = world_rank;
            body[0] = i;
            OK(MPI_Send(body, 1 + i % 16, MPI_INT, 0, 1, MPI_COMM_WORLD));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    // The same with messages of 64 KiB, received in the reverse order of sources.
    const int bytes = 65536;
    int few = LARGE / (world_size - 1);
    unsigned char *buffer = space((size_t)bytes);
    if (world_rank == 0) {
        pause_microseconds(50000);
        for (int r = world_size - 1; r > 0; r--)
            for (int i = 0; i < few; i++) {
                OK(MPI_Recv(buffer, bytes, MPI_BYTE, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                CHECK_INT(buffer[0], i % 256);
                CHECK(all_bytes(buffer, (size_t)bytes, (unsigned char)i));
            }
    } else {
        for (int i = 0; i < few; i++) {
            memset(buffer, i, (size_t)bytes);
            OK(MPI_Send(buffer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
        }
    }
    free(buffer);
    return finish("flood");
}
