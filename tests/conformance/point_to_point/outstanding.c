// ranks: 1 2 3
// timeout: 30
// Ten thousand receives and ten thousand sends outstanding at once, matched in reverse order of posting, then with
// one tag in the order of posting.
#include "check.h"

#define COUNT 10000

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Request *requests = space(2 * COUNT * sizeof *requests);
    int *in = space(COUNT * sizeof *in), *out = space(COUNT * sizeof *out);
    for (int way = 0; way < 3; way++) {
        for (int i = 0; i < COUNT; i++) {
            in[i] = -1;
            out[i] = world_rank * COUNT + i;
        }
        if (way == 1) // unexpected
            for (int i = 0; i < COUNT; i++)
                OK(MPI_Isend(&out[i], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[COUNT + i]));
        for (int i = 0; i < COUNT; i++)
            OK(MPI_Irecv(&in[i], 1, MPI_INT, left, way == 2 ? i % 2000 : 1, MPI_COMM_WORLD, &requests[i]));
        if (way != 1)
            for (int i = 0; i < COUNT; i++)
                OK(MPI_Isend(&out[i], 1, MPI_INT, right, way == 2 ? 1999 - i % 2000 : 1, MPI_COMM_WORLD,
                             &requests[COUNT + i]));
        OK(MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < COUNT; i++) {
            int from = way == 2 ? i / 2000 * 2000 + 1999 - i % 2000 : i;
            CHECK_INT(in[i], left * COUNT + from);
        }
    }
    free(requests);
    free(in);
    free(out);
    return finish("outstanding");
}
