// ranks: 1 2 3 5
// timeout: 20
// MPI_Sendrecv and MPI_Sendrecv_replace and their nonblocking forms around a ring, to oneself, with MPI_PROC_NULL on
// either side, with different types and sizes in the two directions, and as partners of plain sends and receives.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size, count;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Status status;
    MPI_Request request;
    static const int sizes[] = {0, 1, 16, 100, 5000, 65537, 2000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int bytes = sizes[i];
        unsigned char *out = space((size_t)bytes), *in = space((size_t)bytes);
        fill(out, (size_t)bytes, (uint64_t)world_rank);

        memset(in, 0, (size_t)bytes);
        OK(MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, in, bytes, MPI_BYTE, left, 1, comm, &status));
        CHECK_FILLED(in, bytes, left);
        CHECK_INT(status.MPI_SOURCE, left);
        CHECK_INT(status.MPI_TAG, 1);
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_INT(count, bytes);

        memset(in, 0, (size_t)bytes);
        OK(MPI_Isendrecv(out, bytes, MPI_BYTE, right, 2, in, bytes, MPI_BYTE, left, 2, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_FILLED(in, bytes, left);

        memcpy(in, out, (size_t)bytes);
        OK(MPI_Sendrecv_replace(in, bytes, MPI_BYTE, right, 3, left, 3, comm, &status));
        CHECK_FILLED(in, bytes, left);
        CHECK_INT(status.MPI_SOURCE, left);

        memcpy(in, out, (size_t)bytes);
        OK(MPI_Isendrecv_replace(in, bytes, MPI_BYTE, right, 4, left, 4, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_FILLED(in, bytes, left);

        // A chain with open ends: MPI_PROC_NULL leaves the buffer as it is.
        int next = world_rank + 1 < world_size ? world_rank + 1 : MPI_PROC_NULL;
        int before = world_rank ? world_rank - 1 : MPI_PROC_NULL;
        memset(in, 0x11, (size_t)bytes);
        OK(MPI_Sendrecv(out, bytes, MPI_BYTE, next, 5, in, bytes, MPI_BYTE, before, 5, comm, &status));
        if (before == MPI_PROC_NULL) {
            CHECK(all_bytes(in, (size_t)bytes, 0x11));
            CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
            CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_INT(count, 0);
        } else {
            CHECK_FILLED(in, bytes, before);
        }
        free(out);
        free(in);
    }
    // Different counts and types either way.
    {
        double numbers[4] = {world_rank, 1.5, 2.5, 3.5}, got[5] = {-1, -1, -1, -1, -1};
        OK(MPI_Sendrecv(numbers, 4, MPI_DOUBLE, right, 6, got, 5, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
        CHECK_INT(got[0], left);
        CHECK(got[3] == 3.5 && got[4] == -1);
        OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        CHECK_INT(count, 4);
        CHECK_INT(status.MPI_TAG, 6);
    }
    // Even ranks exchange, odd ranks use plain calls; and with a strided type that replaces itself.
    if (world_size > 1 && (world_rank ^ 1) < world_size) {
        int mate = world_rank ^ 1, out = 100 + world_rank, in = -1;
        if (world_rank % 2 == 0) {
            OK(MPI_Sendrecv(&out, 1, MPI_INT, mate, 7, &in, 1, MPI_INT, mate, 8, comm, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Recv(&in, 1, MPI_INT, mate, 7, comm, MPI_STATUS_IGNORE));
            OK(MPI_Send(&out, 1, MPI_INT, mate, 8, comm));
        }
        CHECK_INT(in, 100 + mate);
    }
    {
        MPI_Datatype column;
        int matrix[6][6];
        OK(MPI_Type_vector(6, 2, 6, MPI_INT, &column));
        OK(MPI_Type_commit(&column));
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) matrix[i][j] = world_rank * 100 + i * 6 + j;
        OK(MPI_Sendrecv_replace(&matrix[0][1], 1, column, right, 9, left, 9, comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                CHECK_INT(matrix[i][j], (j == 1 || j == 2 ? left : world_rank) * 100 + i * 6 + j);
        OK(MPI_Type_free(&column));
    }
    return finish("exchange");
}
