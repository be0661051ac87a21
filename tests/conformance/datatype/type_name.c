// ranks: 1
// timeout: 20
// Names of types: none at first, set, read, copied by no one; MPI_Type_match_size; duplicates keep being committed.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Datatype t, copy;
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int length = -1;
    OK(MPI_Type_contiguous(3, MPI_INT, &t));
    OK(MPI_Type_get_name(t, name, &length));
    CHECK_INT(length, 0);
    CHECK_STR(name, "");
    OK(MPI_Type_set_name(t, "three ints"));
    OK(MPI_Type_get_name(t, name, &length));
    CHECK_STR(name, "three ints");
    CHECK_INT(length, 10);
    memset(longest, 'x', sizeof longest);
    longest[MPI_MAX_OBJECT_NAME - 1] = 0;
    OK(MPI_Type_set_name(t, longest));
    OK(MPI_Type_get_name(t, name, &length));
    CHECK_STR(name, longest);
    OK(MPI_Type_set_name(t, ""));
    OK(MPI_Type_get_name(t, name, &length));
    CHECK_STR(name, "");

    OK(MPI_Type_commit(&t));
    OK(MPI_Type_dup(t, &copy)); // committed as its original
    OK(MPI_Type_free(&t));
    int data[3] = {1, 2, 3}, back[3] = {0};
    MPI_Request request;
    OK(MPI_Irecv(back, 1, copy, 0, 1, MPI_COMM_SELF, &request));
    OK(MPI_Send(data, 1, copy, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(back[2], 3);
    OK(MPI_Type_free(&copy));

    static const int real[] = {4, 8}, integer[] = {1, 2, 4, 8}, complex[] = {8, 16};
    int size;
    for (int i = 0; i < 2; i++) {
        OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, real[i], &t));
        OK(MPI_Type_size(t, &size));
        CHECK_INT(size, real[i]);
        OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, complex[i], &t));
        OK(MPI_Type_size(t, &size));
        CHECK_INT(size, complex[i]);
    }
    for (int i = 0; i < 4; i++) {
        OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, integer[i], &t));
        OK(MPI_Type_size(t, &size));
        CHECK_INT(size, integer[i]);
    }
    FAILS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &t), MPI_ERR_ARG);
    return finish("type_name");
}
