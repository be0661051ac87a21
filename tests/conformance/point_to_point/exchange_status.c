// ranks: 1 2 3
// timeout: 20
// differs: MPICH 5.0 leaves the size of an earlier message in the status of a large MPI_Isendrecv
// The status of MPI_Isendrecv and MPI_Isendrecv_replace is that of their receive.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size, count, flag;
    static const int sizes[] = {0, 1, 100, 5000, 65537, 2000000, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int replace = 0; replace < 2; replace++) {
            int bytes = sizes[i];
            unsigned char *out = space((size_t)bytes), *in = space((size_t)bytes + 10);
            MPI_Status status;
            MPI_Request request;
            fill(out, (size_t)bytes, (uint64_t)world_rank);
            memcpy(in, out, (size_t)bytes);
            if (replace)
                OK(MPI_Isendrecv_replace(in, bytes, MPI_BYTE, right, 40 + replace, MPI_ANY_SOURCE, MPI_ANY_TAG,
                                         MPI_COMM_WORLD, &request));
            else
                OK(MPI_Isendrecv(out, bytes, MPI_BYTE, right, 40 + replace, in, bytes + 10, MPI_BYTE, MPI_ANY_SOURCE,
                                 MPI_ANY_TAG, MPI_COMM_WORLD, &request));
            OK(MPI_Wait(&request, &status));
            CHECK_INT(status.MPI_SOURCE, left);
            CHECK_INT(status.MPI_TAG, 40 + replace);
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_INT(count, bytes);
            OK(MPI_Test_cancelled(&status, &flag));
            CHECK_INT(flag, 0);
            CHECK_FILLED(in, bytes, left);
            free(out);
            free(in);
            OK(MPI_Barrier(MPI_COMM_WORLD)); // wildcards of the next round must not meet this one
        }
    return finish("exchange_status");
}
