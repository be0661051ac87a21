// ranks: 2 3 4 5
// timeout: 20
// Every collective on an inter-communicator, blocking and nonblocking: rooted ones with MPI_ROOT and MPI_PROC_NULL from
// both groups, symmetric ones where each group gets the other's data. The groups have different sizes.
#include "check.h"

#define N 300

static MPI_Comm inter;
static int group, me, mine, theirs; // 0 or 1, rank in it, sizes
static MPI_Request request;

static int value(int of_group, int rank, int i) { return of_group * 1000000 + rank * 1000 + i; }

#define BOTH(blocking, nonblocking_call)            \
    do {                                            \
        if (nonblocking) {                          \
            OK(nonblocking_call);                   \
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); \
        } else {                                    \
            OK(blocking);                           \
        }                                           \
    } while (0)

static void rooted(int nonblocking, int root_group, int root) {
    int to_root = group == root_group ? (me == root ? MPI_ROOT : MPI_PROC_NULL) : root;
    int is_root = to_root == MPI_ROOT, outside = group != root_group, others = theirs;
    int buffer[N], *all = space(sizeof *all * N * 8), counts[8], places[8];

    for (int i = 0; i < N; i++) buffer[i] = is_root ? value(group, me, i) : -1;
    if (!nonblocking) { // MPI_Ibcast has a program of its own
        OK(MPI_Bcast(buffer, N, MPI_INT, to_root, inter));
        for (int i = 0; i < N; i++) CHECK_INT(buffer[i], outside || is_root ? value(root_group, root, i) : -1);
    }

    for (int i = 0; i < N; i++) buffer[i] = value(group, me, i);
    memset(all, 0xff, sizeof *all * N * 8);
    BOTH(MPI_Gather(buffer, N, MPI_INT, all, N, MPI_INT, to_root, inter),
         MPI_Igather(buffer, N, MPI_INT, all, N, MPI_INT, to_root, inter, &request));
    for (int r = 0; is_root && r < others; r++)
        for (int i = 0; i < N; i++) CHECK_INT(all[r * N + i], value(!group, r, i));
    if (!is_root) CHECK_INT(all[0], -1);

    for (int r = 0; r < others; r++) counts[r] = N / 2 + r, places[r] = r * N + 3;
    memset(all, 0xff, sizeof *all * N * 8);
    BOTH(MPI_Gatherv(buffer, N / 2 + me, MPI_INT, all, counts, places, MPI_INT, to_root, inter),
         MPI_Igatherv(buffer, N / 2 + me, MPI_INT, all, counts, places, MPI_INT, to_root, inter, &request));
    for (int r = 0; is_root && r < others; r++)
        for (int i = 0; i < counts[r]; i++) CHECK_INT(all[places[r] + i], value(!group, r, i));

    for (int r = 0; r < others; r++)
        for (int i = 0; i < N; i++) all[r * N + i] = value(group, r, i + 7);
    for (int i = 0; i < N; i++) buffer[i] = -1;
    BOTH(MPI_Scatter(all, N, MPI_INT, buffer, N, MPI_INT, to_root, inter),
         MPI_Iscatter(all, N, MPI_INT, buffer, N, MPI_INT, to_root, inter, &request));
    for (int i = 0; i < N; i++) CHECK_INT(buffer[i], outside ? value(root_group, me, i + 7) : -1);
    for (int r = 0; r < others; r++) places[r] = r * N;
    for (int i = 0; i < N; i++) buffer[i] = -1;
    BOTH(MPI_Scatterv(all, counts, places, MPI_INT, buffer, N / 2 + me, MPI_INT, to_root, inter),
         MPI_Iscatterv(all, counts, places, MPI_INT, buffer, N / 2 + me, MPI_INT, to_root, inter, &request));
    for (int i = 0; outside && i < N / 2 + me; i++) CHECK_INT(buffer[i], value(root_group, me, i + 7));

    for (int i = 0; i < N; i++) buffer[i] = value(group, me, i);
    memset(all, 0xff, sizeof *all * N);
    BOTH(MPI_Reduce(buffer, all, N, MPI_INT, MPI_SUM, to_root, inter),
         MPI_Ireduce(buffer, all, N, MPI_INT, MPI_SUM, to_root, inter, &request));
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int r = 0; r < others; r++) sum += value(!group, r, i);
        CHECK_INT(all[i], is_root ? sum : -1);
    }
    free(all);
}

