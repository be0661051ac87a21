// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Scan, MPI_Exscan and their nonblocking forms: counts from 0 to large, in place; rank 0's buffer of an exclusive
// scan is its own business.
#include "check.h"

static long value(int rank, int i) { return (long)rank * 7919 + i * 31 - 1000; }

static void scan(int nonblocking, int exclusive, int count, int in_place) {
    int me = world_rank;
    long *out = space((size_t)count * sizeof *out), *in = space((size_t)(count + 1) * sizeof *in);
    memset(in, 0xee, (size_t)(count + 1) * sizeof *in);
    for (int i = 0; i < count; i++) (in_place ? in : out)[i] = value(me, i);
    const void *from = in_place ? MPI_IN_PLACE : out;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (exclusive) {
        if (nonblocking) OK(MPI_Iexscan(from, in, count, MPI_LONG, MPI_SUM, comm, &request));
        else OK(MPI_Exscan(from, in, count, MPI_LONG, MPI_SUM, comm));
    } else {
        if (nonblocking) OK(MPI_Iscan(from, in, count, MPI_LONG, MPI_SUM, comm, &request));
        else OK(MPI_Scan(from, in, count, MPI_LONG, MPI_SUM, comm));
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < count; i++) {
        long total = 0;
        for (int r = 0; r < me + !exclusive; r++) total += value(r, i);
        if (me > 0 || !exclusive) CHECK_INT(in[i], total);
    }
    CHECK(all_bytes(in + count, sizeof *in, 0xee));
    free(in);
    free(out);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {0, 1, 3, 17, 256, 1001, 16385, 131072};
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++)
                for (int exclusive = 0; exclusive < 2; exclusive++) scan(nonblocking, exclusive, counts[c], in_place);
    return finish("scan");
}
