// ranks: 1 2 3 4 5
// timeout: 20
// MPI_Bcast and MPI_Ibcast: every root, counts from 0 to 1 MiB, memory past the count stays; the root may describe
// the data by another type of the same signature than the others.
#include "check.h"

static void bcast(int nonblocking, void *buffer, int count, MPI_Datatype type, int root) {
    if (!nonblocking) {
        OK(MPI_Bcast(buffer, count, type, root, MPI_COMM_WORLD));
    } else {
        MPI_Request request;
        OK(MPI_Ibcast(buffer, count, type, root, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {0, 1, 2, 7, 8, 60, 64, 1000, 1025, 8192, 12289, 65537, 1 << 20};
    unsigned char *buffer = space((1 << 20) + 32);
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int root = 0; root < world_size; root++) {
                int bytes = counts[c];
                memset(buffer, 0xcc, (size_t)bytes + 32);
                if (world_rank == root) fill(buffer, (size_t)bytes, (uint64_t)(root + bytes));
                bcast(nonblocking, buffer, bytes, MPI_BYTE, root);
                CHECK_FILLED(buffer, bytes, root + bytes);
                CHECK(all_bytes(buffer + bytes, 32, 0xcc));
            }
    // A column at the root, a row elsewhere; and the reverse.
    MPI_Datatype column;
    enum { N = 40 };
    OK(MPI_Type_vector(N, 1, N, MPI_INT, &column));
    OK(MPI_Type_commit(&column));
    int matrix[N][N];
    for (int nonblocking = 0; nonblocking < 2; nonblocking++)
        for (int swap = 0; swap < 2; swap++)
            for (int root = 0; root < world_size; root++) {
                int strided = (world_rank == root) != swap;
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++) matrix[i][j] = world_rank == root ? root + (strided ? i : j) : -1;
                if (strided) bcast(nonblocking, &matrix[0][3], 1, column, root);
                else bcast(nonblocking, &matrix[3][0], N, MPI_INT, root);
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++) {
                        int in_data = strided ? j == 3 : i == 3;
                        if (world_rank == root) continue;
                        CHECK_INT(matrix[i][j], in_data ? root + (strided ? i : j) : -1);
                    }
            }
    OK(MPI_Type_free(&column));
    free(buffer);
    return finish("bcast");
}
