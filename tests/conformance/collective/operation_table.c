// ranks: 1 2 3
// timeout: 60
// Every predefined operation on every predefined datatype, through every call that reduces: the pairs of the standard's
// table (MPI-5.0, 6.9.2) and those that other libraries compute beside it, MPI_CHAR as a signed byte and the logical
// operations on addresses, offsets and counts, give the right values; all other pairs are refused with MPI_ERR_OP.
#include "check.h"

#define N 3
#define MOST_RANKS 8

// How an element is stored.
enum form { SIGNED, UNSIGNED, FLOATING, COMPLEX };

// What an operation is defined on, as bits.
enum { ARITHMETIC = 1, ORDER = 2, LOGIC = 4, BITS = 8, LOCATION = 16, C_INTEGER = 15, FORTRAN_INTEGER = 11, FLOAT = 3 };

struct type {
    const char *name;
    MPI_Datatype type;
    int defined;
    enum form form;
    int width; // bytes of the value, or of each part of a complex one
    int index_at, index_width; // of pairs: the index is an int, or a floating-point number of minus so many bytes
    int extent;
};

struct operation {
    const char *name;
    MPI_Op op;
    int needs;
};

// One element: an integer, or a real and an imaginary part, and the index of a pair.
struct number {
    __int128 whole;
    long double real, imaginary, index;
};

static long double from_half(uint16_t bits) {
    long double fraction = bits & 0x3ff, value;
    int exponent = bits >> 10 & 31;
    value = exponent ? (fraction / 1024 + 1) : fraction / 512;
    for (; exponent > 15; exponent--) value *= 2;
    for (; exponent < 15; exponent++) value /= 2;
    return bits & 0x8000 ? -value : value;
}

static uint16_t to_half(long double value) {
    for (unsigned bits = 0; bits < 0x7c00; bits++)
        if (from_half((uint16_t)bits) == (value < 0 ? -value : value))
            return (uint16_t)(value < 0 ? bits | 0x8000 : bits);
    return 0x7e00; // not a number: the test's values are all representable
}

static long double get_float(const unsigned char *from, int width) {
    uint16_t half;
    float single;
    double twice;
    long double extended;
    switch (width) {
    case 2: memcpy(&half, from, 2); return from_half(half);
    case 4: memcpy(&single, from, 4); return single;
    case 8: memcpy(&twice, from, 8); return twice;
    default: memcpy(&extended, from, sizeof extended); return extended;
    }
}

static void put_float(unsigned char *to, int width, long double value) {
    uint16_t half;
    float single = (float)value;
    double twice = (double)value;
    switch (width) {
    case 2: half = to_half(value); memcpy(to, &half, 2); break;
    case 4: memcpy(to, &single, 4); break;
    case 8: memcpy(to, &twice, 8); break;
    default: memcpy(to, &value, sizeof value);
    }
}

static __int128 get_whole(const unsigned char *from, int width, int is_signed) {
    __int128 value = 0;
    if (is_signed && from[width - 1] & 0x80) value = -1;
    memcpy(&value, from, (size_t)width); // little-endian
    return value;
}

static void put(const struct type *t, unsigned char *to, struct number x) {
    if (t->form == FLOATING || t->form == COMPLEX) put_float(to, t->width, x.real);
    else memcpy(to, &x.whole, (size_t)t->width);
    if (t->form == COMPLEX) put_float(to + t->width, t->width, x.imaginary);
    if (t->index_width == 0) return;
    int index = (int)x.index;
    if (t->index_width < 0) put_float(to + t->index_at, -t->index_width, x.index);
    else memcpy(to + t->index_at, &index, 4);
}

static struct number get(const struct type *t, const unsigned char *from) {
    struct number x = {0, 0, 0, 0};
    if (t->form == FLOATING || t->form == COMPLEX) x.real = get_float(from, t->width);
    else x.whole = get_whole(from, t->width, t->form == SIGNED);
    if (t->form == COMPLEX) x.imaginary = get_float(from + t->width, t->width);
    if (t->index_width < 0) x.index = get_float(from + t->index_at, -t->index_width);
    else if (t->index_width > 0) x.index = (long double)get_whole(from + t->index_at, 4, 1);
    return x;
}

// What rank `rank` gives as element `i`: small, of both signs, with zeros and ties; truths are 0 and 1.
static struct number given(const struct type *t, int rank, int i) {
    int value = (rank * 5 + i * 3) % 7 - 2;
    struct number x = {t->defined == LOGIC ? value & 1 : value, value, (rank + i) % 3 - 1, 7 * i + (rank ^ 1)};
    unsigned char bytes[64];
    put(t, bytes, x); // as the type holds it
    return get(t, bytes);
}

static int less(const struct type *t, struct number a, struct number b) {
    return t->form == FLOATING ? a.real < b.real : a.whole < b.whole;
}

