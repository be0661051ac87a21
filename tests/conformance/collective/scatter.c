// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Scatter, MPI_Scatterv and their nonblocking forms: every root, counts from 0 to large, in place, gaps and
// overlapping send places, send arguments that only matter at the root.
#include "check.h"

static int value(int rank, int root, int i) { return rank * 1000003 + root * 101 + i; }

static void scatter(int nonblocking, int count, int root, int in_place) {
    int me = world_rank, *all = NULL, *mine = space((size_t)(count + 1) * sizeof *mine);
    void *to = mine;
    memset(mine, 0xee, (size_t)(count + 1) * sizeof *mine);
    if (me == root) {
        all = space((size_t)(count * world_size) * sizeof *all);
        for (int r = 0; r < world_size; r++)
            for (int i = 0; i < count; i++) all[r * count + i] = value(r, root, i);
        if (in_place) to = MPI_IN_PLACE;
    }
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Iscatter(all, count, MPI_INT, to, count, MPI_INT, root, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Scatter(all, count, MPI_INT, to, count, MPI_INT, root, MPI_COMM_WORLD));
    }
    if (to != MPI_IN_PLACE)
        for (int i = 0; i < count; i++) CHECK_INT(mine[i], value(me, root, i));
    CHECK(all_bytes(mine + count, sizeof *mine, 0xee));
    if (me == root) // the send buffer stays
        for (int i = 0; i < count * world_size; i++) CHECK_INT(all[i], value(i / count, root, i % count));
    free(all);
    free(mine);
}

// Rank r gets base + r elements, all of them from the same start: send places may overlap.
static void scatterv(int nonblocking, int base, int root, int in_place, int overlap) {
    int me = world_rank, count = base + me, *all = NULL, *mine = space((size_t)(count + 1) * sizeof *mine);
    int *counts = NULL, *places = NULL, total = 0;
    void *to = mine;
    memset(mine, 0xee, (size_t)(count + 1) * sizeof *mine);
    if (me == root) {
        counts = space((size_t)world_size * sizeof *counts);
        places = space((size_t)world_size * sizeof *places);
        for (int r = world_size - 1; r >= 0; r--) {
            counts[r] = base + r;
            places[r] = overlap ? 0 : total;
            total += counts[r] + 2;
        }
        all = space((size_t)total * sizeof *all);
        for (int i = 0; i < total; i++) all[i] = value(0, root, i);
        if (!overlap)
            for (int r = 0; r < world_size; r++)
                for (int i = 0; i < counts[r]; i++) all[places[r] + i] = value(r, root, i);
        if (in_place) to = MPI_IN_PLACE;
    }
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Iscatterv(all, counts, places, MPI_INT, to, count, MPI_INT, root, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Scatterv(all, counts, places, MPI_INT, to, count, MPI_INT, root, MPI_COMM_WORLD));
    }
    if (to != MPI_IN_PLACE)
        for (int i = 0; i < count; i++) CHECK_INT(mine[i], value(overlap ? 0 : me, root, i));
    CHECK(all_bytes(mine + count, sizeof *mine, 0xee));
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
            for (int root = 0; root < world_size; root++)
                for (int in_place = 0; in_place < 2; in_place++) {
                    scatter(nonblocking, counts[c], root, in_place);
                    scatterv(nonblocking, counts[c], root, in_place, 0);
                    scatterv(nonblocking, counts[c], root, in_place, 1);
                }
    return finish("scatter");
}
