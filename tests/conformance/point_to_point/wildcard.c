// ranks: 2 3 5
// timeout: 20
// MPI_ANY_SOURCE and MPI_ANY_TAG, alone and together, posted and unexpected: every message arrives once, its status
// names its origin, and messages of one sender keep their order.
#include "check.h"

#define MESSAGES 50

static void gather_any(int any_source, int any_tag, int posted_first) {
    int senders = world_size - 1, all = senders * MESSAGES;
    if (world_rank != 0) {
        int go = posted_first;
        if (go) OK(MPI_Recv(NULL, 0, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < MESSAGES; i++) {
            int body[2] = {world_rank, i};
            OK(MPI_Send(body, 2, MPI_INT, 0, i % 7, MPI_COMM_WORLD));
        }
        if (!go) OK(MPI_Send(NULL, 0, MPI_INT, 0, 78, MPI_COMM_WORLD));
        return;
    }
    MPI_Request *requests = space(sizeof *requests * (size_t)all);
    MPI_Status *statuses = space(sizeof *statuses * (size_t)all);
    int(*bodies)[2] = space(sizeof *bodies * (size_t)all);
    int *last = calloc((size_t)world_size * 8, sizeof *last); // of each source and tag class, position + 1
    if (!posted_first)
        for (int r = 1; r < world_size; r++)
            OK(MPI_Recv(NULL, 0, MPI_INT, r, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < all; i++) {
        int source = any_source ? MPI_ANY_SOURCE : 1 + i % senders;
        int tag = any_tag ? MPI_ANY_TAG : (any_source ? i % MESSAGES : i / senders) % 7;
        if (any_source && !any_tag) tag = (i / senders) % 7;
        OK(MPI_Irecv(bodies[i], 2, MPI_INT, source, tag, MPI_COMM_WORLD, &requests[i]));
    }
    if (posted_first)
        for (int r = 1; r < world_size; r++) OK(MPI_Send(NULL, 0, MPI_INT, r, 77, MPI_COMM_WORLD));
    OK(MPI_Waitall(all, requests, statuses));
    for (int i = 0; i < all; i++) {
        int source = statuses[i].MPI_SOURCE, tag = statuses[i].MPI_TAG, count;
        OK(MPI_Get_count(&statuses[i], MPI_INT, &count));
        CHECK_INT(count, 2);
        CHECK_INT(source, bodies[i][0]);
        CHECK_INT(tag, bodies[i][1] % 7);
        if (source < 1 || source >= world_size || tag < 0 || tag > 6) continue;
        // With any tag the whole stream of a source is ordered, else each of its tags.
        int *position = &last[source * 8 + (any_tag ? 7 : tag)];
        CHECK_THAT(bodies[i][1] >= *position, "source %d message %d after %d", source, bodies[i][1], *position - 1);
        *position = bodies[i][1] + 1;
    }
    free(requests);
    free(statuses);
    free(bodies);
    free(last);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    for (int way = 0; way < 8; way++) {
        gather_any(way & 1, way & 2, way & 4);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    // An earlier posted receive wins over a later one that is more specific, and the reverse.
    if (world_rank == 0) {
        MPI_Request requests[3];
        int values[3] = {0};
        OK(MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Irecv(&values[1], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Irecv(&values[2], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]));
        OK(MPI_Send(NULL, 0, MPI_INT, 1, 6, MPI_COMM_WORLD));
        OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < 3; i++) CHECK_INT(values[i], i + 1);
    } else if (world_rank == 1) {
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 1; i <= 3; i++) OK(MPI_Send(&i, 1, MPI_INT, 0, 5, MPI_COMM_WORLD));
    }
    return finish("wildcard");
}
