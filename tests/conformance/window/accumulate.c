// ranks: 1 2 3 5
// timeout: 40
// MPI_Accumulate, MPI_Get_accumulate and their requests: every predefined operation on every type it is defined on gives
// what MPI_Reduce_local gives, MPI_REPLACE replaces and MPI_NO_OP leaves; derived types of one basic type at all three
// ends; accumulates of one rank stay in order; and additions of all ranks to the same elements all count.
#include "check.h"

static int right, left;

// What an operation is defined on, as bits; how values are stored.
enum { ARITHMETIC = 1, ORDER = 2, LOGIC = 4, BITS = 8, LOCATION = 16, INTEGER = 15, FLOATING = 3 };
enum form { WHOLE, REAL, COMPLEX, PAIR_WHOLE, PAIR_REAL };

struct type {
    const char *name;
    MPI_Datatype type;
    int defined;
    enum form form;
    int width, extent; // of the value or of each part of it; of the element
};

#define T(type, defined, form, width) {#type, type, defined, form, width, (form) == COMPLEX ? 2 * (width) : (width)}
#define PAIR(type, form, width, extent) {#type, type, LOCATION, form, width, extent}

static void put_real(unsigned char *to, int width, long double value) {
    float single = (float)value;
    double twice = (double)value;
    memcpy(to, width == 4 ? (void *)&single : width == 8 ? (void *)&twice : (void *)&value, (size_t)width);
}

// Small values with ties, so that sums and products of all ranks are exact.
static void give(const struct type *t, unsigned char *to, int elements, int seed) {
    memset(to, 0, (size_t)(elements * t->extent));
    for (int i = 0; i < elements; i++, to += t->extent) {
        long value = (seed * 5 + i * 3) % 2 + (t->defined == LOGIC ? 0 : 1);
        int index = (seed * 7 + i) % 5;
        if (t->form == WHOLE || t->form == PAIR_WHOLE) memcpy(to, &value, (size_t)t->width); // little-endian
        else put_real(to, t->width, value);
        if (t->form == COMPLEX) put_real(to + t->width, t->width, (seed + i) % 2);
        if (t->form >= PAIR_WHOLE) memcpy(to + (t->width < 4 ? 4 : t->width), &index, 4);
    }
}

// Bytes that mean nothing become 0: gaps of pairs, and the padding of 80-bit numbers.
static void clean(const struct type *t, unsigned char *to, int elements) {
    for (int i = 0; i < elements; i++, to += t->extent) {
        int index_at = t->width < 4 ? 4 : t->width;
        if (t->width == 16) memset(to + 10, 0, 6);
        if (t->width == 16 && t->form == COMPLEX) memset(to + 26, 0, 6);
        if (t->form < PAIR_WHOLE) continue;
        if (t->width == 2) memset(to + 2, 0, 2);
        memset(to + index_at + 4, 0, (size_t)(t->extent - index_at - 4));
    }
}

