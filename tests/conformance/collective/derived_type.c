// ranks: 1 2 3 5
// timeout: 20
// differs: ranks 5: MPICH 5.0 fails in MPI_Gather of a struct of several basic types from four ranks on (72 KB a rank)
// Collectives on derived types: gaps inside and between elements, resized extents, a matrix transposed by an
// all-to-all, different types of one signature on the two sides, and a reduction over a type with a gap.
#include "check.h"
#include <stddef.h>

#define N 12

static void transpose(void) { // rows of ranks become columns
    int n = world_size;
    int *rows = space(sizeof *rows * N * N * (size_t)n), *columns = space(sizeof *columns * N * N * (size_t)n);
    MPI_Datatype column, block;
    OK(MPI_Type_vector(N, 1, N * n, MPI_INT, &column)); // a column of N of my N rows of N * n
    OK(MPI_Type_create_resized(column, 0, sizeof(int), &block));
    OK(MPI_Type_commit(&block));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N * n; j++) rows[i * N * n + j] = (world_rank * N + i) * 1000 + j;
    OK(MPI_Alltoall(rows, N, block, columns, N * N, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < n; r++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                CHECK_INT(columns[r * N * N + j * N + i], (r * N + i) * 1000 + world_rank * N + j);
    OK(MPI_Type_free(&column));
    OK(MPI_Type_free(&block));
    free(rows);
    free(columns);
}

struct record {
    char letter;
    double number;
    short pair[2];
};

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, me = world_rank;
    transpose();

    MPI_Datatype raw, record;
    int lengths[3] = {1, 1, 2};
    MPI_Aint places[3] = {offsetof(struct record, letter), offsetof(struct record, number), offsetof(struct record, pair)};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    OK(MPI_Type_create_struct(3, lengths, places, types, &raw));
    OK(MPI_Type_create_resized(raw, 0, sizeof(struct record), &record));
    OK(MPI_Type_commit(&record));
    static const int counts[] = {1, 7, 3000};
    for (int c = 0; c < 3; c++) {
        int count = counts[c];
        struct record *mine = space(sizeof *mine * (size_t)count), *all = space(sizeof *all * (size_t)(count * n));
        for (int i = 0; i < count; i++) {
            memset(&mine[i], 0x33, sizeof *mine);
            mine[i].letter = (char)('a' + (me + i) % 26);
            mine[i].number = me * 1000.5 + i;
            mine[i].pair[0] = (short)(me + i);
            mine[i].pair[1] = (short)-i;
        }
        for (int way = 0; way < 3; way++) {
            memset(all, 0x44, sizeof *all * (size_t)(count * n));
            if (way == 0) OK(MPI_Allgather(mine, count, record, all, count, record, MPI_COMM_WORLD));
            if (way == 1) OK(MPI_Gather(mine, count, record, all, count, record, n - 1, MPI_COMM_WORLD));
            if (way == 2) {
                MPI_Request request;
                OK(MPI_Iallgather(mine, count, record, all, count, record, MPI_COMM_WORLD, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            }
            if (way == 1 && me != n - 1) continue;
            for (int r = 0; r < n; r++)
                for (int i = 0; i < count; i++) {
                    struct record *got = &all[r * count + i];
                    CHECK_INT(got->letter, 'a' + (r + i) % 26);
                    CHECK(got->number == r * 1000.5 + i);
                    CHECK_INT(got->pair[0], (short)(r + i));
                    CHECK_INT(got->pair[1], (short)-i);
                    CHECK_INT(((unsigned char *)got)[1], 0x44); // the gap is not written
                }
        }
        free(mine);
        free(all);
    }
    OK(MPI_Type_free(&raw));
    OK(MPI_Type_free(&record));

    // Every second int, in blocks that leave a gap at the end too.
    MPI_Datatype every_second, spaced;
    OK(MPI_Type_vector(10, 1, 2, MPI_INT, &every_second));
    OK(MPI_Type_create_resized(every_second, 0, 20 * sizeof(int), &spaced));
    OK(MPI_Type_commit(&spaced));
    int *strided = space(sizeof *strided * 20 * (size_t)n), dense[10];
    for (int root = 0; root < n; root++) {
        for (int i = 0; i < 20 * n; i++) strided[i] = me == root ? i : -1;
        OK(MPI_Scatter(strided, 1, spaced, dense, 10, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; i < 10; i++) CHECK_INT(dense[i], me * 20 + 2 * i);
        for (int i = 0; i < 20 * n; i++) strided[i] = -1;
        OK(MPI_Allgather(dense, 10, MPI_INT, strided, 1, spaced, MPI_COMM_WORLD));
        for (int i = 0; i < 20 * n; i++) CHECK_INT(strided[i], i % 2 ? -1 : i);
        int bcast[40];
        for (int i = 0; i < 40; i++) bcast[i] = me == root ? i : -1;
        OK(MPI_Bcast(bcast, 2, spaced, root, MPI_COMM_WORLD));
        for (int i = 0; i < 40; i++) CHECK_INT(bcast[i], i % 2 && me != root ? -1 : i);
        OK(MPI_Scan(MPI_IN_PLACE, dense, 10, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        for (int i = 0; i < 10; i++) CHECK_INT(dense[i], me * 20 + 2 * i);
    }
    free(strided);
    OK(MPI_Type_free(&every_second));
    OK(MPI_Type_free(&spaced));
    return finish("derived_type");
}
