// ranks: 2 3 5
// timeout: 30
// Messages between two ranks do not overtake each other, whatever their sizes: every rank sends every other one a
// stream of mixed sizes, received with wildcards and with exact tags, early and late.
#include "check.h"

#define STREAM 300
#define LARGEST 200000

static int bytes_of(int from, int to, int position) {
    static const int sizes[] = {8, 4000, 12, 200000, 64, 9, 70000, 120, 8192, 16, 33000, 1024};
    return sizes[(from * 5 + to * 3 + position * 7) % 12];
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        for (int shift = 1; shift < world_size; shift++) {
            int to = (world_rank + shift) % world_size, from = (world_rank + world_size - shift) % world_size;
            const int window = 20;
            unsigned char *out = space((size_t)window * LARGEST), *in = space((size_t)window * LARGEST);
            MPI_Request sends[20], receives[20];
            MPI_Status statuses[20];
            for (int start = 0; start < STREAM / (round == 2 ? 2 : 1); start += window) {
                for (int late = 0; late < 2; late++) {
                    if (late == (round == 1)) // receives
                        for (int i = 0; i < window; i++) {
                            int tag = round == 0 ? 3 : MPI_ANY_TAG;
                            OK(MPI_Irecv(in + (size_t)i * LARGEST, LARGEST, MPI_BYTE, round == 2 ? MPI_ANY_SOURCE : from,
                                         tag, MPI_COMM_WORLD, &receives[i]));
                        }
                    else // sends
                        for (int i = 0; i < window; i++) {
                            int position = start + i, bytes = bytes_of(world_rank, to, position);
                            unsigned char *body = out + (size_t)i * LARGEST;
                            memset(body, position & 255, (size_t)bytes);
                            memcpy(body, &position, 4);
                            OK(MPI_Isend(body, bytes, MPI_BYTE, to, round == 0 ? 3 : position % 5, MPI_COMM_WORLD,
                                         &sends[i]));
                        }
                }
                OK(MPI_Waitall(window, receives, statuses));
                OK(MPI_Waitall(window, sends, MPI_STATUSES_IGNORE));
                for (int i = 0; i < window; i++) {
                    int position = start + i, bytes = bytes_of(from, world_rank, position), count, found;
                    unsigned char *body = in + (size_t)i * LARGEST;
                    OK(MPI_Get_count(&statuses[i], MPI_BYTE, &count));
                    memcpy(&found, body, 4);
                    CHECK_THAT(found == position, "round %d from %d: message %d at place %d", round, from, found, position);
                    CHECK_INT(count, bytes);
                    CHECK_INT(statuses[i].MPI_SOURCE, from);
                    if (count == bytes && bytes > 4)
                        CHECK(all_bytes(body + 4, (size_t)bytes - 4, (unsigned char)(position & 255)));
                }
                // The next window of a shift must not meet receives of this one from another source.
                if (round == 2) OK(MPI_Barrier(MPI_COMM_WORLD));
            }
            free(out);
            free(in);
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
    }
    return finish("message_order");
}
