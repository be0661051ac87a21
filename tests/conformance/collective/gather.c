// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Gather, MPI_Gatherv and their nonblocking forms: every root, counts from 0 to large, in place, gaps and reversed
// places, receive arguments that only matter at the root.
#include "check.h"

static int value(int rank, int root, int i) { return rank * 1000003 + root * 101 + i; }

static void finish_request(MPI_Request *request) {
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    CHECK(*request == MPI_REQUEST_NULL);
}

static void gather(int nonblocking, int count, int root, int in_place) {
    int me = world_rank, *all = NULL, *mine = space((size_t)count * sizeof *mine);
    for (int i = 0; i < count; i++) mine[i] = value(me, root, i);
    const void *from = mine;
    if (me == root) {
        all = space((size_t)(count * world_size + 4) * sizeof *all);
        memset(all, 0xee, (size_t)(count * world_size + 4) * sizeof *all);
        if (in_place) {
            memcpy(all + (size_t)me * (size_t)count, mine, (size_t)count * sizeof *all);
            from = MPI_IN_PLACE;
        }
    }
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Igather(from, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD, &request));
        finish_request(&request);
    } else {
        OK(MPI_Gather(from, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD));
    }
    if (me == root) {
        for (int r = 0; r < world_size; r++)
            for (int i = 0; i < count; i++) CHECK_INT(all[r * count + i], value(r, root, i));
        CHECK(all_bytes(all + count * world_size, 16, 0xee));
    }
    free(all);
    free(mine);
}

// Rank r gives base + r elements; they land in reverse rank order with two elements between.
static void gatherv(int nonblocking, int base, int root, int in_place) {
    int me = world_rank, count = base + me, *all = NULL, *mine = space((size_t)count * sizeof *mine);
    int *counts = NULL, *places = NULL, total = 0;
    for (int i = 0; i < count; i++) mine[i] = value(me, root, i);
    const void *from = mine;
    if (me == root) {
        counts = space((size_t)world_size * sizeof *counts);
        places = space((size_t)world_size * sizeof *places);
        for (int r = world_size - 1; r >= 0; r--) {
            counts[r] = base + r;
            places[r] = total;
            total += counts[r] + 2;
        }
        all = space((size_t)total * sizeof *all);
        memset(all, 0xee, (size_t)total * sizeof *all);
        if (in_place) {
            memcpy(all + places[me], mine, (size_t)count * sizeof *all);
            from = MPI_IN_PLACE;
        }
    }
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Igatherv(from, count, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD, &request));
        finish_request(&request);
    } else {
        OK(MPI_Gatherv(from, count, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD));
    }
    if (me == root)
        for (int r = 0; r < world_size; r++) {
            for (int i = 0; i < counts[r]; i++) CHECK_INT(all[places[r] + i], value(r, root, i));
            CHECK(all_bytes(all + places[r] + counts[r], 2 * sizeof *all, 0xee));
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
            for (int root = 0; root < world_size; root++)
                for (int in_place = 0; in_place < 2; in_place++) {
                    gather(nonblocking, counts[c], root, in_place);
                    gatherv(nonblocking, counts[c], root, in_place);
                }
    return finish("gather");
}
