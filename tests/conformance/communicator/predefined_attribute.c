// ranks: 1 2 3
// timeout: 20
// The predefined attributes of MPI_COMM_WORLD: there, with values the standard allows; the largest tag works.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int *value = NULL, flag = -1;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK_INT(flag, 1);
    CHECK(*value >= 32767);
    int largest = *value, in = 0, right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Status status;
    MPI_Request request;
    OK(MPI_Irecv(&in, 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&world_rank, 1, MPI_INT, right, largest, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    CHECK_INT(status.MPI_TAG, largest);
    CHECK_INT(in, left);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
    if (flag) CHECK(*value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL || (*value >= 0 && *value < world_size));
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    if (flag) CHECK(*value == 0 || *value == 1);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
    if (flag) CHECK_INT(*value, 0);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
    if (flag) CHECK(*value >= world_size);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK_INT(flag, 1);
    int before = *value, class_number;
    OK(MPI_Add_error_class(&class_number));
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag && *value >= before && *value >= class_number);
    return finish("predefined_attribute");
}
