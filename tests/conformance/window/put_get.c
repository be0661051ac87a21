// ranks: 1 2 3 5
// timeout: 40
// MPI_Put and MPI_Get between fences, and MPI_Rput and MPI_Rget between locks: all predefined datatypes, derived ones of
// every shape at both ends (what arrives is what MPI_Pack and MPI_Unpack say, and nothing beside it changes), no
// elements, no process, the own rank, 8 MB, displacements in units of the target; requests beside those of messages.
#include "check.h"

static int right, left;

struct predefined {
    MPI_Datatype type;
    int size, extent;     // bytes of data, and from one element to the next
    int gap_at, gap_size; // of an element: bytes that hold nothing
};

static void predefined_types(void) {
    struct long_double_int { long double value; int index; };
#define PLAIN(type, c) {type, sizeof(c), sizeof(c), 0, 0}
    const struct predefined types[] = {
        PLAIN(MPI_CHAR, char), PLAIN(MPI_SIGNED_CHAR, char), PLAIN(MPI_UNSIGNED_CHAR, char), PLAIN(MPI_BYTE, char),
        PLAIN(MPI_PACKED, char), PLAIN(MPI_WCHAR, wchar_t), PLAIN(MPI_SHORT, short), PLAIN(MPI_UNSIGNED_SHORT, short),
        PLAIN(MPI_INT, int), PLAIN(MPI_UNSIGNED, int), PLAIN(MPI_LONG, long), PLAIN(MPI_UNSIGNED_LONG, long),
        PLAIN(MPI_LONG_LONG, long long), PLAIN(MPI_UNSIGNED_LONG_LONG, long long), PLAIN(MPI_FLOAT, float),
        PLAIN(MPI_DOUBLE, double), PLAIN(MPI_LONG_DOUBLE, long double), PLAIN(MPI_C_BOOL, _Bool),
        PLAIN(MPI_INT8_T, int8_t), PLAIN(MPI_INT16_T, int16_t), PLAIN(MPI_INT32_T, int32_t), PLAIN(MPI_INT64_T, int64_t),
        PLAIN(MPI_UINT8_T, int8_t), PLAIN(MPI_UINT16_T, int16_t), PLAIN(MPI_UINT32_T, int32_t),
        PLAIN(MPI_UINT64_T, int64_t), PLAIN(MPI_AINT, MPI_Aint), PLAIN(MPI_OFFSET, MPI_Offset),
        PLAIN(MPI_COUNT, MPI_Count), PLAIN(MPI_C_FLOAT_COMPLEX, float _Complex),
        PLAIN(MPI_C_DOUBLE_COMPLEX, double _Complex), PLAIN(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex),
        PLAIN(MPI_2INT, int[2]), {MPI_FLOAT_INT, 8, 8, 0, 0}, {MPI_SHORT_INT, 6, 8, 2, 2},
        {MPI_LONG_INT, 12, 16, 12, 4}, {MPI_DOUBLE_INT, 12, 16, 12, 4},
        {MPI_LONG_DOUBLE_INT, sizeof(long double) + 4, sizeof(struct long_double_int), sizeof(long double) + 4,
         sizeof(struct long_double_int) - sizeof(long double) - 4},
    };
    enum { TYPES = sizeof types / sizeof *types, ELEMENTS = 7, ROOM = 512 };
    unsigned char *base, *out = space(TYPES * ROOM), *in = space(TYPES * ROOM);
    MPI_Win win;
    OK(MPI_Win_allocate(TYPES * ROOM, ROOM, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0xee, TYPES * ROOM);
    memset(in, 0xee, TYPES * ROOM);
    fill(out, TYPES * ROOM, (uint64_t)world_rank);
    OK(MPI_Win_fence(0, win));
    for (int t = 0; t < TYPES; t++)
        OK(MPI_Put(out + t * ROOM, ELEMENTS, types[t].type, right, t, ELEMENTS, types[t].type, win));
    OK(MPI_Win_fence(0, win));
    for (int t = 0; t < TYPES; t++)
        OK(MPI_Get(in + t * ROOM, ELEMENTS, types[t].type, right, t, ELEMENTS, types[t].type, win));
    OK(MPI_Win_fence(0, win));
    unsigned char *theirs = space(TYPES * ROOM);
    fill(theirs, TYPES * ROOM, (uint64_t)left);
    for (int t = 0; t < TYPES; t++) {
        for (int e = 0; e < ELEMENTS; e++) {
            size_t at = (size_t)(t * ROOM + e * types[t].extent);
            for (int i = types[t].gap_at; i < types[t].gap_at + types[t].gap_size; i++) { // may travel, or stay
                base[at + i] = theirs[at + i];
                in[at + i] = out[at + i];
            }
        }
        size_t bytes = (size_t)(ELEMENTS * types[t].extent);
        CHECK_THAT(memcmp(base + t * ROOM, theirs + t * ROOM, bytes) == 0, "put of type %d", t);
        CHECK_THAT(memcmp(in + t * ROOM, out + t * ROOM, bytes) == 0, "get of type %d", t);
        CHECK_THAT(all_bytes(base + t * ROOM + bytes, ROOM - bytes, 0xee), "behind the put of type %d", t);
        CHECK_THAT(all_bytes(in + t * ROOM + bytes, ROOM - bytes, 0xee), "behind the get of type %d", t);
    }
    OK(MPI_Win_free(&win));
    free(out), free(in), free(theirs);
}

// Layouts of 24 integers, and of 4 times an integer, a double and three characters.
struct layout {
    MPI_Datatype type;
    int count;
};
enum { INT_LAYOUTS = 14, MIXED_LAYOUTS = 4 };

static void commit(struct layout *at, int count, MPI_Datatype type) {
    OK(MPI_Type_commit(&type));
    at->type = type;
    at->count = count;
}

static void make_layouts(struct layout *to) {
    MPI_Datatype type, inner;
    int lengths[] = {5, 1, 0, 12, 6}, at[] = {20, 0, 3, 30, 5}, single[] = {0, 9, 3, 17}, near[] = {0, 3};
    MPI_Aint bytes[] = {-200, 40, 0, -80, 120}, far[] = {48, -32, 0};
    to[0] = (struct layout){MPI_INT, 24};
    OK(MPI_Type_contiguous(8, MPI_INT, &type));
    commit(&to[1], 3, type);
    OK(MPI_Type_vector(6, 4, 7, MPI_INT, &type));
    commit(&to[2], 1, type);
    OK(MPI_Type_create_hvector(12, 1, 20, MPI_INT, &type));
    commit(&to[3], 2, type);
    OK(MPI_Type_vector(6, 2, -5, MPI_INT, &type)); // backwards
    commit(&to[4], 2, type);
    OK(MPI_Type_indexed(5, lengths, at, MPI_INT, &type));
    commit(&to[5], 1, type);
    OK(MPI_Type_create_hindexed(5, lengths, bytes, MPI_INT, &type)); // a negative lower bound
    commit(&to[6], 1, type);
    OK(MPI_Type_create_indexed_block(4, 3, single, MPI_INT, &type));
    commit(&to[7], 2, type);
    OK(MPI_Type_create_resized(MPI_INT, 0, 12, &type));
    commit(&to[8], 24, type);
    OK(MPI_Type_contiguous(2, MPI_INT, &inner));
    OK(MPI_Type_create_resized(inner, -8, 24, &type));
    OK(MPI_Type_free(&inner));
    commit(&to[9], 12, type);
    int sizes[] = {6, 8}, parts[] = {4, 6}, starts[] = {1, 2};
    OK(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type));
    commit(&to[10], 1, type);
    int sizes3[] = {4, 3, 5}, parts3[] = {2, 3, 4}, starts3[] = {1, 0, 1};
    OK(MPI_Type_create_subarray(3, sizes3, parts3, starts3, MPI_ORDER_FORTRAN, MPI_INT, &type));
    commit(&to[11], 1, type);
    MPI_Datatype parts_of[] = {MPI_INT, MPI_INT, to[2].type};
    int counts[] = {3, 9, 1};
    counts[2] = 0;
    OK(MPI_Type_create_struct(3, counts, far, parts_of, &type));
    commit(&to[12], 2, type);
    OK(MPI_Type_create_indexed_block(2, 1, near, to[8].type, &inner)); // of a type with gaps
    OK(MPI_Type_vector(3, 2, 3, inner, &type));
    OK(MPI_Type_free(&inner));
    commit(&to[13], 2, type);
    // The same signature in other places.
    int three[] = {1, 1, 3};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Aint places[MIXED_LAYOUTS][3] = {{0, 8, 16}, {20, 8, 0}, {-16, 0, -11}, {0, 4, 12}};
    for (int i = 0; i < MIXED_LAYOUTS; i++) {
        OK(MPI_Type_create_struct(3, three, places[i], types, &inner));
        OK(MPI_Type_create_resized(inner, i == 2 ? -16 : 0, i == 3 ? 15 : 40, &type));
        OK(MPI_Type_free(&inner));
        commit(&to[INT_LAYOUTS + i], 4, type);
    }
}

