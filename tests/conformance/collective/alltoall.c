// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw and their nonblocking forms: counts from 0 to large, in place, different
// counts for each pair, gaps, and with w a different type for each pair.
#include "check.h"

static int value(int from, int to, int i) { return from * 1000003 + to * 10007 + i; }

static void wait_for(MPI_Request *request) { OK(MPI_Wait(request, MPI_STATUS_IGNORE)); }

static void alltoall(int nonblocking, int count, int in_place) {
    int me = world_rank, n = world_size;
    int *out = space((size_t)(count * n) * sizeof *out), *in = space((size_t)(count * n + 1) * sizeof *in);
    memset(in, 0xee, (size_t)(count * n + 1) * sizeof *in);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < count; i++) (in_place ? in : out)[r * count + i] = value(me, r, i);
    const void *from = in_place ? MPI_IN_PLACE : out;
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Ialltoall(from, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD, &request));
        wait_for(&request);
    } else {
        OK(MPI_Alltoall(from, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD));
    }
    for (int r = 0; r < n; r++)
        for (int i = 0; i < count; i++) CHECK_INT(in[r * count + i], value(r, me, i));
    CHECK(all_bytes(in + count * n, sizeof *in, 0xee));
    free(in);
    free(out);
}

// From a to b go base + (3a + 5b) % 7 elements; in place the counts must be the same both ways.
static int count_of(int a, int b, int base, int symmetric) {
    return symmetric ? base + (a + b) % 5 : base + (3 * a + 5 * b) % 7;
}

static void alltoallv(int nonblocking, int base, int in_place) {
    int me = world_rank, n = world_size, sent = 0, received = 0;
    int send_counts[8], send_places[8], receive_counts[8], receive_places[8];
    for (int r = 0; r < n; r++) {
        send_counts[r] = count_of(me, r, base, in_place);
        send_places[r] = sent;
        sent += send_counts[r] + 1;
    }
    for (int r = n - 1; r >= 0; r--) {
        receive_counts[r] = count_of(r, me, base, in_place);
        receive_places[r] = received + 2;
        received += receive_counts[r] + 3;
    }
    int *out = space((size_t)sent * sizeof *out), *in = space((size_t)received * sizeof *in);
    memset(in, 0xee, (size_t)received * sizeof *in);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < send_counts[r]; i++)
            (in_place ? in + receive_places[r] : out + send_places[r])[i] = value(me, r, i);
    const void *from = in_place ? MPI_IN_PLACE : out;
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Ialltoallv(from, send_counts, send_places, MPI_INT, in, receive_counts, receive_places, MPI_INT,
                          MPI_COMM_WORLD, &request));
        wait_for(&request);
    } else {
        OK(MPI_Alltoallv(from, send_counts, send_places, MPI_INT, in, receive_counts, receive_places, MPI_INT,
                         MPI_COMM_WORLD));
    }
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < receive_counts[r]; i++) CHECK_INT(in[receive_places[r] + i], value(r, me, i));
        CHECK(all_bytes(in + receive_places[r] - 2, 2 * sizeof *in, 0xee));
    }
    free(in);
    free(out);
}

// Between a and b types depend on a + b: ints, a strided int vector, or longs made of ints' space.
static void alltoallw(int nonblocking, int base, int in_place) {
    int me = world_rank, n = world_size;
    MPI_Datatype pair_of_ints, strided, types[8], send_types[8];
    OK(MPI_Type_contiguous(2, MPI_INT, &pair_of_ints));
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &strided)); // elements 0 and 2 of three
    OK(MPI_Type_create_resized(strided, 0, 4 * sizeof(int), &types[0]));
    OK(MPI_Type_free(&strided));
    strided = types[0];
    OK(MPI_Type_commit(&pair_of_ints));
    OK(MPI_Type_commit(&strided));
    int counts[8], places[8], send_counts[8], send_places[8];
    size_t slot = (size_t)(base + 8) * 4 * sizeof(int); // bytes reserved for a rank
    unsigned char *out = space(slot * (size_t)n), *in = space(slot * (size_t)n);
    memset(in, 0xee, slot * (size_t)n);
    memset(out, 0, slot * (size_t)n);
    for (int r = 0; r < n; r++) {
        counts[r] = count_of(me, r, base, 1);
        places[r] = (int)(slot * (size_t)(n - 1 - r)); // bytes
        types[r] = (me + r) % 2 ? strided : pair_of_ints;
        int stride = in_place && types[r] == strided ? 2 : 1;
        int *to = (int *)(in_place ? in + places[r] : out + places[r]);
        for (int i = 0; i < 2 * counts[r]; i++) to[i * stride] = value(me, r, i);
        send_types[r] = MPI_INT; // contiguous at the sender: same signature
        send_counts[r] = 2 * counts[r];
        send_places[r] = places[r];
    }
    const void *from = in_place ? MPI_IN_PLACE : out;
    if (nonblocking) {
        MPI_Request request;
        OK(MPI_Ialltoallw(from, send_counts, send_places, send_types, in, counts, places, types, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Alltoallw(from, send_counts, send_places, send_types, in, counts, places, types, MPI_COMM_WORLD));
    }
    for (int r = 0; r < n; r++) {
        int stride = types[r] == strided ? 2 : 1, *got = (int *)(in + places[r]);
        for (int i = 0; i < 2 * counts[r]; i++) {
            CHECK_INT(got[i * stride], value(r, me, i));
            if (stride == 2) CHECK(all_bytes(&got[i * stride + 1], sizeof *got, 0xee));
        }
    }
    free(in);
    free(out);
    OK(MPI_Type_free(&pair_of_ints));
    OK(MPI_Type_free(&strided));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {0, 1, 3, 17, 250, 1001, 16385, 50000};
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++) {
                alltoall(nonblocking, counts[c], in_place);
                alltoallv(nonblocking, counts[c], in_place);
                alltoallw(nonblocking, counts[c], in_place);
            }
    return finish("alltoall");
}
