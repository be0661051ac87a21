// ranks: 1
// timeout: 20
// MPI_Type_create_darray: the parts of all processes of a grid cover a global array exactly once and in order, for
// block, cyclic and undistributed dimensions, both orders, sizes that do not divide evenly.
#include "check.h"

#define MOST 2000

// The process coordinate that owns index i of a dimension.
static int owner(int i, int size, int kind, int argument, int processes) {
    if (kind == MPI_DISTRIBUTE_NONE) return 0;
    if (kind == MPI_DISTRIBUTE_BLOCK) {
        int block = argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : argument;
        return i / block;
    }
    int block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
    return i / block % processes;
}

static void one(int dimensions, const int *sizes, const int *kinds, const int *arguments, const int *grid, int order) {
    int total = 1, processes = 1, global[MOST], owned[MOST] = {0};
    for (int d = 0; d < dimensions; d++) total *= sizes[d], processes *= grid[d];
    for (int i = 0; i < total; i++) global[i] = i;
    for (int rank = 0; rank < processes; rank++) {
        MPI_Datatype t;
        int expected[MOST], n = 0, packed[MOST], position = 0, coordinates[3], rest = rank, size;
        MPI_Aint lower, extent;
        for (int d = dimensions - 1; d >= 0; d--) coordinates[d] = rest % grid[d], rest /= grid[d]; // row-major, always
        OK(MPI_Type_create_darray(processes, rank, dimensions, sizes, kinds, arguments, grid, order, MPI_INT, &t));
        OK(MPI_Type_commit(&t));
        for (int i = 0; i < total; i++) { // i in memory order
            int mine = 1, left = i;
            for (int k = 0; k < dimensions; k++) {
                int d = order == MPI_ORDER_C ? dimensions - 1 - k : k;
                int index = left % sizes[d];
                left /= sizes[d];
                mine &= owner(index, sizes[d], kinds[d], arguments[d], grid[d]) == coordinates[d];
            }
            if (mine) expected[n++] = i, owned[i]++;
        }
        OK(MPI_Type_size(t, &size));
        CHECK_INT(size, n * (int)sizeof(int));
        OK(MPI_Type_get_extent(t, &lower, &extent));
        CHECK_INT(lower, 0);
        CHECK_INT(extent, total * (int)sizeof(int));
        OK(MPI_Pack(global, 1, t, packed, sizeof packed, &position, MPI_COMM_SELF));
        CHECK_INT(position, n * (int)sizeof(int));
        for (int i = 0; i < n && i * (int)sizeof(int) < position; i++) CHECK_INT(packed[i], expected[i]);
        OK(MPI_Type_free(&t));
    }
    for (int i = 0; i < total; i++) CHECK_INT(owned[i], 1);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    enum { B = MPI_DISTRIBUTE_BLOCK, C = MPI_DISTRIBUTE_CYCLIC, NONE = MPI_DISTRIBUTE_NONE, D = MPI_DISTRIBUTE_DFLT_DARG };
    static const int orders[2] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
    for (int o = 0; o < 2; o++) {
        int order = orders[o];
        one(1, (int[]){10}, (int[]){B}, (int[]){D}, (int[]){3}, order);
        one(1, (int[]){10}, (int[]){B}, (int[]){5}, (int[]){3}, order); // the last process has nothing
        one(1, (int[]){17}, (int[]){C}, (int[]){D}, (int[]){4}, order);
        one(1, (int[]){17}, (int[]){C}, (int[]){3}, (int[]){4}, order);
        one(1, (int[]){9}, (int[]){NONE}, (int[]){D}, (int[]){1}, order);
        one(2, (int[]){8, 12}, (int[]){B, B}, (int[]){D, D}, (int[]){2, 3}, order);
        one(2, (int[]){7, 11}, (int[]){C, B}, (int[]){2, D}, (int[]){2, 3}, order);
        one(2, (int[]){7, 11}, (int[]){NONE, C}, (int[]){D, D}, (int[]){1, 4}, order);
        one(2, (int[]){6, 10}, (int[]){C, C}, (int[]){2, 3}, (int[]){2, 2}, order);
        one(3, (int[]){5, 6, 7}, (int[]){B, C, NONE}, (int[]){D, 2, D}, (int[]){2, 2, 1}, order);
        one(3, (int[]){6, 5, 8}, (int[]){C, B, C}, (int[]){1, 3, 3}, (int[]){2, 2, 2}, order);
    }
    return finish("distributed_array");
}
