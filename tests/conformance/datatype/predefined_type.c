// ranks: 1
// timeout: 20
// Sizes and extents of the predefined types equal those of their C types; names are the constants' names; they are
// committed, named and cannot be taken apart; sizes known from the handle's value alone (the standard ABI) agree.
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <wchar.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    struct entry {
        MPI_Datatype type;
        size_t size;
        const char *name;
    };
#define T(type, c) {type, sizeof(c), #type}
    static struct entry entries[64];
    struct entry table[] = {
        T(MPI_CHAR, char), T(MPI_SHORT, short), T(MPI_INT, int), T(MPI_LONG, long), T(MPI_SIGNED_CHAR, signed char),
        T(MPI_UNSIGNED_CHAR, unsigned char), T(MPI_UNSIGNED_SHORT, short), T(MPI_UNSIGNED, int),
        T(MPI_UNSIGNED_LONG, long), T(MPI_UNSIGNED_LONG_LONG, long long), T(MPI_FLOAT, float), T(MPI_DOUBLE, double),
        T(MPI_LONG_DOUBLE, long double), T(MPI_WCHAR, wchar_t), T(MPI_C_BOOL, bool), T(MPI_INT8_T, int8_t),
        T(MPI_INT16_T, int16_t), T(MPI_INT32_T, int32_t), T(MPI_INT64_T, int64_t), T(MPI_UINT8_T, uint8_t),
        T(MPI_UINT16_T, uint16_t), T(MPI_UINT32_T, uint32_t), T(MPI_UINT64_T, uint64_t), T(MPI_AINT, MPI_Aint),
        T(MPI_COUNT, MPI_Count), T(MPI_OFFSET, MPI_Offset), T(MPI_C_DOUBLE_COMPLEX, double complex),
        T(MPI_C_LONG_DOUBLE_COMPLEX, long double complex), T(MPI_BYTE, char), T(MPI_PACKED, char),
    };
    int count = sizeof table / sizeof *table;
    memcpy(entries, table, sizeof table);
    entries[count++] = (struct entry){MPI_LONG_LONG, sizeof(long long), NULL}; // two constants, either name
    entries[count++] = (struct entry){MPI_C_FLOAT_COMPLEX, sizeof(float complex), "MPI_C_COMPLEX"}; // of two names
    for (int i = 0; i < count; i++) {
        int size = -1, ints, addresses, types, combiner, length;
        MPI_Aint lower = -1, extent = -1;
        char name[MPI_MAX_OBJECT_NAME] = "";
        MPI_Datatype type = entries[i].type;
        OK(MPI_Type_size(type, &size));
        CHECK_THAT(size == (int)entries[i].size, "%s: size %d", entries[i].name, size);
        OK(MPI_Type_get_extent(type, &lower, &extent));
        CHECK_INT(lower, 0);
        CHECK_INT(extent, entries[i].size);
        OK(MPI_Type_get_name(type, name, &length));
        if (entries[i].name) CHECK_STR(name, entries[i].name);
        CHECK_INT(length, strlen(name));
        OK(MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner));
        CHECK_INT(combiner, MPI_COMBINER_NAMED);
        OK(MPI_Type_commit(&type)); // already is: no harm
        CHECK(type == entries[i].type);
        // Fixed-size types carry the binary logarithm of their size in bits 3 to 5 of the handle.
        intptr_t bits = (intptr_t)type;
        if (bits >= 0x240 && bits <= 0x27f) CHECK_THAT(size == 1 << (bits >> 3 & 7), "%s", entries[i].name);
    }
    // Alignment of what compilers agree on.
    CHECK(MPI_LONG_LONG_INT == MPI_LONG_LONG);
    CHECK(MPI_C_COMPLEX == MPI_C_FLOAT_COMPLEX);
    CHECK_INT(sizeof(MPI_Aint), sizeof(void *));
    CHECK_INT(sizeof(MPI_Count), 8);
    CHECK_INT(sizeof(MPI_Offset), 8);
    return finish("predefined_type");
}
