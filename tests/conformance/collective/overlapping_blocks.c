// ranks: 1 2 3 5
// timeout: 30
// Blocks to be received that share bytes, which the standard forbids and other libraries take: every shared byte is one
// of those that came, nothing is written outside of the blocks, what is not shared is right. Blocking, nonblocking and
// persistent, small and large, in place too; blocks apart from each other in any order are all right beside them.
#include "check.h"

#define MOST_RANKS 8
enum kind { ALLGATHERV, GATHERV, ALLTOALLV, ALLTOALLW, KINDS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
static const char *names[] = {"allgatherv", "gatherv", "alltoallv", "alltoallw"};

static int counts[MOST_RANKS], places[MOST_RANKS], send_places[MOST_RANKS], byte_places[MOST_RANKS];
static int send_byte_places[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];

// What `from` sends in position `i` of the block for `to`.
static int value(int from, int i) { return (from + 1) * 100000 + i; }

static void run(enum kind kind, enum form form, const int *from, int *to) {
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int own = counts[world_rank], code = MPI_SUCCESS;
    if (from == MPI_IN_PLACE) own = 0;
#define FORMS_OF(blocking, nonblocking, persistent) \
    code = form == BLOCKING ? blocking : form == NONBLOCKING ? nonblocking : persistent
    switch (kind) {
    case ALLGATHERV:
        FORMS_OF(MPI_Allgatherv(from, own, MPI_INT, to, counts, places, MPI_INT, comm),
                 MPI_Iallgatherv(from, own, MPI_INT, to, counts, places, MPI_INT, comm, &request),
                 MPI_Allgatherv_init(from, own, MPI_INT, to, counts, places, MPI_INT, comm, info, &request));
        break;
    case GATHERV:
        FORMS_OF(MPI_Gatherv(from, own, MPI_INT, to, counts, places, MPI_INT, 0, comm),
                 MPI_Igatherv(from, own, MPI_INT, to, counts, places, MPI_INT, 0, comm, &request),
                 MPI_Gatherv_init(from, own, MPI_INT, to, counts, places, MPI_INT, 0, comm, info, &request));
        break;
    case ALLTOALLV:
        FORMS_OF(MPI_Alltoallv(from, counts, send_places, MPI_INT, to, counts, places, MPI_INT, comm),
                 MPI_Ialltoallv(from, counts, send_places, MPI_INT, to, counts, places, MPI_INT, comm, &request),
                 MPI_Alltoallv_init(from, counts, send_places, MPI_INT, to, counts, places, MPI_INT, comm, info,
                                    &request));
        break;
    default:
        FORMS_OF(MPI_Alltoallw(from, counts, send_byte_places, types, to, counts, byte_places, types, comm),
                 MPI_Ialltoallw(from, counts, send_byte_places, types, to, counts, byte_places, types, comm, &request),
                 MPI_Alltoallw_init(from, counts, send_byte_places, types, to, counts, byte_places, types, comm, info,
                                    &request));
    }
    CHECK_THAT(code == MPI_SUCCESS, "%s, form %d", names[kind], form);
    if (request == MPI_REQUEST_NULL) return;
    if (form == PERSISTENT) OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (form == PERSISTENT) OK(MPI_Request_free(&request));
}

// Whether some rank's block has `found` at position `at` of the buffer.
static int came(int found, int at) {
    for (int r = 0; r < world_size; r++)
        if (at >= places[r] && at < places[r] + counts[r] && found == value(r, at - places[r])) return 1;
    return 0;
}

static int covered(int at) {
    for (int r = 0; r < world_size; r++)
        if (at >= places[r] && at < places[r] + counts[r]) return 1;
    return 0;
}

static void check(enum kind kind, enum form form, int in_place, int room) {
    int *from = space(sizeof(int) * (size_t)room), *to = space(sizeof(int) * (size_t)room);
    for (int i = 0; i < room; i++) from[i] = value(world_rank, i), to[i] = -1;
    int receives = kind != GATHERV || world_rank == 0;
    // In place the own block holds what it gives.
    for (int i = 0; in_place && i < counts[world_rank]; i++)
        to[places[world_rank] + i] = value(world_rank, i);
    run(kind, form, in_place && receives ? MPI_IN_PLACE : from, to);
    for (int i = 0; receives && i < room; i++) {
        if (covered(i)) CHECK_THAT(came(to[i], i), "%s, form %d, position %d is %d", names[kind], form, i, to[i]);
        else CHECK_THAT(to[i] == -1, "%s, form %d, outside at %d is %d", names[kind], form, i, to[i]);
    }
    free(from);
    free(to);
}

// Block r has `count` elements (or r of them less where `uneven`) and begins `step` after the one before.
static void lay(int count, int step, int uneven, int backwards) {
    for (int r = 0; r < world_size; r++) {
        counts[r] = uneven && count > r ? count - r : count;
        places[r] = 2 + step * (backwards ? world_size - 1 - r : r);
        byte_places[r] = (int)sizeof(int) * places[r];
        send_places[r] = send_byte_places[r] = 0; // all get one block
        types[r] = MPI_INT;
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int sizes[] = {1, 5, 3000, 30000};
    for (int s = 0; s < 4; s++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int form = 0; form < FORMS; form++)
                for (int step = 0; step < 4; step++)
                    for (int backwards = 0; backwards < 2; backwards++) {
                        int count = sizes[s], steps[] = {0, 1, (count + 1) / 2, count + 1};
                        int room = 4 + count + world_size * (count + 1), uneven = kind < ALLTOALLV;
                        lay(count, steps[step], uneven, backwards);
                        check(kind, form, 0, room);
                        if (kind < ALLTOALLV) check(kind, form, 1, room);
                    }
    // Alltoall in place: each block is sent, too, and may be the same one.
    int same[MOST_RANKS];
    lay(1, 0, 0, 0);
    for (int i = 0; i < MOST_RANKS; i++) same[i] = world_rank + 1;
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, same, counts, places, MPI_INT, MPI_COMM_WORLD));
    CHECK(same[2] >= 1 && same[2] <= world_size);
    for (int i = 0; i < MOST_RANKS; i++) CHECK(i == 2 || same[i] == world_rank + 1);
    return finish("overlapping_blocks");
}
