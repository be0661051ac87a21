// ranks: 1 2
// timeout: 30
// Data goes where the type map says: every constructor is packed and sent against an element list made by hand from
// its definition, with counts above one, small and large, into contiguous memory and back, between unlike types of one
// signature, and partly (fewer elements than the receive has room for).
#include "check.h"

#define AREA 4096 // ints a type may cover, for each of its elements

static int offsets[200000], used; // of each int, in data order, from the start of the buffer

static void at(long element) { offsets[used++] = (int)element; }

// One type: `count` of it must touch exactly `offsets` (in ints, relative to `origin`).
static void transfer(MPI_Datatype type, int count, long origin, long area, const char *what) {
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    int *typed = space(sizeof *typed * (size_t)area), *dense = space(sizeof *dense * (size_t)(used + 1));
    MPI_Request request;
    MPI_Status status;
    int received, elements;
    OK(MPI_Type_commit(&type));

    // Typed to contiguous.
    for (long i = 0; i < area; i++) typed[i] = (int)i * 3 + world_rank;
    memset(dense, 0xff, sizeof *dense * (size_t)(used + 1));
    OK(MPI_Irecv(dense, used + 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Send(typed + origin, count, type, right, 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, MPI_INT, &received));
    CHECK_THAT(received == used, "%s: %d ints arrived, expected %d", what, received, used);
    for (int i = 0; i < used; i++)
        CHECK_THAT(dense[i] == (int)(origin + offsets[i]) * 3 + left, "%s: element %d", what, i);
    CHECK_INT(dense[used], -1);

    // Contiguous to typed: nothing but the elements is written.
    for (int i = 0; i < used; i++) dense[i] = i * 7 + world_rank;
    memset(typed, 0xff, sizeof *typed * (size_t)area);
    OK(MPI_Irecv(typed + origin, count, type, left, 2, MPI_COMM_WORLD, &request));
    OK(MPI_Send(dense, used, MPI_INT, right, 2, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, type, &received));
    CHECK_THAT(received == (used ? count : 0) || used == 0, "%s: count %d, expected %d", what, received, count);
    OK(MPI_Get_elements(&status, type, &elements));
    CHECK_THAT(elements == used, "%s: %d elements, expected %d", what, elements, used);
    int *expected = space(sizeof *expected * (size_t)area);
    memset(expected, 0xff, sizeof *expected * (size_t)area);
    for (int i = 0; i < used; i++) expected[origin + offsets[i]] = i * 7 + left;
    CHECK_THAT(memcmp(expected, typed, sizeof *typed * (size_t)area) == 0, "%s: received memory differs", what);

    // Less than a whole element more than the half arrives.
    int part = used / 2 + 1;
    if (used > 2) {
        memset(typed, 0xff, sizeof *typed * (size_t)area);
        memset(expected, 0xff, sizeof *expected * (size_t)area);
        for (int i = 0; i < part; i++) expected[origin + offsets[i]] = i * 7 + left;
        OK(MPI_Irecv(typed + origin, count, type, left, 3, MPI_COMM_WORLD, &request));
        OK(MPI_Send(dense, part, MPI_INT, right, 3, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, &status));
        OK(MPI_Get_elements(&status, type, &elements));
        CHECK_INT(elements, part);
        OK(MPI_Get_count(&status, type, &received));
        CHECK_INT(received, part % (used / count) ? MPI_UNDEFINED : part / (used / count));
        CHECK_THAT(memcmp(expected, typed, sizeof *typed * (size_t)area) == 0, "%s: partly received memory differs", what);
    }

    // The same through pack and unpack.
    int position = 0, room = used * 4 + 64;
    char *packed = space((size_t)room);
    for (long i = 0; i < area; i++) typed[i] = (int)i * 3 + world_rank;
    OK(MPI_Pack(typed + origin, count, type, packed, room, &position, MPI_COMM_WORLD));
    int total = position;
    position = 0;
    memset(dense, 0, sizeof *dense * (size_t)used);
    OK(MPI_Unpack(packed, total, &position, dense, used, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < used; i++)
        CHECK_THAT(dense[i] == (int)(origin + offsets[i]) * 3 + world_rank, "%s: packed element %d", what, i);
    free(packed);
    free(expected);
    free(typed);
    free(dense);
    OK(MPI_Type_free(&type));
    used = 0;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int counts[] = {1, 3, 500};
    for (int c = 0; c < 3; c++) {
        int n = counts[c];
        MPI_Datatype t, inner;
        OK(MPI_Type_contiguous(5, MPI_INT, &t));
        for (int k = 0; k < n * 5; k++) at(k);
        transfer(t, n, 0, n * 5 + 10, "contiguous");

        OK(MPI_Type_vector(3, 2, 5, MPI_INT, &t)); // extent 12
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 2; j++) at(k * 12 + i * 5 + j);
        transfer(t, n, 0, n * 12 + 10, "vector");

        OK(MPI_Type_vector(3, 1, -4, MPI_INT, &t)); // 0, -4, -8: extent 9
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 3; i++) at(k * 9 - i * 4);
        transfer(t, n, 8, n * 9 + 20, "vector backwards");

        OK(MPI_Type_create_hvector(4, 1, 12, MPI_INT, &t)); // 0,3,6,9: extent 10
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 4; i++) at(k * 10 + i * 3);
        transfer(t, n, 0, n * 10 + 10, "hvector");

        int lengths[4] = {2, 0, 1, 3}, places[4] = {7, 50, 0, 2}; // data order 7,8,0,2,3,4; extent 9
        OK(MPI_Type_indexed(4, lengths, places, MPI_INT, &t));
        for (int k = 0; k < n; k++) at(k * 9 + 7), at(k * 9 + 8), at(k * 9), at(k * 9 + 2), at(k * 9 + 3), at(k * 9 + 4);
        transfer(t, n, 0, n * 9 + 60, "indexed");

        MPI_Aint bytes[3] = {40, 0, 16}; // ints 10, 0, 4 with lengths 1, 2, 1; extent 11
        int short_lengths[3] = {1, 2, 1};
        OK(MPI_Type_create_hindexed(3, short_lengths, bytes, MPI_INT, &t));
        for (int k = 0; k < n; k++) at(k * 11 + 10), at(k * 11), at(k * 11 + 1), at(k * 11 + 4);
        transfer(t, n, 0, n * 11 + 10, "hindexed");

        int blocks[3] = {8, 0, 4}; // pairs; extent 10
        OK(MPI_Type_create_indexed_block(3, 2, blocks, MPI_INT, &t));
        for (int k = 0; k < n; k++)
            for (int b = 0; b < 3; b++) at(k * 10 + blocks[b]), at(k * 10 + blocks[b] + 1);
        transfer(t, n, 0, n * 10 + 10, "indexed_block");

        OK(MPI_Type_create_hindexed_block(3, 1, bytes, MPI_INT, &t)); // 10, 0, 4; extent 11
        for (int k = 0; k < n; k++) at(k * 11 + 10), at(k * 11), at(k * 11 + 4);
        transfer(t, n, 0, n * 11 + 10, "hindexed_block");

        OK(MPI_Type_create_resized(MPI_INT, 0, 12, &inner));
        OK(MPI_Type_contiguous(4, inner, &t)); // 0,3,6,9 extent 12
        OK(MPI_Type_free(&inner));
        for (int k = 0; k < n * 4; k++) at(k * 3);
        transfer(t, n, 0, n * 12 + 10, "contiguous of resized");

        int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 2}, starts[3] = {1, 2, 3};
        OK(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t));
        for (int k = 0; k < n; k++)
            for (int a = 1; a < 3; a++)
                for (int b = 2; b < 5; b++)
                    for (int d = 3; d < 5; d++) at(k * 120 + a * 30 + b * 6 + d);
        transfer(t, n, 0, n * 120 + 10, "subarray in C order");
        OK(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &t));
        for (int k = 0; k < n; k++)
            for (int d = 3; d < 5; d++)
                for (int b = 2; b < 5; b++)
                    for (int a = 1; a < 3; a++) at(k * 120 + a + b * 4 + d * 20);
        transfer(t, n, 0, n * 120 + 10, "subarray in Fortran order");

        MPI_Datatype parts[3]; // struct of vector, int, and nothing
        OK(MPI_Type_vector(2, 1, 3, MPI_INT, &parts[0])); // 0,3 extent 4
        parts[1] = MPI_INT;
        parts[2] = MPI_DOUBLE;
        int struct_lengths[3] = {2, 3, 0};
        MPI_Aint struct_places[3] = {20, 0, 400}; // vectors at 5 and 9, ints at 0
        OK(MPI_Type_create_struct(3, struct_lengths, struct_places, parts, &inner));
        OK(MPI_Type_create_resized(inner, 0, 15 * 4, &t));
        OK(MPI_Type_free(&inner));
        OK(MPI_Type_free(&parts[0]));
        for (int k = 0; k < n; k++) {
            int base = k * 15;
            at(base + 5), at(base + 8), at(base + 9), at(base + 12), at(base), at(base + 1), at(base + 2);
        }
        transfer(t, n, 0, n * 15 + 200, "struct");

        MPI_Datatype level[5]; // a vector of a vector of a vector
        level[0] = MPI_INT;
        OK(MPI_Type_vector(2, 1, 2, level[0], &level[1]));           // 0,2: extent 3
        OK(MPI_Type_create_hvector(2, 2, 7 * 4, level[1], &level[2])); // 0,2,3,5, 7,9,10,12: extent 13
        OK(MPI_Type_create_resized(level[2], 0, 16 * 4, &level[3]));
        OK(MPI_Type_vector(2, 1, 2, level[3], &level[4]));           // at 0 and 32: extent 48
        for (int k = 0; k < n; k++)
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    for (int d = 0; d < 2; d++)
                        for (int e = 0; e < 2; e++) at(k * 48 + a * 32 + b * 7 + d * 3 + e * 2);
        for (int i = 1; i < 4; i++) OK(MPI_Type_free(&level[i]));
        transfer(level[4], n, 0, n * 48 + 20, "nested vectors");

        OK(MPI_Type_dup(MPI_INT, &t));
        for (int k = 0; k < n; k++) at(k);
        transfer(t, n, 0, n + 5, "dup");
        OK(MPI_Type_contiguous(0, MPI_INT, &t));
        transfer(t, n, 0, 10, "nothing");
    }
    return finish("type_transfer");
}
