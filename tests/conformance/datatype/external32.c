// ranks: 1
// timeout: 20
// external32 (MPI-5.0, 14.5.2): the length of every predefined type there, which is not that in memory for MPI_LONG,
// MPI_UNSIGNED_LONG and MPI_WCHAR; big-endian bytes; values come back; one that does not fit is MPI_ERR_CONVERSION and
// leaves the position; types with gaps and pairs follow from their members.
#include "check.h"
#include <limits.h>
#include <wchar.h>

static unsigned char external[256];

static void has_bytes(const char *name, MPI_Datatype type, MPI_Aint expected) {
    MPI_Aint one = -1, many = -1;
    MPI_Count large = -1;
    OK(MPI_Pack_external_size("external32", 1, type, &one));
    CHECK_THAT(one == expected, "%s has %ld bytes", name, (long)one);
    OK(MPI_Pack_external_size("external32", 5, type, &many));
    CHECK_THAT(many == 5 * expected, "five %s have %ld bytes", name, (long)many);
    OK(MPI_Pack_external_size_c("external32", 1, type, &large));
    CHECK_INT(large, expected);
}

// `count` elements of `bytes` in memory become `expected`, and come back.
static void becomes(MPI_Datatype type, int count, const void *values, size_t bytes, const char *expected, int length) {
    unsigned char back[256];
    MPI_Aint at = 0;
    memset(external, 0x5a, sizeof external);
    OK(MPI_Pack_external("external32", values, count, type, external, sizeof external, &at));
    CHECK_INT(at, length);
    CHECK(memcmp(external, expected, (size_t)length) == 0);
    CHECK(all_bytes(external + length, sizeof external - (size_t)length, 0x5a));
    memset(back, 0, sizeof back);
    at = 0;
    OK(MPI_Unpack_external("external32", external, length, &at, back, count, type));
    CHECK_INT(at, length);
    CHECK(memcmp(back, values, bytes) == 0);
}

static void refused(MPI_Datatype type, const void *value) {
    MPI_Aint at = 8;
    FAILS(MPI_Pack_external("external32", value, 1, type, external, sizeof external, &at), MPI_ERR_CONVERSION);
    CHECK_INT(at, 8);
}

static void lengths(void) {
#define IS(type, bytes) has_bytes(#type, type, bytes)
    IS(MPI_PACKED, 1), IS(MPI_BYTE, 1), IS(MPI_CHAR, 1), IS(MPI_SIGNED_CHAR, 1), IS(MPI_UNSIGNED_CHAR, 1);
    IS(MPI_WCHAR, 2), IS(MPI_SHORT, 2), IS(MPI_UNSIGNED_SHORT, 2), IS(MPI_INT, 4), IS(MPI_UNSIGNED, 4);
    IS(MPI_LONG, 4), IS(MPI_UNSIGNED_LONG, 4), IS(MPI_LONG_LONG, 8), IS(MPI_UNSIGNED_LONG_LONG, 8);
    IS(MPI_FLOAT, 4), IS(MPI_DOUBLE, 8), IS(MPI_LONG_DOUBLE, 16), IS(MPI_C_BOOL, 1), IS(MPI_CXX_BOOL, 1);
    IS(MPI_INT8_T, 1), IS(MPI_INT16_T, 2), IS(MPI_INT32_T, 4), IS(MPI_INT64_T, 8);
    IS(MPI_UINT8_T, 1), IS(MPI_UINT16_T, 2), IS(MPI_UINT32_T, 4), IS(MPI_UINT64_T, 8);
    IS(MPI_AINT, 8), IS(MPI_COUNT, 8), IS(MPI_OFFSET, 8);
    IS(MPI_C_COMPLEX, 8), IS(MPI_C_DOUBLE_COMPLEX, 16), IS(MPI_C_LONG_DOUBLE_COMPLEX, 32);
    IS(MPI_CXX_FLOAT_COMPLEX, 8), IS(MPI_CXX_DOUBLE_COMPLEX, 16), IS(MPI_CXX_LONG_DOUBLE_COMPLEX, 32);
    IS(MPI_CHARACTER, 1), IS(MPI_LOGICAL, 4), IS(MPI_INTEGER, 4), IS(MPI_REAL, 4), IS(MPI_DOUBLE_PRECISION, 8);
    IS(MPI_COMPLEX, 8), IS(MPI_DOUBLE_COMPLEX, 16), IS(MPI_INTEGER1, 1), IS(MPI_INTEGER2, 2), IS(MPI_INTEGER4, 4);
    IS(MPI_INTEGER8, 8), IS(MPI_INTEGER16, 16), IS(MPI_REAL4, 4), IS(MPI_REAL8, 8), IS(MPI_REAL16, 16);
    IS(MPI_COMPLEX8, 8), IS(MPI_COMPLEX16, 16), IS(MPI_COMPLEX32, 32);
    if (getenv("PAMIR_CONFORMANCE_PEER") != NULL) return; // MPICH gives these 0 to 2 bytes
    IS(MPI_REAL2, 2), IS(MPI_COMPLEX4, 4);
    IS(MPI_LOGICAL1, 1), IS(MPI_LOGICAL2, 2), IS(MPI_LOGICAL4, 4), IS(MPI_LOGICAL8, 8), IS(MPI_LOGICAL16, 16);
    IS(MPI_SHORT_INT, 6), IS(MPI_LONG_INT, 8), IS(MPI_2INT, 8), IS(MPI_FLOAT_INT, 8), IS(MPI_DOUBLE_INT, 12);
    IS(MPI_LONG_DOUBLE_INT, 20), IS(MPI_2INTEGER, 8), IS(MPI_2REAL, 8), IS(MPI_2DOUBLE_PRECISION, 16);
}

