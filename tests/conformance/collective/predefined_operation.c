// ranks: 1 2 3
// timeout: 20
// link: -lm
// Every predefined operation on every C type it is defined for, through MPI_Allreduce and MPI_Reduce_local, against
// the C operators.
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <wchar.h>

#define N 9
#define RANKS 8

// Small values so that sums and products of all ranks stay in range of every type, with signs and zeros among them.
static int small(int rank, int i) { return (rank * 5 + i * 3) % 4; }

#define COMBINE(name, type, expression)                            \
    static type name(type a, type b) { return (type)(expression); }

// One type: the operations of its kind, each against a C function.
#define RUN(ctype, mpi_type, op, function, input)                                                            \
    do {                                                                                                     \
        ctype mine[N], result[N], expected[N], local[N];                                                     \
        for (int i = 0; i < N; i++) {                                                                        \
            mine[i] = (ctype)(input(world_rank, i));                                                         \
            expected[i] = (ctype)(input(0, i));                                                              \
            for (int r = 1; r < world_size; r++) expected[i] = function(expected[i], (ctype)(input(r, i)));  \
            local[i] = (ctype)(input(world_rank + 1, i));                                                    \
        }                                                                                                    \
        OK(MPI_Allreduce(mine, result, N, mpi_type, op, MPI_COMM_WORLD));                                    \
        OK(MPI_Reduce_local(mine, local, N, mpi_type, op));                                                  \
        for (int i = 0; i < N; i++) {                                                                        \
            CHECK_THAT(result[i] == expected[i], "%s on %s, element %d", #op, #mpi_type, i);                 \
            CHECK_THAT(local[i] == function((ctype)(input(world_rank, i)), (ctype)(input(world_rank + 1, i))), \
                       "local %s on %s, element %d", #op, #mpi_type, i);                                     \
        }                                                                                                    \
    } while (0)

#define INTEGERS(kind, ctype, mpi_type)                   \
    COMBINE(add_##kind, ctype, a + b)                     \
    COMBINE(multiply_##kind, ctype, a *b)                 \
    COMBINE(larger_##kind, ctype, a > b ? a : b)          \
    COMBINE(smaller_##kind, ctype, a < b ? a : b)         \
    COMBINE(both_##kind, ctype, a &&b)                    \
    COMBINE(either_##kind, ctype, a || b)                 \
    COMBINE(one_##kind, ctype, !a != !b)                  \
    COMBINE(bits_and_##kind, ctype, a &b)                 \
    COMBINE(bits_or_##kind, ctype, a | b)                 \
    COMBINE(bits_xor_##kind, ctype, a ^ b)                \
    static void run_##kind(void) {                        \
        RUN(ctype, mpi_type, MPI_SUM, add_##kind, small); \
        RUN(ctype, mpi_type, MPI_PROD, multiply_##kind, small); \
        RUN(ctype, mpi_type, MPI_MAX, larger_##kind, small);    \
        RUN(ctype, mpi_type, MPI_MIN, smaller_##kind, small);   \
        RUN(ctype, mpi_type, MPI_LAND, both_##kind, small);     \
        RUN(ctype, mpi_type, MPI_LOR, either_##kind, small);    \
        RUN(ctype, mpi_type, MPI_LXOR, one_##kind, small);      \
        RUN(ctype, mpi_type, MPI_BAND, bits_and_##kind, small); \
        RUN(ctype, mpi_type, MPI_BOR, bits_or_##kind, small);   \
        RUN(ctype, mpi_type, MPI_BXOR, bits_xor_##kind, small); \
    }

#define NUMBERS(kind, ctype, mpi_type)                          \
    COMBINE(add_##kind, ctype, a + b)                           \
    COMBINE(multiply_##kind, ctype, a *b)                       \
    COMBINE(larger_##kind, ctype, a > b ? a : b)                \
    COMBINE(smaller_##kind, ctype, a < b ? a : b)               \
    static void run_##kind(void) {                              \
        RUN(ctype, mpi_type, MPI_SUM, add_##kind, small);       \
        RUN(ctype, mpi_type, MPI_PROD, multiply_##kind, small); \
        RUN(ctype, mpi_type, MPI_MAX, larger_##kind, small);    \
        RUN(ctype, mpi_type, MPI_MIN, smaller_##kind, small);   \
    }

#define COMPLEX(kind, ctype, mpi_type)                          \
    COMBINE(add_##kind, ctype, a + b)                           \
    COMBINE(multiply_##kind, ctype, a *b)                       \
    static ctype input_##kind(int rank, int i) { return small(rank, i) + small(rank, i + 1) * (ctype)I; } \
    static void run_##kind(void) {                              \
        RUN(ctype, mpi_type, MPI_SUM, add_##kind, input_##kind);       \
        RUN(ctype, mpi_type, MPI_PROD, multiply_##kind, input_##kind); \
    }

INTEGERS(short, short, MPI_SHORT)
INTEGERS(int, int, MPI_INT)
INTEGERS(long, long, MPI_LONG)
INTEGERS(long_long, long long, MPI_LONG_LONG)
INTEGERS(signed_char, signed char, MPI_SIGNED_CHAR)
INTEGERS(unsigned_char, unsigned char, MPI_UNSIGNED_CHAR)
INTEGERS(unsigned_short, unsigned short, MPI_UNSIGNED_SHORT)
INTEGERS(unsigned_int, unsigned, MPI_UNSIGNED)
INTEGERS(unsigned_long, unsigned long, MPI_UNSIGNED_LONG)
INTEGERS(unsigned_long_long, unsigned long long, MPI_UNSIGNED_LONG_LONG)
INTEGERS(int8, int8_t, MPI_INT8_T)
INTEGERS(int16, int16_t, MPI_INT16_T)
INTEGERS(int32, int32_t, MPI_INT32_T)
INTEGERS(int64, int64_t, MPI_INT64_T)
INTEGERS(uint8, uint8_t, MPI_UINT8_T)
INTEGERS(uint16, uint16_t, MPI_UINT16_T)
INTEGERS(uint32, uint32_t, MPI_UINT32_T)
INTEGERS(uint64, uint64_t, MPI_UINT64_T)
NUMBERS(float, float, MPI_FLOAT)
NUMBERS(double, double, MPI_DOUBLE)
NUMBERS(long_double, long double, MPI_LONG_DOUBLE)
NUMBERS(aint, MPI_Aint, MPI_AINT)
NUMBERS(offset, MPI_Offset, MPI_OFFSET)
NUMBERS(count, MPI_Count, MPI_COUNT)
COMPLEX(float_complex, float complex, MPI_C_FLOAT_COMPLEX)
COMPLEX(double_complex, double complex, MPI_C_DOUBLE_COMPLEX)
COMPLEX(long_double_complex, long double complex, MPI_C_LONG_DOUBLE_COMPLEX)

COMBINE(both_bool, bool, a &&b)
COMBINE(either_bool, bool, a || b)
COMBINE(one_bool, bool, a != b)
COMBINE(bits_and_byte, unsigned char, a &b)
COMBINE(bits_or_byte, unsigned char, a | b)
COMBINE(bits_xor_byte, unsigned char, a ^ b)

// Negative values and the extremes of a type.
static void extremes(void) {
    int mine[4] = {-1 - world_rank, INT32_MIN + world_rank, INT32_MAX - world_rank, world_rank - 1}, result[4];
    OK(MPI_Allreduce(mine, result, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK_INT(result[0], -1);
    CHECK_INT(result[1], (long long)INT32_MIN + world_size - 1);
    CHECK_INT(result[2], INT32_MAX);
    CHECK_INT(result[3], world_size - 2);
    OK(MPI_Allreduce(mine, result, 4, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    CHECK_INT(result[0], -world_size);
    CHECK_INT(result[1], INT32_MIN);
    CHECK_INT(result[2], (long long)INT32_MAX - world_size + 1);
    CHECK_INT(result[3], -1);
    uint64_t large = UINT64_MAX - (uint64_t)world_rank, most = 0;
    OK(MPI_Allreduce(&large, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD));
    CHECK(most == UINT64_MAX);
    uint64_t least = 0;
    OK(MPI_Allreduce(&large, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD));
    CHECK(least == UINT64_MAX - (uint64_t)(world_size - 1));
    // Logical operations give 1, whatever non-zero value went in.
    int truth[2] = {4 + world_rank, world_rank ? 0 : 7}, both[2], any[2];
    OK(MPI_Allreduce(truth, both, 2, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    OK(MPI_Allreduce(truth, any, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD));
    if (world_size > 1) { // of one rank the data is copied
        CHECK_INT(both[0], 1);
        CHECK_INT(both[1], 0);
        CHECK_INT(any[0], 1);
        CHECK_INT(any[1], 1);
    }
}

static void pending_identity(void) {
    static const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR,
                                        MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        int commutes = 0;
        OK(MPI_Op_commutative(operations[i], &commutes));
        CHECK_INT(commutes, 1);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    run_short();
    run_int();
    run_long();
    run_long_long();
    run_signed_char();
    run_unsigned_char();
    run_unsigned_short();
    run_unsigned_int();
    run_unsigned_long();
    run_unsigned_long_long();
    run_int8();
    run_int16();
    run_int32();
    run_int64();
    run_uint8();
    run_uint16();
    run_uint32();
    run_uint64();
    run_float();
    run_double();
    run_long_double();
    run_aint();
    run_offset();
    run_count();
    run_float_complex();
    run_double_complex();
    run_long_double_complex();
    RUN(bool, MPI_C_BOOL, MPI_LAND, both_bool, small);
    RUN(bool, MPI_C_BOOL, MPI_LOR, either_bool, small);
    RUN(bool, MPI_C_BOOL, MPI_LXOR, one_bool, small);
    RUN(unsigned char, MPI_BYTE, MPI_BAND, bits_and_byte, small);
    RUN(unsigned char, MPI_BYTE, MPI_BOR, bits_or_byte, small);
    RUN(unsigned char, MPI_BYTE, MPI_BXOR, bits_xor_byte, small);
    extremes();
    pending_identity();
    return finish("predefined_operation");
}