static void symmetric(int nonblocking) {
    int buffer[N * 8], all[N * 8], counts[8], places[8], send_counts[8], send_places[8], byte_places[8], send_byte_places[8];
    MPI_Datatype ints[8];
    BOTH(MPI_Barrier(inter), MPI_Ibarrier(inter, &request));

    for (int i = 0; i < N; i++) buffer[i] = value(group, me, i);
    BOTH(MPI_Allgather(buffer, N, MPI_INT, all, N, MPI_INT, inter),
         MPI_Iallgather(buffer, N, MPI_INT, all, N, MPI_INT, inter, &request));
    for (int r = 0; r < theirs; r++)
        for (int i = 0; i < N; i++) CHECK_INT(all[r * N + i], value(!group, r, i));

    for (int r = 0; r < theirs; r++) counts[r] = N / 2 + r, places[r] = (theirs - 1 - r) * N;
    BOTH(MPI_Allgatherv(buffer, N / 2 + me, MPI_INT, all, counts, places, MPI_INT, inter),
         MPI_Iallgatherv(buffer, N / 2 + me, MPI_INT, all, counts, places, MPI_INT, inter, &request));
    for (int r = 0; r < theirs; r++)
        for (int i = 0; i < counts[r]; i++) CHECK_INT(all[places[r] + i], value(!group, r, i));

    BOTH(MPI_Allreduce(buffer, all, N, MPI_INT, MPI_SUM, inter),
         MPI_Iallreduce(buffer, all, N, MPI_INT, MPI_SUM, inter, &request));
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int r = 0; r < theirs; r++) sum += value(!group, r, i);
        CHECK_INT(all[i], sum);
    }

    for (int r = 0; r < theirs; r++) {
        for (int i = 0; i < N; i++) buffer[r * N + i] = value(group, me, i) + r * 17;
        send_counts[r] = N / 2 + r, send_places[r] = r * N; // to r: N/2 + r; from r: N/2 + me
        counts[r] = N / 2 + me, places[r] = (theirs - 1 - r) * N;
        byte_places[r] = places[r] * (int)sizeof(int), send_byte_places[r] = send_places[r] * (int)sizeof(int);
        ints[r] = MPI_INT;
    }
    BOTH(MPI_Alltoall(buffer, N, MPI_INT, all, N, MPI_INT, inter),
         MPI_Ialltoall(buffer, N, MPI_INT, all, N, MPI_INT, inter, &request));
    for (int r = 0; r < theirs; r++)
        for (int i = 0; i < N; i++) CHECK_INT(all[r * N + i], value(!group, r, i) + me * 17);
    memset(all, 0xff, sizeof all);
    BOTH(MPI_Alltoallv(buffer, send_counts, send_places, MPI_INT, all, counts, places, MPI_INT, inter),
         MPI_Ialltoallv(buffer, send_counts, send_places, MPI_INT, all, counts, places, MPI_INT, inter, &request));
    for (int r = 0; r < theirs; r++)
        for (int i = 0; i < counts[r]; i++) CHECK_INT(all[places[r] + i], value(!group, r, i) + me * 17);
    memset(all, 0xff, sizeof all);
    BOTH(MPI_Alltoallw(buffer, send_counts, send_byte_places, ints, all, counts, byte_places, ints, inter),
         MPI_Ialltoallw(buffer, send_counts, send_byte_places, ints, all, counts, byte_places, ints, inter, &request));
    for (int r = 0; r < theirs; r++)
        for (int i = 0; i < counts[r]; i++) CHECK_INT(all[places[r] + i], value(!group, r, i) + me * 17);

    // The result of the other group's vector is spread over this one: both vectors have the same length.
    int total = 12 * mine * theirs, block = 12 * theirs, start = me * block;
    for (int i = 0; i < total; i++) buffer[i] = value(group, me, i);
    BOTH(MPI_Reduce_scatter_block(buffer, all, block, MPI_INT, MPI_SUM, inter),
         MPI_Ireduce_scatter_block(buffer, all, block, MPI_INT, MPI_SUM, inter, &request));
    for (int i = 0; i < block; i++) {
        int sum = 0;
        for (int r = 0; r < theirs; r++) sum += value(!group, r, start + i);
        CHECK_INT(all[i], sum);
    }
    for (int r = 0; r < mine; r++) counts[r] = block;
    if (mine > 1) counts[0] -= 5, counts[mine - 1] += 5, start = me ? start - 5 : 0;
    BOTH(MPI_Reduce_scatter(buffer, all, counts, MPI_INT, MPI_SUM, inter),
         MPI_Ireduce_scatter(buffer, all, counts, MPI_INT, MPI_SUM, inter, &request));
    for (int i = 0; i < counts[me]; i++) {
        int sum = 0;
        for (int r = 0; r < theirs; r++) sum += value(!group, r, start + i);
        CHECK_INT(all[i], sum);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm local;
    group = world_rank % 2; // 3 ranks: groups of 2 and 1
    OK(MPI_Comm_split(MPI_COMM_WORLD, group, world_rank, &local));
    OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - group, 12, &inter));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(inter, &me));
    OK(MPI_Comm_size(inter, &mine));
    OK(MPI_Comm_remote_size(inter, &theirs));
    CHECK_INT(mine + theirs, world_size);
    int sizes[2] = {(world_size + 1) / 2, world_size / 2};
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        for (int root_group = 0; root_group < 2; root_group++)
            for (int root = 0; root < sizes[root_group]; root++) rooted(nonblocking, root_group, root);
        symmetric(nonblocking);
    }
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&local));
    return finish("intercommunicator");
}