static void table(void) {
    const struct type types[] = {
        T(MPI_SIGNED_CHAR, INTEGER, WHOLE, 1), T(MPI_UNSIGNED_CHAR, INTEGER, WHOLE, 1), T(MPI_SHORT, INTEGER, WHOLE, 2),
        T(MPI_UNSIGNED_SHORT, INTEGER, WHOLE, 2), T(MPI_INT, INTEGER, WHOLE, 4), T(MPI_UNSIGNED, INTEGER, WHOLE, 4),
        T(MPI_LONG, INTEGER, WHOLE, 8), T(MPI_UNSIGNED_LONG, INTEGER, WHOLE, 8), T(MPI_LONG_LONG, INTEGER, WHOLE, 8),
        T(MPI_UNSIGNED_LONG_LONG, INTEGER, WHOLE, 8), T(MPI_INT8_T, INTEGER, WHOLE, 1), T(MPI_INT16_T, INTEGER, WHOLE, 2),
        T(MPI_INT32_T, INTEGER, WHOLE, 4), T(MPI_INT64_T, INTEGER, WHOLE, 8), T(MPI_UINT8_T, INTEGER, WHOLE, 1),
        T(MPI_UINT16_T, INTEGER, WHOLE, 2), T(MPI_UINT32_T, INTEGER, WHOLE, 4), T(MPI_UINT64_T, INTEGER, WHOLE, 8),
        T(MPI_AINT, FLOATING, WHOLE, 8), T(MPI_OFFSET, FLOATING, WHOLE, 8), T(MPI_COUNT, FLOATING, WHOLE, 8),
        T(MPI_FLOAT, FLOATING, REAL, 4), T(MPI_DOUBLE, FLOATING, REAL, 8), T(MPI_LONG_DOUBLE, FLOATING, REAL, 16),
        T(MPI_C_FLOAT_COMPLEX, ARITHMETIC, COMPLEX, 4), T(MPI_C_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 8),
        T(MPI_C_LONG_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 16), T(MPI_C_BOOL, LOGIC, WHOLE, 1), T(MPI_BYTE, BITS, WHOLE, 1),
        PAIR(MPI_2INT, PAIR_WHOLE, 4, 8), PAIR(MPI_SHORT_INT, PAIR_WHOLE, 2, 8), PAIR(MPI_LONG_INT, PAIR_WHOLE, 8, 16),
        PAIR(MPI_FLOAT_INT, PAIR_REAL, 4, 8), PAIR(MPI_DOUBLE_INT, PAIR_REAL, 8, 16),
        PAIR(MPI_LONG_DOUBLE_INT, PAIR_REAL, 16, 32),
        // Peers may have been built without Fortran.
        T(MPI_INTEGER, ARITHMETIC + ORDER + BITS, WHOLE, 4), T(MPI_REAL, FLOATING, REAL, 4),
        T(MPI_DOUBLE_PRECISION, FLOATING, REAL, 8), T(MPI_COMPLEX, ARITHMETIC, COMPLEX, 4), T(MPI_LOGICAL, LOGIC, WHOLE, 4),
    };
    const struct { const char *name; MPI_Op op; int needs; } operations[] = {
        {"SUM", MPI_SUM, ARITHMETIC}, {"PROD", MPI_PROD, ARITHMETIC}, {"MAX", MPI_MAX, ORDER}, {"MIN", MPI_MIN, ORDER},
        {"LAND", MPI_LAND, LOGIC}, {"LOR", MPI_LOR, LOGIC}, {"LXOR", MPI_LXOR, LOGIC}, {"BAND", MPI_BAND, BITS},
        {"BOR", MPI_BOR, BITS}, {"BXOR", MPI_BXOR, BITS}, {"MINLOC", MPI_MINLOC, LOCATION},
        {"MAXLOC", MPI_MAXLOC, LOCATION}, {"REPLACE", MPI_REPLACE, 31}, {"NO_OP", MPI_NO_OP, 31},
    };
    enum { TYPES = sizeof types / sizeof *types, OPERATIONS = sizeof operations / sizeof *operations, FORTRAN = 5 };
    enum { N = 5, ROOM = 32 * N + 32, BYTES = TYPES * OPERATIONS * ROOM };
    int used = getenv("PAMIR_CONFORMANCE_PEER") ? TYPES - FORTRAN : TYPES;
    unsigned char *base, *out = space(TYPES * ROOM), *results = space(BYTES), *expected = space(ROOM), *operand = space(ROOM);
    MPI_Win win;
    OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int t = 0; t < TYPES; t++) give(&types[t], out + t * ROOM, N, world_rank);
    // From all ranks to all, then one rank alone that fetches what was there.
    for (int fetching = 0; fetching < 2; fetching++) {
        memset(base, 0xee, BYTES);
        memset(results, 0xee, BYTES);
        for (int at = 0; at < TYPES * OPERATIONS; at++)
            give(&types[at / OPERATIONS], base + at * ROOM, N, 100 + world_rank);
        OK(MPI_Win_fence(0, win));
        for (int t = 0; t < used; t++)
            for (int o = 0; o < OPERATIONS; o++) {
                MPI_Aint at = (t * OPERATIONS + o) * ROOM;
                MPI_Op op = operations[o].op;
                if (!(types[t].defined & operations[o].needs)) continue;
                if (fetching)
                    OK(MPI_Get_accumulate(out + t * ROOM, N, types[t].type, results + at, N, types[t].type, right, at, N,
                                          types[t].type, op, win));
                else if (op == MPI_REPLACE)
                    OK(MPI_Accumulate(out + t * ROOM, N, types[t].type, right, at, N, types[t].type, op, win));
                else if (op != MPI_NO_OP)
                    for (int r = 0; r < world_size; r++)
                        OK(MPI_Accumulate(out + t * ROOM, N, types[t].type, r, at, N, types[t].type, op, win));
            }
        OK(MPI_Win_fence(0, win));
        for (int t = 0; t < used; t++)
            for (int o = 0; o < OPERATIONS; o++) {
                int at = (t * OPERATIONS + o) * ROOM, bytes = N * types[t].extent;
                MPI_Op op = operations[o].op;
                give(&types[t], expected, N, 100 + world_rank);
                if ((types[t].defined & operations[o].needs) && op != MPI_NO_OP)
                    for (int r = 0; r < world_size; r++) {
                        if ((fetching || op == MPI_REPLACE) && r != left) continue;
                        give(&types[t], operand, N, r);
                        if (op == MPI_REPLACE) memcpy(expected, operand, (size_t)bytes);
                        else OK(MPI_Reduce_local(operand, expected, N, types[t].type, op));
                    }
                clean(&types[t], expected, N);
                clean(&types[t], base + at, N);
                CHECK_THAT(memcmp(base + at, expected, (size_t)bytes) == 0, "%s of %s%s", operations[o].name, types[t].name,
                           fetching ? ", fetching" : "");
                CHECK(all_bytes(base + at + bytes, (size_t)(ROOM - bytes), 0xee));
                if (!fetching || !(types[t].defined & operations[o].needs)) continue;
                give(&types[t], expected, N, 100 + right);
                clean(&types[t], expected, N);
                clean(&types[t], results + at, N);
                CHECK_THAT(memcmp(results + at, expected, (size_t)bytes) == 0, "result of %s of %s", operations[o].name,
                           types[t].name);
                CHECK(all_bytes(results + at + bytes, (size_t)(ROOM - bytes), 0xee));
            }
        OK(MPI_Win_fence(0, win));
    }
    OK(MPI_Win_free(&win));
    free(out), free(results), free(expected), free(operand);
}