static void shorter_ones(void) {
    long longs[] = {0x01020304, -2, INT_MAX, INT_MIN};
    unsigned long naturals[] = {UINT_MAX, 5};
    wchar_t letters[] = {0x20ac, 0xffff, L'a'};
    struct {
        long value;
        int index;
    } pair = {-7, 9};
    becomes(MPI_LONG, 4, longs, sizeof longs, "\1\2\3\4\377\377\377\376\177\377\377\377\200\0\0\0", 16);
    becomes(MPI_UNSIGNED_LONG, 2, naturals, sizeof naturals, "\377\377\377\377\0\0\0\5", 8);
    NOT_PEER becomes(MPI_WCHAR, 3, letters, sizeof letters, "\x20\xac\xff\xff\0a", 6); // MPICH 5.0 aborts
    NOT_PEER becomes(MPI_LONG_INT, 1, &pair, 12, "\377\377\377\371\0\0\0\11", 8);
    MPI_Datatype gaps;
    long apart[] = {1, 0, -1};
    OK(MPI_Type_vector(2, 1, 2, MPI_LONG, &gaps));
    OK(MPI_Type_commit(&gaps));
    has_bytes("a vector of longs", gaps, 8);
    becomes(gaps, 1, apart, sizeof apart, "\0\0\0\1\377\377\377\377", 8);
    OK(MPI_Type_free(&gaps));
}

static void what_does_not_fit(void) {
    long longs[] = {INT_MAX + 1L, INT_MIN - 1L, LONG_MAX, LONG_MIN};
    unsigned long natural = UINT_MAX + 1UL;
    wchar_t letters[] = {0x10000, -1};
    for (int i = 0; i < 4; i++) refused(MPI_LONG, &longs[i]);
    refused(MPI_UNSIGNED_LONG, &natural);
    for (int i = 0; i < 2; i++) refused(MPI_WCHAR, &letters[i]);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    lengths();
    shorter_ones();
    NOT_PEER what_does_not_fit(); // MPICH and Open MPI cut it
    long long wide = -2;
    becomes(MPI_LONG_LONG, 1, &wide, sizeof wide, "\377\377\377\377\377\377\377\376", 8);
    return finish("external32");
}