static struct number located(const struct type *t, struct number a, struct number b, int greatest) {
    if (less(t, a, b)) return greatest ? b : a;
    if (less(t, b, a)) return greatest ? a : b;
    return a.index < b.index ? a : b;
}

static struct number combined(const struct type *t, MPI_Op op, struct number a, struct number b) {
    struct number x = a;
    if (op == MPI_SUM) {
        x.whole = (__int128)((unsigned __int128)a.whole + (unsigned __int128)b.whole);
        x.real = a.real + b.real;
        x.imaginary = a.imaginary + b.imaginary;
    } else if (op == MPI_PROD) {
        x.whole = (__int128)((unsigned __int128)a.whole * (unsigned __int128)b.whole);
        x.real = a.real * b.real - (t->form == COMPLEX ? a.imaginary * b.imaginary : 0);
        x.imaginary = a.real * b.imaginary + a.imaginary * b.real;
    } else if (op == MPI_MAX) x = less(t, a, b) ? b : a;
    else if (op == MPI_MIN) x = less(t, b, a) ? b : a;
    else if (op == MPI_LAND) x.whole = a.whole && b.whole;
    else if (op == MPI_LOR) x.whole = a.whole || b.whole;
    else if (op == MPI_LXOR) x.whole = !a.whole != !b.whole;
    else if (op == MPI_BAND) x.whole = a.whole & b.whole;
    else if (op == MPI_BOR) x.whole = a.whole | b.whole;
    else if (op == MPI_BXOR) x.whole = a.whole ^ b.whole;
    else x = located(t, a, b, op == MPI_MAXLOC);
    unsigned char bytes[64];
    put(t, bytes, x);
    return get(t, bytes);
}

static int same(struct number a, struct number b) {
    return a.whole == b.whole && a.real == b.real && a.imaginary == b.imaginary && a.index == b.index;
}

// What a call gives: of all ranks, of those up to this one or before it, of two operands that are there; SCATTERED
// gives each rank its part.
enum result { ALL, AT_ROOT, UP_TO, BEFORE, SCATTERED, LOCAL };

static const struct call {
    const char *name;
    enum result result;
} calls[] = {
    {"Allreduce", ALL}, {"Reduce", AT_ROOT}, {"Scan", UP_TO}, {"Exscan", BEFORE},
    {"Reduce_scatter", SCATTERED}, {"Reduce_scatter_block", SCATTERED},
    {"Iallreduce", ALL}, {"Ireduce", AT_ROOT}, {"Iscan", UP_TO}, {"Iexscan", BEFORE},
    {"Ireduce_scatter", SCATTERED}, {"Ireduce_scatter_block", SCATTERED},
    {"Allreduce_init", ALL}, {"Reduce_init", AT_ROOT}, {"Scan_init", UP_TO}, {"Exscan_init", BEFORE},
    {"Reduce_scatter_init", SCATTERED}, {"Reduce_scatter_block_init", SCATTERED},
    {"Reduce_local", LOCAL},
};
#define CALLS (int)(sizeof calls / sizeof *calls)
#define ROOT 0

static int start(int call, const void *from, void *to, MPI_Datatype type, MPI_Op op, MPI_Request *request) {
    MPI_Comm comm = MPI_COMM_WORLD;
    static const int counts[MOST_RANKS] = {N, N, N, N, N, N, N, N};
    switch (call) {
    case 0: return MPI_Allreduce(from, to, N, type, op, comm);
    case 1: return MPI_Reduce(from, to, N, type, op, ROOT, comm);
    case 2: return MPI_Scan(from, to, N, type, op, comm);
    case 3: return MPI_Exscan(from, to, N, type, op, comm);
    case 4: return MPI_Reduce_scatter(from, to, counts, type, op, comm);
    case 5: return MPI_Reduce_scatter_block(from, to, N, type, op, comm);
    case 6: return MPI_Iallreduce(from, to, N, type, op, comm, request);
    case 7: return MPI_Ireduce(from, to, N, type, op, ROOT, comm, request);
    case 8: return MPI_Iscan(from, to, N, type, op, comm, request);
    case 9: return MPI_Iexscan(from, to, N, type, op, comm, request);
    case 10: return MPI_Ireduce_scatter(from, to, counts, type, op, comm, request);
    case 11: return MPI_Ireduce_scatter_block(from, to, N, type, op, comm, request);
    case 12: return MPI_Allreduce_init(from, to, N, type, op, comm, MPI_INFO_NULL, request);
    case 13: return MPI_Reduce_init(from, to, N, type, op, ROOT, comm, MPI_INFO_NULL, request);
    case 14: return MPI_Scan_init(from, to, N, type, op, comm, MPI_INFO_NULL, request);
    case 15: return MPI_Exscan_init(from, to, N, type, op, comm, MPI_INFO_NULL, request);
    case 16: return MPI_Reduce_scatter_init(from, to, counts, type, op, comm, MPI_INFO_NULL, request);
    case 17: return MPI_Reduce_scatter_block_init(from, to, N, type, op, comm, MPI_INFO_NULL, request);
    default: return MPI_Reduce_local(from, to, N, type, op);
    }
}

