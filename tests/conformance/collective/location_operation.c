// ranks: 1 2 3 5
// timeout: 20
// MPI_MINLOC and MPI_MAXLOC on every pair type, ties going to the lower index, through reduce, allreduce, scan,
// reduce_local and with a pair type found by MPI_Type_get_value_index.
#include "check.h"

#define N 40

#define PAIR(name, ctype, mpi_type)                                                                             \
    static void run_##name(void) {                                                                              \
        struct pair {                                                                                           \
            ctype value;                                                                                        \
            int index;                                                                                          \
        } mine[N], least[N], most[N], prefix[N], local[N];                                                      \
        memset(mine, 0, sizeof mine);                                                                           \
        for (int i = 0; i < N; i++) {                                                                           \
            mine[i].value = (ctype)((world_rank * 3 + i * 7) % 5 - 2);                                          \
            mine[i].index = 100 + world_rank;                                                                   \
        }                                                                                                       \
        OK(MPI_Allreduce(mine, least, N, mpi_type, MPI_MINLOC, MPI_COMM_WORLD));                                \
        OK(MPI_Allreduce(mine, most, N, mpi_type, MPI_MAXLOC, MPI_COMM_WORLD));                                 \
        OK(MPI_Scan(mine, prefix, N, mpi_type, MPI_MINLOC, MPI_COMM_WORLD));                                    \
        memcpy(local, mine, sizeof mine);                                                                       \
        for (int i = 0; i < N; i++) {                                                                           \
            int low = 0, high = 0, low_here = 0;                                                                \
            for (int r = 1; r < world_size; r++) {                                                              \
                int v = (r * 3 + i * 7) % 5;                                                                    \
                if (v < (low * 3 + i * 7) % 5) low = r;                                                         \
                if (v > (high * 3 + i * 7) % 5) high = r;                                                       \
                if (r <= world_rank && v < (low_here * 3 + i * 7) % 5) low_here = r;                            \
            }                                                                                                   \
            CHECK_THAT(least[i].index == 100 + low && least[i].value == (ctype)((low * 3 + i * 7) % 5 - 2),     \
                       "%s least at %d: index %d, expected %d", #mpi_type, i, least[i].index, 100 + low);       \
            CHECK_THAT(most[i].index == 100 + high && most[i].value == (ctype)((high * 3 + i * 7) % 5 - 2),     \
                       "%s most at %d: index %d, expected %d", #mpi_type, i, most[i].index, 100 + high);        \
            CHECK_THAT(prefix[i].index == 100 + low_here, "%s scan at %d", #mpi_type, i);                       \
            local[i].index = 50; /* same value, lower index */                                                  \
        }                                                                                                       \
        OK(MPI_Reduce_local(mine, local, N, mpi_type, MPI_MAXLOC));                                             \
        for (int i = 0; i < N; i++) CHECK_INT(local[i].index, 50);                                              \
    }

PAIR(float_int, float, MPI_FLOAT_INT)
PAIR(double_int, double, MPI_DOUBLE_INT)
PAIR(long_int, long, MPI_LONG_INT)
PAIR(two_int, int, MPI_2INT)
PAIR(short_int, short, MPI_SHORT_INT)
PAIR(long_double_int, long double, MPI_LONG_DOUBLE_INT)

int main(int argc, char **argv) {
    begin(&argc, &argv);
    run_float_int();
    run_double_int();
    run_long_int();
    run_two_int();
    run_short_int();
    run_long_double_int();
    int size = -1;
    MPI_Aint lower, extent;
    OK(MPI_Type_size(MPI_DOUBLE_INT, &size));
    CHECK_INT(size, 12);
    OK(MPI_Type_get_extent(MPI_DOUBLE_INT, &lower, &extent));
    CHECK_INT(extent, 16);
    OK(MPI_Type_size(MPI_SHORT_INT, &size));
    CHECK_INT(size, 6);
    OK(MPI_Type_get_extent(MPI_SHORT_INT, &lower, &extent));
    CHECK_INT(extent, 8);
    OK(MPI_Type_size(MPI_LONG_DOUBLE_INT, &size));
    CHECK_INT(size, 20);
    MPI_Datatype found = MPI_DATATYPE_NULL;
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &found));
    CHECK(found == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &found));
    CHECK(found == MPI_2INT);
    return finish("location_operation");
}
