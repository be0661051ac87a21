// ranks: 1 2 3 4 5
// timeout: 20
// differs: MPICH 5.0 aborts on an overlapping copy of its own when a block in place is longer than what precedes it
// MPI_Reduce_scatter in place with counts that grow with the rank: the result overlaps the input it came from.
#include "check.h"

static int value(int rank, int i) { return rank * 7919 + i * 31 - 1000; }
static int sum(int i) {
    int total = 0;
    for (int r = 0; r < world_size; r++) total += value(r, i);
    return total;
}

static void reduce_scatter(int nonblocking, int block, int base, int in_place, int sparse) {
    int me = world_rank, total = 0, start = 0, counts[8];
    for (int r = 0; r < world_size; r++) {
        counts[r] = block ? base : sparse && r % 2 == 0 ? 0 : base + r;
        if (r < me) start += counts[r];
        total += counts[r];
    }
    int *out = space((size_t)total * sizeof *out), *in = space((size_t)(total + 1) * sizeof *in);
    memset(in, 0xee, (size_t)(total + 1) * sizeof *in);
    for (int i = 0; i < total; i++) (in_place ? in : out)[i] = value(me, i);
    const void *from = in_place ? MPI_IN_PLACE : out;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (block) {
        if (nonblocking) OK(MPI_Ireduce_scatter_block(from, in, base, MPI_INT, MPI_SUM, comm, &request));
        else OK(MPI_Reduce_scatter_block(from, in, base, MPI_INT, MPI_SUM, comm));
    } else {
        if (nonblocking) OK(MPI_Ireduce_scatter(from, in, counts, MPI_INT, MPI_SUM, comm, &request));
        else OK(MPI_Reduce_scatter(from, in, counts, MPI_INT, MPI_SUM, comm));
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < counts[me]; i++) CHECK_INT(in[i], sum(start + i));
    if (!in_place) {
        CHECK(all_bytes(in + counts[me], (size_t)(total + 1 - counts[me]) * sizeof *in, 0xee));
        for (int i = 0; i < total; i++) CHECK_INT(out[i], value(me, i));
    }
    CHECK(all_bytes(in + total, sizeof *in, 0xee));
    free(in);
    free(out);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {0, 1, 3, 17, 256, 1001, 16385, 60000};
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int sparse = 0; sparse < 2; sparse++) reduce_scatter(nonblocking, 0, counts[c], 1, sparse);
    return finish("reduce_scatter_in_place");
}