// What stands in `to` after the data of `from` was sent there: the oracle.
static void transfer(const unsigned char *from, const struct layout *a, unsigned char *to, const struct layout *b) {
    char packed[2048];
    int position = 0, bytes;
    OK(MPI_Pack(from, a->count, a->type, packed, sizeof packed, &position, MPI_COMM_SELF));
    bytes = position;
    position = 0;
    OK(MPI_Unpack(packed, bytes, &position, to, b->count, b->type, MPI_COMM_SELF));
    CHECK_INT(position, bytes);
}

static void derived_types(void) {
    enum { LAYOUTS = INT_LAYOUTS + MIXED_LAYOUTS, ROOM = 2048, ORIGIN = 800 };
    struct layout layouts[LAYOUTS];
    make_layouts(layouts);
    unsigned char *base, *mine = space(LAYOUTS * ROOM), *expected = space(ROOM), *theirs = space(ROOM);
    MPI_Win win;
    OK(MPI_Win_allocate(LAYOUTS * ROOM, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int a = 0; a < LAYOUTS; a++) {
        int first = a < INT_LAYOUTS ? 0 : INT_LAYOUTS, last = a < INT_LAYOUTS ? INT_LAYOUTS : LAYOUTS;
        for (int get = 0; get < 2; get++) {
            for (int b = 0; b < LAYOUTS; b++) {
                fill(base + b * ROOM, ROOM, (uint64_t)(world_rank * 100 + b));
                fill(mine + b * ROOM, ROOM, (uint64_t)(world_rank * 100 + 50 + b));
            }
            OK(MPI_Win_fence(0, win));
            for (int b = first; b < last; b++) {
                unsigned char *origin = mine + b * ROOM + ORIGIN;
                MPI_Aint at = (b * ROOM + ORIGIN) / 4;
                if (get)
                    OK(MPI_Get(origin, layouts[a].count, layouts[a].type, right, at, layouts[b].count, layouts[b].type, win));
                else
                    OK(MPI_Put(origin, layouts[a].count, layouts[a].type, right, at, layouts[b].count, layouts[b].type, win));
            }
            OK(MPI_Win_fence(0, win));
            for (int b = first; b < last; b++) {
                unsigned char *changed = get ? mine : base, *same = get ? base : mine;
                if (get) {
                    fill(theirs, ROOM, (uint64_t)(right * 100 + b));
                    fill(expected, ROOM, (uint64_t)(world_rank * 100 + 50 + b));
                    transfer(theirs + ORIGIN, &layouts[b], expected + ORIGIN, &layouts[a]);
                } else {
                    fill(theirs, ROOM, (uint64_t)(left * 100 + 50 + b));
                    fill(expected, ROOM, (uint64_t)(world_rank * 100 + b));
                    transfer(theirs + ORIGIN, &layouts[a], expected + ORIGIN, &layouts[b]);
                }
                CHECK_THAT(memcmp(changed + b * ROOM, expected, ROOM) == 0, "%s, layout %d here and %d there",
                           get ? "get" : "put", a, b);
                CHECK_FILLED(same + b * ROOM, ROOM, world_rank * 100 + b + (get ? 0 : 50));
            }
            OK(MPI_Win_fence(0, win));
        }
    }
    // A type is freed while its transfer is under way.
    MPI_Datatype type;
    OK(MPI_Type_vector(4, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    int numbers[] = {1, 2, 3, 4};
    OK(MPI_Put(numbers, 4, MPI_INT, right, 0, 1, type, win));
    OK(MPI_Type_free(&type));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 4; i++) CHECK_INT(((int *)base)[2 * i], i + 1);
    OK(MPI_Win_free(&win));
    for (int i = 1; i < LAYOUTS; i++) OK(MPI_Type_free(&layouts[i].type));
    free(mine), free(expected), free(theirs);
}

static void small_cases(void) {
    MPI_Win win;
    int *base, value = world_rank, got = -5;
    OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < 16; i++) base[i] = -1;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Get(&got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 4000, 1, MPI_INT, win)); // nobody's range
    OK(MPI_Put(&value, 0, MPI_INT, right, 3, 0, MPI_INT, win));
    OK(MPI_Get(&got, 0, MPI_INT, right, 3, 0, MPI_DOUBLE, win));
    OK(MPI_Put(NULL, 0, MPI_INT, right, 16, 0, MPI_INT, win)); // right behind the end
    OK(MPI_Win_fence(0, win));
    CHECK_INT(got, -5);
    CHECK(all_bytes(base, 64, 0xff));
    value = 40 + world_rank;
    OK(MPI_Put(&value, 1, MPI_INT, world_rank, 15, 1, MPI_INT, win)); // to itself
    OK(MPI_Win_fence(0, win));
    CHECK_INT(base[15], 40 + world_rank);
    OK(MPI_Get(&got, 1, MPI_INT, world_rank, 15, 1, MPI_INT, win));
    OK(MPI_Put(base, 4, MPI_INT, world_rank, 4, 4, MPI_INT, win)); // window to window
    OK(MPI_Win_fence(0, win));
    CHECK_INT(got, 40 + world_rank);
    OK(MPI_Put_c(&value, 1, MPI_INT, right, 8, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(base[8], 40 + left);
    OK(MPI_Get_c(&got, 1, MPI_INT, left, 15, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_INT(got, 40 + left);
    // Everyone reads everyone, element after element in one epoch.
    int *all = space(sizeof(int) * 16 * (size_t)world_size);
    for (int i = 0; i < 16; i++) base[i] = world_rank * 16 + i;
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 16 * world_size; i++) OK(MPI_Get(&all[i], 1, MPI_INT, i / 16, i % 16, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 16 * world_size; i++) CHECK_INT(all[i], i);
    free(all);
    OK(MPI_Win_free(&win));
}

static void large(int allocate) {
    enum { BYTES = 8 << 20, PIECE = 1 << 10 };
    unsigned char *base = NULL, *out = space(BYTES), *in = space(BYTES);
    MPI_Win win;
    MPI_Datatype strided;
    if (allocate) OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    else OK(MPI_Win_create(base = space(BYTES), BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    memset(base, 0, BYTES);
    fill(out, BYTES, (uint64_t)world_rank);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, BYTES, MPI_BYTE, right, 0, BYTES, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    CHECK_FILLED(base, BYTES, left);
    OK(MPI_Get(in, BYTES / 8, MPI_DOUBLE, right, 0, BYTES / 8, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    CHECK_FILLED(in, BYTES, world_rank);
    // Every second piece of half of the window, into every second one here.
    OK(MPI_Type_vector(BYTES / 4 / PIECE, PIECE, 2 * PIECE, MPI_BYTE, &strided));
    OK(MPI_Type_commit(&strided));
    memset(in, 0, BYTES);
    OK(MPI_Get(in, 1, strided, left, BYTES / 2, 1, strided, win));
    OK(MPI_Win_fence(0, win));
    unsigned char *theirs = space(BYTES);
    fill(theirs, BYTES, (uint64_t)((left + world_size - 1) % world_size));
    for (int i = 0; i < BYTES / 2 / PIECE; i++) {
        if (i % 2) CHECK(all_bytes(in + i * PIECE, i == BYTES / 2 / PIECE - 1 ? 0 : PIECE, 0));
        else CHECK(memcmp(in + i * PIECE, theirs + BYTES / 2 + i * PIECE, PIECE) == 0);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&strided));
    free(out), free(in), free(theirs);
    if (!allocate) free(base);
}

static void requests(void) {
    enum { EACH = 10, NUMBERS = 3000 };
    MPI_Win win;
    int *base, *out = space(EACH * NUMBERS * sizeof(int)), *in = space(EACH * NUMBERS * sizeof(int)), token[2];
    OK(MPI_Win_allocate(2 * EACH * NUMBERS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < EACH * NUMBERS; i++) {
        base[i] = world_rank * 1000000 + i;
        out[i] = -world_rank * 1000000 - i;
    }
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_sync(win));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request all[2 * EACH + 3];
    int used = 0, flag;
    for (int i = 0; i < EACH; i++) {
        OK(MPI_Rget(in + i * NUMBERS, NUMBERS, MPI_INT, left, i * NUMBERS, NUMBERS, MPI_INT, win, &all[used++]));
        if (i == 3) OK(MPI_Irecv(&token[0], 1, MPI_INT, left, 3, MPI_COMM_WORLD, &all[used++]));
        if (i == 6) OK(MPI_Isend(&world_rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &all[used++]));
        OK(MPI_Rput(out + i * NUMBERS, NUMBERS, MPI_INT, right, (EACH + i) * NUMBERS, NUMBERS, MPI_INT, win, &all[used++]));
    }
    OK(MPI_Rput(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, win, &all[used++]));
    OK(MPI_Waitall(used, all, MPI_STATUSES_IGNORE));
    for (int i = 0; i < used; i++) CHECK(all[i] == MPI_REQUEST_NULL);
    CHECK_INT(token[0], left);
    for (int i = 0; i < EACH * NUMBERS; i++) CHECK_INT(in[i], left * 1000000 + i); // a get is complete with its request
    memset(out, 0, EACH * NUMBERS * sizeof(int));                                 // a put's buffer is free again
    OK(MPI_Win_flush(right, win));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_sync(win));
    for (int i = 0; i < EACH * NUMBERS; i++) CHECK_INT(base[EACH * NUMBERS + i], -left * 1000000 - i);
    // One by one, by wait, test, and any.
    OK(MPI_Rget(in, 1, MPI_INT, right, 5, 1, MPI_INT, win, &all[0]));
    OK(MPI_Wait(&all[0], MPI_STATUS_IGNORE));
    CHECK_INT(in[0], right * 1000000 + 5);
    OK(MPI_Rget_c(in, 2, MPI_INT, right, 7, 2, MPI_INT, win, &all[0]));
    do OK(MPI_Test(&all[0], &flag, MPI_STATUS_IGNORE));
    while (!flag);
    CHECK_INT(in[1], right * 1000000 + 8);
    int index;
    for (int i = 0; i < 4; i++) OK(MPI_Rget(in + i, 1, MPI_INT, right, 10 + i, 1, MPI_INT, win, &all[i]));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Waitany(4, all, &index, MPI_STATUS_IGNORE));
        CHECK(index >= 0 && index < 4);
        CHECK_INT(in[index], right * 1000000 + 10 + index);
    }
    OK(MPI_Rget(in, 1, MPI_INT, MPI_PROC_NULL, 5, 1, MPI_INT, win, &all[0]));
    OK(MPI_Rput_c(out, 0, MPI_INT, right, 0, 0, MPI_INT, win, &all[1]));
    OK(MPI_Waitall(2, all, MPI_STATUSES_IGNORE));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    free(out), free(in);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    predefined_types();
    derived_types();
    small_cases();
    large(1);
    large(0);
    requests();
    return finish("put_get");
}
