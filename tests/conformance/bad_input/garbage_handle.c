// ranks: 1
// timeout: 20
// only: pamir
// Handles that were never made, of other kinds, or already freed: an error class, never a crash.
#include "check.h"

#define HANDLE(type, value) ((type)(uintptr_t)(value))

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const uintptr_t garbage[] = {0, 1, 0x1ff, 0x209, 0x999, 0x1000, 0xdeadbeef, 0x7fffffff, (uintptr_t)-1, 0x123456789abcdef0};
    int value = 0, in = 0, flag, total;
    MPI_Status status;
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        uintptr_t bits = garbage[i];
        FAILS(MPI_Send(&value, 1, MPI_INT, 0, 0, HANDLE(MPI_Comm, bits)), MPI_ERR_COMM);
        FAILS(MPI_Comm_size(HANDLE(MPI_Comm, bits), &value), MPI_ERR_COMM);
        MPI_Comm comm = HANDLE(MPI_Comm, bits);
        FAILS(MPI_Comm_free(&comm), MPI_ERR_COMM);
        FAILS(MPI_Barrier(HANDLE(MPI_Comm, bits)), MPI_ERR_COMM);
        if (bits != 0x209) {
            MPI_Datatype type = HANDLE(MPI_Datatype, bits);
            FAILS(MPI_Send(&value, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
            FAILS(MPI_Type_size(type, &value), MPI_ERR_TYPE);
            FAILS(MPI_Type_commit(&type), MPI_ERR_TYPE);
            FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
        }
        FAILS(MPI_Allreduce(&value, &in, 1, MPI_INT, HANDLE(MPI_Op, bits), MPI_COMM_WORLD), MPI_ERR_OP);
        FAILS(MPI_Group_size(HANDLE(MPI_Group, bits), &value), MPI_ERR_GROUP);
        MPI_Request request = HANDLE(MPI_Request, bits);
        FAILS(MPI_Wait(&request, &status), MPI_ERR_REQUEST);
        request = HANDLE(MPI_Request, bits);
        FAILS(MPI_Test(&request, &flag, &status), MPI_ERR_REQUEST);
        request = HANDLE(MPI_Request, bits);
        FAILS(MPI_Request_free(&request), MPI_ERR_REQUEST);
        FAILS_EITHER(MPI_Comm_set_errhandler(MPI_COMM_WORLD, HANDLE(MPI_Errhandler, bits)), MPI_ERR_ARG, MPI_ERR_ERRHANDLER);
        FAILS_EITHER(MPI_Info_set(HANDLE(MPI_Info, bits), "a", "b"), MPI_ERR_INFO, MPI_ERR_ARG);
        MPI_Message message = HANDLE(MPI_Message, bits);
        FAILS_EITHER(MPI_Mrecv(&in, 1, MPI_INT, &message, &status), MPI_ERR_REQUEST, MPI_ERR_ARG);
    }
    // Freed ones.
    MPI_Comm comm, old_comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    old_comm = comm;
    OK(MPI_Comm_free(&comm));
    FAILS(MPI_Comm_size(old_comm, &value), MPI_ERR_COMM);
    MPI_Datatype type, old_type;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    old_type = type;
    OK(MPI_Type_free(&type));
    FAILS(MPI_Type_size(old_type, &value), MPI_ERR_TYPE);
    MPI_Request request, old_request;
    OK(MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    old_request = request;
    OK(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&request, &status));
    FAILS(MPI_Wait(&old_request, &status), MPI_ERR_REQUEST);
    MPI_Group group, old_group;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    old_group = group;
    OK(MPI_Group_free(&group));
    if (old_group != MPI_GROUP_EMPTY) FAILS(MPI_Group_size(old_group, &value), MPI_ERR_GROUP);
    value = 2;
    OK(MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(total, 2);
    return finish("garbage_handle");
}
