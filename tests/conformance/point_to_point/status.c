// ranks: 2
// timeout: 20
// MPI_Status: its three fields, the accessors of MPI-4.1, counts in several types, elements set by hand, and the
// layout the standard ABI fixes. MPI_ERROR is not touched by calls that return a single status.
#include "check.h"
#include <stddef.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK_INT(sizeof(MPI_Status), 32);
    CHECK_INT(offsetof(MPI_Status, MPI_SOURCE), 0);
    CHECK_INT(offsetof(MPI_Status, MPI_TAG), 4);
    CHECK_INT(offsetof(MPI_Status, MPI_ERROR), 8);

    MPI_Status status;
    int value, flag, count;
    MPI_Count large;
    memset(&status, 0, sizeof status);
    OK(MPI_Status_set_source(&status, 17));
    OK(MPI_Status_set_tag(&status, 18));
    OK(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE));
    CHECK_INT(status.MPI_SOURCE, 17);
    CHECK_INT(status.MPI_TAG, 18);
    CHECK_INT(status.MPI_ERROR, MPI_ERR_TRUNCATE);
    OK(MPI_Status_get_source(&status, &value));
    CHECK_INT(value, 17);
    OK(MPI_Status_get_tag(&status, &value));
    CHECK_INT(value, 18);
    OK(MPI_Status_get_error(&status, &value));
    CHECK_INT(value, MPI_ERR_TRUNCATE);
    OK(MPI_Status_set_cancelled(&status, 1));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    OK(MPI_Status_set_cancelled(&status, 0));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Status_set_elements(&status, MPI_INT, 5));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 5);
    OK(MPI_Get_elements(&status, MPI_INT, &count));
    CHECK_INT(count, 5);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, 20);
    OK(MPI_Get_count(&status, MPI_DOUBLE, &count)); // 20 bytes are no whole number of doubles
    CHECK_INT(count, MPI_UNDEFINED);
    OK(MPI_Get_count(&status, MPI_SHORT, &count));
    CHECK_INT(count, 10);

    // More than an int can say: through _x and _c, MPI_UNDEFINED through the int.
    MPI_Count many = (MPI_Count)3 << 30;
    OK(MPI_Status_set_elements_x(&status, MPI_INT, many));
    OK(MPI_Get_elements_x(&status, MPI_INT, &large));
    CHECK_INT(large, many);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, MPI_UNDEFINED);
    OK(MPI_Get_elements(&status, MPI_INT, &count));
    CHECK_INT(count, MPI_UNDEFINED);
    OK(MPI_Status_set_elements_c(&status, MPI_BYTE, many + 1));
    OK(MPI_Get_elements_c(&status, MPI_BYTE, &large));
    CHECK_INT(large, many + 1);
    OK(MPI_Get_count_c(&status, MPI_BYTE, &large));
    CHECK_INT(large, many + 1);

    if (world_rank == 0) {
        int body[6] = {1, 2, 3, 4, 5, 6};
        for (int tag = 0; tag < 4; tag++) OK(MPI_Send(body, 6, MPI_INT, 1, 100 + tag, MPI_COMM_WORLD));
    } else {
        int body[10];
        MPI_Request requests[2];
        MPI_Status statuses[2];
        status.MPI_ERROR = 12345;
        OK(MPI_Recv(body, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_INT(status.MPI_SOURCE, 0);
        CHECK_INT(status.MPI_TAG, 100);
        CHECK_INT(status.MPI_ERROR, 12345);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_INT(count, 6);
        OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        CHECK_INT(count, 3);
        OK(MPI_Irecv(body, 10, MPI_INT, 0, 101, MPI_COMM_WORLD, &requests[0]));
        status.MPI_ERROR = 54321;
        OK(MPI_Wait(&requests[0], &status));
        CHECK_INT(status.MPI_ERROR, 54321);
        CHECK_INT(status.MPI_TAG, 101);
        OK(MPI_Irecv(body, 3 + 3, MPI_INT, 0, 102, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Irecv(body, 10, MPI_INT, 0, 103, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Waitall(2, requests, statuses));
        CHECK_INT(statuses[0].MPI_TAG, 102);
        CHECK_INT(statuses[1].MPI_TAG, 103);
    }
    return finish("status");
}
