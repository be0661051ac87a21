// ranks: 1 2 3 5
// timeout: 20
// Wait and test for one, any, some and all: with null requests, empty lists, requests that complete in another order,
// and the status each request gets.
#include "check.h"

#define COUNT 24

static MPI_Request receives[COUNT], sends[COUNT];
static int in[COUNT], out[COUNT];

static void post(int right, int left) {
    for (int i = 0; i < COUNT; i++) {
        in[i] = -1;
        if (i % 4 == 3) receives[i] = MPI_REQUEST_NULL;
        else OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]));
    }
    for (int i = COUNT - 1; i >= 0; i--) { // sent backwards
        out[i] = world_rank * 100 + i;
        if (i % 4 == 3) sends[i] = MPI_REQUEST_NULL;
        else OK(MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]));
    }
}

static void completed(int index, int left, const MPI_Status *status) {
    CHECK(index >= 0 && index < COUNT && index % 4 != 3);
    if (index < 0 || index >= COUNT) return;
    CHECK_INT(in[index], left * 100 + index);
    CHECK(receives[index] == MPI_REQUEST_NULL);
    CHECK_INT(status->MPI_TAG, index);
    CHECK_INT(status->MPI_SOURCE, left);
}

static void check_empty(const MPI_Status *status) {
    int count = -1, cancelled = -1;
    CHECK_INT(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    CHECK_INT(count, 0);
    OK(MPI_Test_cancelled(status, &cancelled));
    CHECK_INT(cancelled, 0);
}

static void nothing_to_wait_for(void) {
    MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[3];
    int index = 5, flag = 0, count = 5, indices[3];
    OK(MPI_Wait(&none[0], &status));
    check_empty(&status);
    OK(MPI_Test(&none[0], &flag, &status));
    CHECK_INT(flag, 1);
    check_empty(&status);
    for (int n = 0; n <= 3; n += 3) {
        OK(MPI_Waitany(n, none, &index, &status));
        CHECK_INT(index, MPI_UNDEFINED);
        check_empty(&status);
        flag = 0, index = 5;
        OK(MPI_Testany(n, none, &index, &flag, &status));
        CHECK_INT(index, MPI_UNDEFINED);
        CHECK_INT(flag, 1);
        check_empty(&status);
        OK(MPI_Waitall(n, none, statuses));
        flag = 0;
        OK(MPI_Testall(n, none, &flag, statuses));
        CHECK_INT(flag, 1);
        if (n) for (int i = 0; i < n; i++) check_empty(&statuses[i]);
        OK(MPI_Waitsome(n, none, &count, indices, statuses));
        CHECK_INT(count, MPI_UNDEFINED);
        count = 5;
        OK(MPI_Testsome(n, none, &count, indices, statuses));
        CHECK_INT(count, MPI_UNDEFINED);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size, real = COUNT / 4 * 3;
    MPI_Status status, statuses[COUNT];
    int index, flag, count, indices[COUNT], seen[COUNT];
    nothing_to_wait_for();

    for (int way = 0; way < 8; way++) {
        memset(seen, 0, sizeof seen);
        post(right, left);
        switch (way) {
        case 0:
            for (int i = 0; i < COUNT; i++) {
                OK(MPI_Wait(&receives[i], &status));
                if (i % 4 == 3) check_empty(&status);
                else completed(i, left, &status);
            }
            break;
        case 1:
            for (int i = 0; i < COUNT; i++) {
                flag = 0;
                while (!flag) OK(MPI_Test(&receives[i], &flag, &status));
                if (i % 4 != 3) completed(i, left, &status);
            }
            break;
        case 2:
            for (int i = 0; i < real; i++) {
                OK(MPI_Waitany(COUNT, receives, &index, &status));
                completed(index, left, &status);
                if (index >= 0 && index < COUNT) CHECK_INT(seen[index]++, 0);
            }
            OK(MPI_Waitany(COUNT, receives, &index, &status));
            CHECK_INT(index, MPI_UNDEFINED);
            break;
        case 3:
            for (int done = 0; done < real;) {
                OK(MPI_Testany(COUNT, receives, &index, &flag, &status));
                if (!flag) {
                    CHECK_INT(index, MPI_UNDEFINED);
                    continue;
                }
                completed(index, left, &status);
                if (index < 0) break;
                CHECK_INT(seen[index]++, 0);
                done++;
            }
            break;
        case 4:
        case 5:
            for (int done = 0; done < real;) {
                if (way == 4) OK(MPI_Waitsome(COUNT, receives, &count, indices, statuses));
                else OK(MPI_Testsome(COUNT, receives, &count, indices, statuses));
                if (way == 4) CHECK(count >= 1);
                CHECK(count >= 0 && count <= real - done);
                if (count < 0) break;
                for (int i = 0; i < count; i++) {
                    completed(indices[i], left, &statuses[i]);
                    CHECK_INT(seen[indices[i] % COUNT]++, 0);
                }
                done += count;
            }
            OK(MPI_Waitsome(COUNT, receives, &count, indices, statuses));
            CHECK_INT(count, MPI_UNDEFINED);
            break;
        case 6:
        case 7:
            if (way == 6) {
                OK(MPI_Waitall(COUNT, receives, statuses));
            } else {
                flag = 0;
                while (!flag) {
                    OK(MPI_Testall(COUNT, receives, &flag, statuses));
                    if (!flag) CHECK(receives[0] != MPI_REQUEST_NULL); // all or nothing
                }
            }
            for (int i = 0; i < COUNT; i++)
                if (i % 4 == 3) check_empty(&statuses[i]);
                else completed(i, left, &statuses[i]);
            break;
        }
        for (int i = 0; i < COUNT; i++) CHECK(receives[i] == MPI_REQUEST_NULL);
        OK(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE));
        for (int i = 0; i < COUNT; i++) CHECK(sends[i] == MPI_REQUEST_NULL);
    }
    // Nothing complete yet: the test calls say so and leave the requests.
    post(right, left);
    OK(MPI_Waitall(COUNT, receives, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE));
    MPI_Request pending;
    int value = 0, send = 3;
    OK(MPI_Irecv(&value, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &pending));
    OK(MPI_Test(&pending, &flag, &status));
    CHECK_INT(flag, 0);
    OK(MPI_Testany(1, &pending, &index, &flag, &status));
    CHECK_INT(flag, 0);
    CHECK_INT(index, MPI_UNDEFINED);
    OK(MPI_Testsome(1, &pending, &count, indices, statuses));
    CHECK_INT(count, 0);
    OK(MPI_Testall(1, &pending, &flag, statuses));
    CHECK_INT(flag, 0);
    CHECK(pending != MPI_REQUEST_NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&send, 1, MPI_INT, right, 99, MPI_COMM_WORLD));
    OK(MPI_Wait(&pending, &status));
    CHECK_INT(value, 3);
    return finish("completion");
}