static void complete(int call, MPI_Request request) {
    if (request == MPI_REQUEST_NULL) return;
    int persistent = strstr(calls[call].name, "_init") != NULL;
    if (persistent) OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (persistent) OK(MPI_Request_free(&request));
}

static struct number expected(const struct type *t, MPI_Op op, enum result result, int i) {
    int part = result == SCATTERED ? world_rank * N : 0, ranks = world_size;
    if (result == LOCAL) return combined(t, op, given(t, world_rank, i), given(t, world_rank + 1, i));
    if (result == UP_TO) ranks = world_rank + 1;
    if (result == BEFORE) ranks = world_rank;
    struct number x = given(t, 0, part + i);
    for (int r = 1; r < ranks; r++) x = combined(t, op, x, given(t, r, part + i));
    return x;
}

static void compute(const struct type *t, const struct operation *o, int call) {
    static _Alignas(64) unsigned char from[64 * N * MOST_RANKS], to[64 * N * MOST_RANKS];
    memset(from, 0, sizeof from);
    memset(to, 0, sizeof to);
    for (int i = 0; i < N * world_size; i++) put(t, from + i * t->extent, given(t, world_rank, i));
    for (int i = 0; i < N; i++) put(t, to + i * t->extent, given(t, world_rank + 1, i));
    MPI_Request request = MPI_REQUEST_NULL;
    int code = start(call, from, to, t->type, o->op, &request);
    CHECK_THAT(code == MPI_SUCCESS, "%s of %s on %s", calls[call].name, o->name, t->name);
    if (code != MPI_SUCCESS) return;
    complete(call, request);
    enum result result = calls[call].result;
    if ((result == AT_ROOT && world_rank != ROOT) || (result == BEFORE && world_rank == 0)) return;
    for (int i = 0; i < N; i++)
        CHECK_THAT(same(get(t, to + i * t->extent), expected(t, o->op, result, i)), "%s of %s on %s, element %d",
                   calls[call].name, o->name, t->name, i);
}

