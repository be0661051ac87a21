// ranks: 2
// timeout: 20
// Sender and receiver may use different types of one signature: all pairings of nine layouts of 24 ints, at sizes on
// both sides of eager limits, sent with MPI_Send and MPI_Issend, received posted and after a probe.
#include "check.h"

#define INTS 24
#define EXTENT 64 // ints each layout covers

static MPI_Datatype layout[9];
static int places[9][INTS];

static void prepare(void) {
    MPI_Datatype t, inner;
    int lengths[8], starts[8], n = 0;
#define DONE(type)                                                          \
    do {                                                                    \
        OK(MPI_Type_create_resized(type, 0, EXTENT * 4, &layout[n]));       \
        OK(MPI_Type_commit(&layout[n]));                                    \
        OK(MPI_Type_free(&type));                                           \
        n++;                                                                \
    } while (0)
    OK(MPI_Type_contiguous(24, MPI_INT, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = i;
    DONE(t);
    OK(MPI_Type_vector(24, 1, 2, MPI_INT, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = 2 * i;
    DONE(t);
    OK(MPI_Type_vector(3, 8, 20, MPI_INT, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = i / 8 * 20 + i % 8;
    DONE(t);
    OK(MPI_Type_vector(12, 2, 5, MPI_INT, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = i / 2 * 5 + i % 2;
    DONE(t);
    for (int i = 0; i < 8; i++) lengths[i] = i % 2 ? 5 : 1, starts[i] = (7 - i) * 8;
    OK(MPI_Type_indexed(8, lengths, starts, MPI_INT, &t));
    for (int i = 0, k = 0; i < 8; i++)
        for (int j = 0; j < lengths[i]; j++) places[n][k++] = starts[i] + j;
    DONE(t);
    OK(MPI_Type_create_indexed_block(8, 3, starts, MPI_INT, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = starts[i / 3] + i % 3;
    DONE(t);
    int sizes[2] = {8, 8}, subsizes[2] = {4, 6}, from[2] = {3, 1};
    OK(MPI_Type_create_subarray(2, sizes, subsizes, from, MPI_ORDER_C, MPI_INT, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = (3 + i / 6) * 8 + 1 + i % 6;
    DONE(t);
    OK(MPI_Type_vector(4, 1, 3, MPI_INT, &inner)); // 0,3,6,9
    OK(MPI_Type_create_hvector(6, 1, 10 * 4, inner, &t));
    OK(MPI_Type_free(&inner));
    for (int i = 0; i < INTS; i++) places[n][i] = i / 4 * 10 + i % 4 * 3;
    DONE(t);
    MPI_Datatype parts[2] = {MPI_INT, MPI_INT};
    int counts[2] = {20, 4};
    MPI_Aint at[2] = {4 * 30, 0};
    OK(MPI_Type_create_struct(2, counts, at, parts, &t));
    for (int i = 0; i < INTS; i++) places[n][i] = i < 20 ? 30 + i : i - 20;
    DONE(t);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    prepare();
    static const int counts[] = {1, 2, 30, 400, 6000};
    for (int c = 0; c < 5; c++) {
        int count = counts[c];
        size_t area = (size_t)count * EXTENT;
        int *buffer = space(sizeof *buffer * area);
        for (int s = 0; s < 9; s++)
            for (int r = 0; r < 9; r++) {
                if (count == 6000 && (s + r) % 3) continue;
                if (world_rank == 0) {
                    memset(buffer, 0xee, sizeof *buffer * area);
                    for (int k = 0; k < count; k++)
                        for (int i = 0; i < INTS; i++) buffer[k * EXTENT + places[s][i]] = k * INTS + i;
                    if ((s + r) % 2) OK(MPI_Send(buffer, count, layout[s], 1, s, MPI_COMM_WORLD));
                    else OK(MPI_Ssend(buffer, count, layout[s], 1, s, MPI_COMM_WORLD));
                } else {
                    MPI_Status status;
                    int got = -1;
                    memset(buffer, 0xdd, sizeof *buffer * area);
                    if (r % 2) OK(MPI_Probe(0, s, MPI_COMM_WORLD, &status));
                    OK(MPI_Recv(buffer, count, layout[r], 0, s, MPI_COMM_WORLD, &status));
                    OK(MPI_Get_count(&status, layout[r], &got));
                    CHECK_INT(got, count);
                    int wrong = 0, touched = 0;
                    for (int k = 0; k < count; k++)
                        for (int i = 0; i < INTS; i++) wrong += buffer[k * EXTENT + places[r][i]] != k * INTS + i;
                    for (size_t i = 0; i < area; i++) touched += buffer[i] != (int)0xdddddddd;
                    CHECK_THAT(wrong == 0, "layout %d to %d, count %d: %d wrong", s, r, count, wrong);
                    CHECK_THAT(touched == count * INTS, "layout %d to %d, count %d: %d touched", s, r, count, touched);
                }
            }
        free(buffer);
    }
    for (int i = 0; i < 9; i++) OK(MPI_Type_free(&layout[i]));
    return finish("signature");
}
