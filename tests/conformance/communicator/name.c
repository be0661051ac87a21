// ranks: 1 2
// timeout: 20
// Names of communicators: the predefined ones, none at first, set and read, as long as allowed.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Comm comm;
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_STR(name, "MPI_COMM_WORLD");
    CHECK_INT(length, 14);
    OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK_STR(name, "MPI_COMM_SELF");
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK_STR(name, "");
    CHECK_INT(length, 0);
    OK(MPI_Comm_set_name(comm, "ridge"));
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK_STR(name, "ridge");
    CHECK_INT(length, 5);
    memset(longest, 'n', sizeof longest);
    longest[MPI_MAX_OBJECT_NAME - 1] = 0;
    OK(MPI_Comm_set_name(comm, longest));
    OK(MPI_Comm_get_name(comm, name, &length));
    CHECK_STR(name, longest);
    CHECK_INT(length, MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Comm_set_name(MPI_COMM_WORLD, "everybody"));
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_STR(name, "everybody");
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length)); // since MPI-4.1
    CHECK_STR(name, "MPI_COMM_NULL");
    return finish("name");
}
