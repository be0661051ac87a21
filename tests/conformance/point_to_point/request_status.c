// ranks: 1 2 3
// timeout: 20
// MPI_Request_get_status and its any, some and all forms: as the test calls, but the requests stay as they are.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Request requests[4], null_request = MPI_REQUEST_NULL, copies[4];
    MPI_Status status, statuses[4];
    int in[4] = {-1, -1, -1, -1}, flag = -1, index = -1, count = -1, indices[4];

    OK(MPI_Request_get_status(null_request, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);

    for (int i = 0; i < 3; i++) OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
    requests[3] = MPI_REQUEST_NULL;
    memcpy(copies, requests, sizeof copies);
    OK(MPI_Request_get_status(requests[0], &flag, &status));
    CHECK_INT(flag, 0);
    OK(MPI_Request_get_status_any(3, requests, &index, &flag, &status));
    CHECK_INT(flag, 0);
    OK(MPI_Request_get_status_some(4, requests, &count, indices, statuses));
    CHECK_INT(count, 0);
    OK(MPI_Request_get_status_all(4, requests, &flag, statuses));
    CHECK_INT(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));

    int first = world_rank * 10 + 1;
    OK(MPI_Send(&first, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    flag = 0;
    while (!flag) OK(MPI_Request_get_status(requests[1], &flag, &status));
    CHECK_INT(in[1], left * 10 + 1);
    CHECK_INT(status.MPI_TAG, 1);
    CHECK_INT(status.MPI_SOURCE, left);
    for (int again = 0; again < 3; again++) { // as often as one likes
        OK(MPI_Request_get_status(requests[1], &flag, &status));
        CHECK_INT(flag, 1);
        CHECK_INT(status.MPI_TAG, 1);
        OK(MPI_Request_get_status_any(4, requests, &index, &flag, &status));
        CHECK_INT(flag, 1);
        CHECK_INT(index, 1);
        CHECK_INT(status.MPI_TAG, 1);
        OK(MPI_Request_get_status_some(4, requests, &count, indices, statuses));
        CHECK_INT(count, 1);
        CHECK_INT(indices[0], 1);
        CHECK_INT(statuses[0].MPI_SOURCE, left);
        OK(MPI_Request_get_status_all(4, requests, &flag, statuses));
        CHECK_INT(flag, 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 3; i += 2) {
        int value = world_rank * 10 + i;
        OK(MPI_Send(&value, 1, MPI_INT, right, i, MPI_COMM_WORLD));
    }
    flag = 0;
    while (!flag) OK(MPI_Request_get_status_all(4, requests, &flag, statuses));
    for (int i = 0; i < 3; i++) {
        CHECK_INT(statuses[i].MPI_TAG, i);
        CHECK_INT(in[i], left * 10 + i);
    }
    CHECK_INT(statuses[3].MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK(memcmp(copies, requests, sizeof copies) == 0);
    OK(MPI_Request_get_status_some(4, requests, &count, indices, MPI_STATUSES_IGNORE));
    CHECK_INT(count, 3);
    OK(MPI_Waitall(4, requests, statuses));
    for (int i = 0; i < 3; i++) CHECK_INT(statuses[i].MPI_TAG, i);

    // No active request in the list.
    OK(MPI_Request_get_status_any(4, requests, &index, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_INT(index, MPI_UNDEFINED);
    OK(MPI_Request_get_status_some(4, requests, &count, indices, statuses));
    CHECK_INT(count, MPI_UNDEFINED);
    OK(MPI_Request_get_status_all(4, requests, &flag, statuses));
    CHECK_INT(flag, 1);
    return finish("request_status");
}
