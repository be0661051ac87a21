// ranks: 1 2
// timeout: 20
// The standard ABI's conversions between handles and integers: predefined handles are their constant's value, those of
// the program come back as the same handle and stay usable; Fortran conversions of the null handles.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK_INT(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    CHECK_INT(MPI_Comm_toint(MPI_COMM_SELF), 0x102);
    CHECK_INT(MPI_Comm_toint(MPI_COMM_NULL), 0x100);
    CHECK(MPI_Comm_fromint(0x101) == MPI_COMM_WORLD);
    CHECK(MPI_Comm_fromint(0x100) == MPI_COMM_NULL);
    CHECK_INT(MPI_Type_toint(MPI_INT), 0x209);
    CHECK(MPI_Type_fromint(0x214) == MPI_DOUBLE);
    CHECK_INT(MPI_Op_toint(MPI_SUM), 0x21);
    CHECK(MPI_Op_fromint(0x39) == MPI_MAXLOC);
    CHECK_INT(MPI_Group_toint(MPI_GROUP_EMPTY), 0x109);
    CHECK(MPI_Group_fromint(0x108) == MPI_GROUP_NULL);
    CHECK_INT(MPI_Request_toint(MPI_REQUEST_NULL), 0x180);
    CHECK(MPI_Request_fromint(0x180) == MPI_REQUEST_NULL);
    CHECK_INT(MPI_Errhandler_toint(MPI_ERRORS_RETURN), 0x143);
    CHECK(MPI_Errhandler_fromint(0x141) == MPI_ERRORS_ARE_FATAL);
    CHECK_INT(MPI_Info_toint(MPI_INFO_NULL), 0x130);
    CHECK(MPI_Info_fromint(0x131) == MPI_INFO_ENV);
    CHECK_INT(MPI_Message_toint(MPI_MESSAGE_NO_PROC), 0x129);
    CHECK(MPI_Message_fromint(0x128) == MPI_MESSAGE_NULL);

    MPI_Comm comm, back;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    int size, value = 5, in = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    back = MPI_Comm_fromint(MPI_Comm_toint(comm));
    CHECK(back == comm);
    OK(MPI_Comm_size(back, &size));
    CHECK_INT(size, world_size);
    CHECK(MPI_Comm_toint(comm) > 0xfff || MPI_Comm_toint(comm) < 0); // small integers are the standard's
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
    OK(MPI_Type_free(&type));
    OK(MPI_Comm_group(comm, &group));
    CHECK(MPI_Group_fromint(MPI_Group_toint(group)) == group);
    OK(MPI_Group_free(&group));
    OK(MPI_Info_create(&info));
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    OK(MPI_Info_free(&info));
    OK(MPI_Irecv(&in, 1, MPI_INT, world_rank, 1, comm, &request));
    MPI_Request same = MPI_Request_fromint(MPI_Request_toint(request));
    CHECK(same == request);
    OK(MPI_Send(&value, 1, MPI_INT, world_rank, 1, comm));
    OK(MPI_Wait(&same, MPI_STATUS_IGNORE));
    CHECK_INT(in, 5);
    OK(MPI_Comm_free(&comm));
    return finish("handle_conversion");
}