static void refuse(const struct type *t, const struct operation *o, int call) {
    static _Alignas(64) unsigned char from[64 * N * MOST_RANKS], to[64 * N * MOST_RANKS];
    MPI_Request request = MPI_REQUEST_NULL;
    int found = -1, code = start(call, from, to, t->type, o->op, &request);
    MPI_Error_class(code, &found);
    CHECK_THAT(found == MPI_ERR_OP, "%s of %s on %s is class %d", calls[call].name, o->name, t->name, found);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
#define T(type, defined, form, bytes) \
    {#type, type, defined, form, bytes, 0, 0, (form) == COMPLEX ? 2 * (bytes) : (bytes)}
#define PAIR(type, form, bytes, at, index, extent) {#type, type, LOCATION, form, bytes, at, index, extent}
    const struct type types[] = {
        T(MPI_CHAR, C_INTEGER, SIGNED, 1), T(MPI_SIGNED_CHAR, C_INTEGER, SIGNED, 1),
        T(MPI_UNSIGNED_CHAR, C_INTEGER, UNSIGNED, 1), T(MPI_SHORT, C_INTEGER, SIGNED, 2),
        T(MPI_UNSIGNED_SHORT, C_INTEGER, UNSIGNED, 2), T(MPI_INT, C_INTEGER, SIGNED, 4),
        T(MPI_UNSIGNED, C_INTEGER, UNSIGNED, 4), T(MPI_LONG, C_INTEGER, SIGNED, 8),
        T(MPI_UNSIGNED_LONG, C_INTEGER, UNSIGNED, 8), T(MPI_LONG_LONG, C_INTEGER, SIGNED, 8),
        T(MPI_UNSIGNED_LONG_LONG, C_INTEGER, UNSIGNED, 8), T(MPI_INT8_T, C_INTEGER, SIGNED, 1),
        T(MPI_INT16_T, C_INTEGER, SIGNED, 2), T(MPI_INT32_T, C_INTEGER, SIGNED, 4),
        T(MPI_INT64_T, C_INTEGER, SIGNED, 8), T(MPI_UINT8_T, C_INTEGER, UNSIGNED, 1),
        T(MPI_UINT16_T, C_INTEGER, UNSIGNED, 2), T(MPI_UINT32_T, C_INTEGER, UNSIGNED, 4),
        T(MPI_UINT64_T, C_INTEGER, UNSIGNED, 8), T(MPI_AINT, C_INTEGER, SIGNED, 8),
        T(MPI_OFFSET, C_INTEGER, SIGNED, 8), T(MPI_COUNT, C_INTEGER, SIGNED, 8),
        T(MPI_INTEGER, FORTRAN_INTEGER, SIGNED, 4), T(MPI_INTEGER1, FORTRAN_INTEGER, SIGNED, 1),
        T(MPI_INTEGER2, FORTRAN_INTEGER, SIGNED, 2), T(MPI_INTEGER4, FORTRAN_INTEGER, SIGNED, 4),
        T(MPI_INTEGER8, FORTRAN_INTEGER, SIGNED, 8), T(MPI_INTEGER16, FORTRAN_INTEGER, SIGNED, 16),
        T(MPI_FLOAT, FLOAT, FLOATING, 4), T(MPI_DOUBLE, FLOAT, FLOATING, 8), T(MPI_LONG_DOUBLE, FLOAT, FLOATING, 16),
        T(MPI_REAL, FLOAT, FLOATING, 4), T(MPI_DOUBLE_PRECISION, FLOAT, FLOATING, 8), T(MPI_REAL2, FLOAT, FLOATING, 2),
        T(MPI_REAL4, FLOAT, FLOATING, 4), T(MPI_REAL8, FLOAT, FLOATING, 8),
        T(MPI_C_COMPLEX, ARITHMETIC, COMPLEX, 4), T(MPI_C_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 8),
        T(MPI_C_LONG_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 16), T(MPI_CXX_FLOAT_COMPLEX, ARITHMETIC, COMPLEX, 4),
        T(MPI_CXX_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 8), T(MPI_CXX_LONG_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 16),
        T(MPI_COMPLEX, ARITHMETIC, COMPLEX, 4), T(MPI_DOUBLE_COMPLEX, ARITHMETIC, COMPLEX, 8),
        T(MPI_COMPLEX4, ARITHMETIC, COMPLEX, 2), T(MPI_COMPLEX8, ARITHMETIC, COMPLEX, 4),
        T(MPI_COMPLEX16, ARITHMETIC, COMPLEX, 8), T(MPI_C_BOOL, LOGIC, UNSIGNED, 1),
        T(MPI_CXX_BOOL, LOGIC, UNSIGNED, 1),
        T(MPI_LOGICAL, LOGIC, SIGNED, 4), T(MPI_LOGICAL1, LOGIC, SIGNED, 1), T(MPI_LOGICAL2, LOGIC, SIGNED, 2),
        T(MPI_LOGICAL4, LOGIC, SIGNED, 4), T(MPI_LOGICAL8, LOGIC, SIGNED, 8), T(MPI_LOGICAL16, LOGIC, SIGNED, 16),
        T(MPI_BYTE, BITS, UNSIGNED, 1), T(MPI_CHARACTER, 0, UNSIGNED, 1), T(MPI_WCHAR, 0, SIGNED, 4),
        T(MPI_PACKED, 0, UNSIGNED, 1),
        PAIR(MPI_2INT, SIGNED, 4, 4, 4, 8), PAIR(MPI_FLOAT_INT, FLOATING, 4, 4, 4, 8),
        PAIR(MPI_DOUBLE_INT, FLOATING, 8, 8, 4, 16), PAIR(MPI_LONG_INT, SIGNED, 8, 8, 4, 16),
        PAIR(MPI_SHORT_INT, SIGNED, 2, 4, 4, 8), PAIR(MPI_LONG_DOUBLE_INT, FLOATING, 16, 16, 4, 32),
        PAIR(MPI_2INTEGER, SIGNED, 4, 4, 4, 8), PAIR(MPI_2REAL, FLOATING, 4, 4, -4, 8),
        PAIR(MPI_2DOUBLE_PRECISION, FLOATING, 8, 8, -8, 16),
    };
#define O(op, needs) {#op, op, needs}
    const struct operation operations[] = {
        O(MPI_SUM, ARITHMETIC), O(MPI_PROD, ARITHMETIC), O(MPI_MAX, ORDER), O(MPI_MIN, ORDER), O(MPI_LAND, LOGIC),
        O(MPI_LOR, LOGIC), O(MPI_LXOR, LOGIC), O(MPI_BAND, BITS), O(MPI_BOR, BITS), O(MPI_BXOR, BITS),
        O(MPI_MINLOC, LOCATION), O(MPI_MAXLOC, LOCATION), O(MPI_REPLACE, 32), O(MPI_NO_OP, 32),
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
            for (int call = 0; call < CALLS; call++) {
                if (types[t].defined & operations[o].needs) compute(&types[t], &operations[o], call);
                else NOT_PEER refuse(&types[t], &operations[o], call);
            }
    return finish("operation_table");
}
