// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Allgather, MPI_Allgatherv and their nonblocking forms: counts from 0 to large, in place, gaps, reversed places,
// and ranks that give nothing.
#include "check.h"

static int value(int rank, int i) { return rank * 1000003 + i; }

static void allgather(int nonblocking, int count, int in_place) {
    int me = world_rank, *mine = space((size_t)count * sizeof *mine);
    int *all = space((size_t)(count * world_size + 4) * sizeof *all);
    memset(all, 0xee, (size_t)(count * world_size + 4) * sizeof *all);
    for (int i = 0; i < count; i++) (in_place ? all + me * count : mine)[i] = value(me, i);
    const void *from = in_place ? MPI_IN_PLACE : mine;
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Iallgather(from, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Allgather(from, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD));
    }
    for (int r = 0; r < world_size; r++)
        for (int i = 0; i < count; i++) CHECK_INT(all[r * count + i], value(r, i));
    CHECK(all_bytes(all + count * world_size, 16, 0xee));
    free(all);
    free(mine);
}

static void allgatherv(int nonblocking, int base, int in_place, int sparse) {
    int me = world_rank, total = 0;
    int *counts = space((size_t)world_size * sizeof *counts), *places = space((size_t)world_size * sizeof *places);
    for (int r = world_size - 1; r >= 0; r--) {
        counts[r] = sparse && r % 2 ? 0 : base + r;
        places[r] = total + 1;
        total += counts[r] + 2;
    }
    int *mine = space((size_t)counts[me] * sizeof *mine), *all = space((size_t)total * sizeof *all);
    memset(all, 0xee, (size_t)total * sizeof *all);
    for (int i = 0; i < counts[me]; i++) (in_place ? all + places[me] : mine)[i] = value(me, i);
    const void *from = in_place ? MPI_IN_PLACE : mine;
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Iallgatherv(from, counts[me], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Allgatherv(from, counts[me], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD));
    }
    for (int r = 0; r < world_size; r++) {
        for (int i = 0; i < counts[r]; i++) CHECK_INT(all[places[r] + i], value(r, i));
        CHECK(all_bytes(all + places[r] - 1, sizeof *all, 0xee));
        CHECK(all_bytes(all + places[r] + counts[r], sizeof *all, 0xee));
    }
    free(all);
    free(mine);
    free(counts);
    free(places);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {0, 1, 3, 17, 256, 1001, 16385, 100000};
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++) {
                allgather(nonblocking, counts[c], in_place);
                allgatherv(nonblocking, counts[c], in_place, 0);
                allgatherv(nonblocking, counts[c], in_place, 1);
            }
    return finish("allgather");
}
