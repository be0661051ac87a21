// ranks: 1 2
// timeout: 20
// Generalized requests: the query, free and cancel functions are called when they should be and with their own state,
// beside ordinary requests in the same wait calls.
#include "check.h"

struct state {
    int queried, freed, cancelled, complete;
};

static int query(void *extra, MPI_Status *status) {
    struct state *state = extra;
    state->queried++;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, state->cancelled);
    status->MPI_SOURCE = 41;
    status->MPI_TAG = 42;
    return MPI_SUCCESS;
}
static int release(void *extra) {
    ((struct state *)extra)->freed++;
    return MPI_SUCCESS;
}
static int cancel(void *extra, int complete) {
    struct state *state = extra;
    state->cancelled++;
    state->complete = complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    struct state state = {0};
    MPI_Request request, both[2];
    MPI_Status status, statuses[2];
    int flag = -1, count = -1, in = 0, out = 5;

    OK(MPI_Grequest_start(query, release, cancel, &state, &request));
    OK(MPI_Test(&request, &flag, &status));
    CHECK_INT(flag, 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(state.queried >= 1);
    CHECK_INT(state.freed, 1);
    CHECK_INT(status.MPI_SOURCE, 41);
    CHECK_INT(status.MPI_TAG, 42);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 3);

    memset(&state, 0, sizeof state); // cancelled before completion
    OK(MPI_Grequest_start(query, release, cancel, &state, &request));
    OK(MPI_Cancel(&request));
    CHECK_INT(state.cancelled, 1);
    CHECK_INT(state.complete, 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    CHECK_INT(state.freed, 1);

    memset(&state, 0, sizeof state); // beside a receive
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    OK(MPI_Grequest_start(query, release, cancel, &state, &both[0]));
    OK(MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &both[1]));
    OK(MPI_Send(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    OK(MPI_Grequest_complete(both[0]));
    OK(MPI_Waitall(2, both, statuses));
    CHECK_INT(in, 5);
    CHECK_INT(statuses[0].MPI_TAG, 42);
    CHECK_INT(statuses[1].MPI_TAG, 1);
    CHECK_INT(state.freed, 1);

    memset(&state, 0, sizeof state); // freed by the program: the free function runs when it is complete
    OK(MPI_Grequest_start(query, release, cancel, &state, &request));
    MPI_Request copy = request;
    OK(MPI_Request_free(&request));
    CHECK_INT(state.freed, 0);
    OK(MPI_Grequest_complete(copy));
    CHECK_INT(state.freed, 1);
    return finish("generalized_request");
}