// Values that are written down here, not computed by the library.
static void by_hand(void) {
    struct { double value; int index; } *pairs, best = {2.5 + world_rank % 2, 10 + world_rank};
    MPI_Win win;
    OK(MPI_Win_allocate(2 * sizeof *pairs, sizeof *pairs, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs, &win));
    pairs[0].value = 2.5, pairs[0].index = 50;
    pairs[1].value = -9, pairs[1].index = 50;
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < world_size; r++) {
        OK(MPI_Accumulate(&best, 1, MPI_DOUBLE_INT, r, 0, 1, MPI_DOUBLE_INT, MPI_MINLOC, win));
        OK(MPI_Accumulate(&best, 1, MPI_DOUBLE_INT, r, 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    }
    OK(MPI_Win_fence(0, win));
    CHECK(pairs[0].value == 2.5 && pairs[1].value == (world_size > 1 ? 3.5 : 2.5));
    CHECK_INT(pairs[0].index, 10); // the lowest index of equal values
    CHECK_INT(pairs[1].index, world_size > 1 ? 11 : 10);
    OK(MPI_Win_free(&win));
    int memory[6] = {100, 7, -3, 0xf0, 1, 5}, two[] = {2, 2, 2, 0x3c, 1, 9}, was[6];
    MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_BXOR, MPI_LXOR, MPI_REPLACE};
    int becomes[] = {102, 14, 2, 0xcc, 0, 9}, before[] = {100, 7, -3, 0xf0, 1, 5};
    OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 6; i++)
        OK(MPI_Get_accumulate(&two[i], 1, MPI_INT, &was[i], 1, MPI_INT, right, i, 1, MPI_INT, ops[i], win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 6; i++) {
        CHECK_INT(memory[i], becomes[i]);
        CHECK_INT(was[i], before[i]);
    }
    // The origin says nothing with MPI_NO_OP; nobody is asked; nothing is added.
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, was, 6, MPI_INT, right, 0, 6, MPI_INT, MPI_NO_OP, win));
    OK(MPI_Accumulate(two, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(two, 1, MPI_INT, &two[5], 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Accumulate(NULL, 0, MPI_INT, right, 0, 0, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_BYTE, NULL, 0, MPI_BYTE, right, 0, 0, MPI_BYTE, MPI_SUM, win)); // of any datatype
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 6; i++) CHECK_INT(was[i], becomes[i]);
    for (int i = 0; i < 6; i++) CHECK_INT(memory[i], becomes[i]);
    CHECK_INT(two[5], 9);
    OK(MPI_Win_fence(0, win)); // all have looked
    // Large-count calls.
    OK(MPI_Accumulate_c(two, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate_c(two, 1, MPI_INT, was, 1, MPI_INT, right, 1, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(memory[0], 104);
    CHECK_INT(memory[1], 16);
    CHECK_INT(was[0], 14);
    OK(MPI_Win_free(&win));
}

// 12 longs in different places at the origin, in the result and at the target.
static void derived_types(void) {
    enum { LAYOUTS = 5, VALUES = 12, ROOM = 64, AT = 20 };
    MPI_Datatype types[LAYOUTS], inner;
    int counts[LAYOUTS] = {VALUES, 1, 2, 3, 1};
    int lengths[] = {3, 2, 1}, places[] = {5, 0, 9}, sizes[] = {4, 5}, parts[] = {3, 4}, starts[] = {1, 0};
    types[0] = MPI_LONG;
    OK(MPI_Type_vector(6, 2, 3, MPI_LONG, &types[1]));
    OK(MPI_Type_indexed(3, lengths, places, MPI_LONG, &types[2]));
    OK(MPI_Type_vector(4, 1, -3, MPI_LONG, &inner)); // backwards
    OK(MPI_Type_create_resized(inner, -72, 8, &types[3])); // elements lie between each other
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_LONG, &types[4]));
    long *base, out[ROOM], result[LAYOUTS][ROOM], packed[3][VALUES], expected[ROOM], theirs[ROOM];
    for (int i = 1; i < LAYOUTS; i++) OK(MPI_Type_commit(&types[i]));
    MPI_Win win;
    OK(MPI_Win_allocate(LAYOUTS * ROOM * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < ROOM; i++) out[i] = 1000 * world_rank + i;
    for (int a = 0; a < LAYOUTS; a++)
        for (int fetching = 0; fetching < 2; fetching++) {
            for (int i = 0; i < LAYOUTS * ROOM; i++) base[i] = 7 * i + world_rank;
            memset(result, 0, sizeof result);
            OK(MPI_Win_fence(0, win));
            for (int b = 0; b < LAYOUTS; b++) {
                int c = (a + b) % LAYOUTS; // of the result
                if (fetching)
                    OK(MPI_Get_accumulate(out + AT, counts[a], types[a], result[b] + AT, counts[c], types[c], right,
                                          b * ROOM + AT, counts[b], types[b], MPI_SUM, win));
                else
                    OK(MPI_Accumulate(out + AT, counts[a], types[a], right, b * ROOM + AT, counts[b], types[b], MPI_SUM, win));
            }
            OK(MPI_Win_fence(0, win));
            for (int b = 0; b < LAYOUTS; b++) {
                int c = (a + b) % LAYOUTS, position = 0, bytes;
                for (int i = 0; i < ROOM; i++) {
                    theirs[i] = 1000 * left + i;
                    expected[i] = 7 * (b * ROOM + i) + world_rank;
                }
                OK(MPI_Pack(theirs + AT, counts[a], types[a], packed[0], sizeof packed[0], &position, MPI_COMM_SELF));
                bytes = position;
                position = 0;
                OK(MPI_Pack(expected + AT, counts[b], types[b], packed[1], sizeof packed[1], &position, MPI_COMM_SELF));
                CHECK_INT(position, bytes);
                for (int i = 0; i < bytes / 8; i++) packed[1][i] += packed[0][i];
                position = 0;
                OK(MPI_Unpack(packed[1], bytes, &position, expected + AT, counts[b], types[b], MPI_COMM_SELF));
                CHECK_THAT(memcmp(base + b * ROOM, expected, sizeof expected) == 0, "layout %d onto %d", a, b);
                if (!fetching) continue;
                for (int i = 0; i < ROOM; i++) theirs[i] = 7 * (b * ROOM + i) + right;
                memset(expected, 0, sizeof expected);
                position = 0;
                OK(MPI_Pack(theirs + AT, counts[b], types[b], packed[1], sizeof packed[1], &position, MPI_COMM_SELF));
                position = 0;
                OK(MPI_Unpack(packed[1], bytes, &position, expected + AT, counts[c], types[c], MPI_COMM_SELF));
                CHECK_THAT(memcmp(result[b], expected, sizeof expected) == 0, "result of layout %d onto %d in %d", a, b, c);
            }
            OK(MPI_Win_fence(0, win));
        }
    OK(MPI_Win_free(&win));
    for (int i = 1; i < LAYOUTS; i++) OK(MPI_Type_free(&types[i]));
}

static void large(void) {
    enum { ELEMENTS = 300000 };
    double *base, *out = space(ELEMENTS * 8), *result = space(ELEMENTS * 8);
    MPI_Win win;
    OK(MPI_Win_allocate(ELEMENTS * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < ELEMENTS; i++) {
        base[i] = i;
        out[i] = world_rank + 1;
    }
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < world_size; r++) OK(MPI_Accumulate(out, ELEMENTS, MPI_DOUBLE, r, 0, ELEMENTS, MPI_DOUBLE, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    double sum = world_size * (world_size + 1) / 2;
    for (int i = 0; i < ELEMENTS; i++) CHECK(base[i] == i + sum);
    OK(MPI_Win_fence(0, win)); // all have looked
    OK(MPI_Get_accumulate(out, ELEMENTS, MPI_DOUBLE, result, ELEMENTS, MPI_DOUBLE, right, 0, ELEMENTS, MPI_DOUBLE,
                          MPI_REPLACE, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < ELEMENTS; i++) CHECK(result[i] == i + sum && base[i] == left + 1);
    OK(MPI_Win_free(&win));
    free(out), free(result);
}

// All ranks at once, on the same elements of rank 0, by every call that adds.
static void hammer(void) {
    enum { TIMES = 150, ELEMENTS = 6 };
    long *base, one[ELEMENTS] = {1, 2, 3, 4, 5, 6}, was[ELEMENTS], last = -1;
    MPI_Win win;
    MPI_Request requests[2];
    OK(MPI_Win_allocate(ELEMENTS * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0, ELEMENTS * 8);
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < TIMES; i++) {
        OK(MPI_Accumulate(one, ELEMENTS, MPI_LONG, 0, 0, ELEMENTS, MPI_LONG, MPI_SUM, win));
        OK(MPI_Raccumulate(one, ELEMENTS, MPI_LONG, 0, 0, ELEMENTS, MPI_LONG, MPI_SUM, win, &requests[0]));
        OK(MPI_Rget_accumulate(one, ELEMENTS, MPI_LONG, was, ELEMENTS, MPI_LONG, 0, 0, ELEMENTS, MPI_LONG, MPI_SUM, win,
                               &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(was[0] > last); // it was added to since
        last = was[0];
        for (int e = 0; e < ELEMENTS; e++) CHECK_INT(was[e] % one[e], 0);
        OK(MPI_Raccumulate_c(one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win, &requests[0]));
        OK(MPI_Rget_accumulate_c(NULL, 0, MPI_LONG, was, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_NO_OP, win, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK(was[0] >= last + 2); // its own additions came first
    }
    OK(MPI_Raccumulate(one, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, MPI_SUM, win, &requests[0]));
    OK(MPI_Rget_accumulate(one, 1, MPI_LONG, was, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, MPI_SUM, win, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Get(was, ELEMENTS, MPI_LONG, 0, 0, ELEMENTS, MPI_LONG, win));
    OK(MPI_Win_unlock(0, win));
    for (int e = 0; e < ELEMENTS; e++) CHECK_INT(was[e], (long)world_size * TIMES * (e == 0 ? 4 : 3 * one[e]));
    OK(MPI_Win_free(&win));
}

// Accumulates of one rank to one place act in the order of the calls, whatever their sizes.
static void ordered(void) {
    enum { TIMES = 200 };
    int *base, values[TIMES], was[TIMES], two[2] = {5, 6}, pair[2] = {-1, -1};
    MPI_Win win;
    OK(MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    base[0] = -1;
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < TIMES; i++) {
        values[i] = i;
        if (i % 3 == 1) OK(MPI_Accumulate(&values[i], 1, MPI_INT, right, 0, 1, MPI_INT, MPI_REPLACE, win));
        else OK(MPI_Get_accumulate(&values[i], 1, MPI_INT, &was[i], 1, MPI_INT, right, 0, 1, MPI_INT, MPI_REPLACE, win));
    }
    OK(MPI_Accumulate(two, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_REPLACE, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, pair, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_NO_OP, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < TIMES; i++)
        if (i % 3 != 1) CHECK_INT(was[i], i - 1);
    CHECK_INT(pair[0], 5);
    CHECK_INT(pair[1], 6);
    CHECK_INT(base[0], 5);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    table();
    by_hand();
    derived_types();
    large();
    hammer();
    ordered();
    return finish("accumulate");
}
