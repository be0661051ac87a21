/* What applications send to their neighbours, after their published descriptions.
 *
 *   wrf_x, wrf_y        weather: three columns, or rows, of the halo of four 3-D and two 2-D fields
 *                       of floats, 28 levels, in one message
 *   milc                lattice quantum chromodynamics: the su3 vectors (six floats each) of one
 *                       parity with the same z of a lattice [t][z][y][x]
 *   nas_lu              a line of the plane that the pipelined solver passes on: five doubles of
 *                       each point, points of a row of 162 apart
 *   nas_mg_x, nas_mg_y  multigrid: faces of a cube of doubles, of which one dimension is 130
 *   lammps              molecular dynamics: for the atoms that a neighbour needs, position, charge,
 *                       and four integers, each from an array of its own
 *   specfem_oc          seismic waves: one float of each point of an interface, listed in any order
 *   specfem_cm          the same with three floats
 *   fft                 a two-dimensional transform's transpose: columns of complex numbers
 *
 * Each is made for about so many bytes of data.
 */
#ifndef APPLICATIONS_H
#define APPLICATIONS_H

#include "layouts.h"

static void make_wrf(size_t bytes, int columns)
{
    enum { LEVELS = 28, HALO = 3, LONG = 64 + 2 * HALO, FIELDS = 6 };
    size_t level_bytes = columns ? 4 * HALO : 4 * HALO * LONG;
    int inner = (int)(bytes / (level_bytes * (4 * LEVELS + 2)));
    if (inner < 1)
        inner = 1;
    /* Rows that the halo crosses, or rows of the halo. */
    int rows = columns ? inner + 2 * HALO : 4 * HALO, deep = columns ? inner : HALO;
    int length = columns ? LONG : inner * LONG;
    MPI_Aint at[FIELDS], end = 0;
    MPI_Datatype types[FIELDS];
    int ones[FIELDS];
    for (int field = 0; field < FIELDS; field++) {
        int levels = field < 4 ? LEVELS : 1, width = columns ? HALO : length - 2 * HALO;
        int sizes[3] = {rows, levels, length}, parts[3] = {deep, levels, width};
        int starts[3] = {HALO, 0, HALO};
        MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &types[field]);
        at[field] = end;
        ones[field] = 1;
        size_t row = 4 * (size_t)length, plane = row * (size_t)levels;
        loops((size_t)end + HALO * plane + 4 * HALO, (size_t)deep, plane, (size_t)levels, row,
              4 * (size_t)width);
        end += (MPI_Aint)(plane * (size_t)rows);
    }
    MPI_Type_create_struct(FIELDS, ones, at, types, &layout.type);
    for (int field = 0; field < FIELDS; field++)
        MPI_Type_free(&types[field]);
}

static void make_milc(size_t bytes)
{
    int side = 2;
    while ((size_t)(side + 2) * (size_t)(side + 2) * (size_t)(side + 2) * 12 <= bytes)
        side += 2;
    size_t plane = (size_t)side * (size_t)side / 2 * 24;
    MPI_Datatype vector;
    MPI_Type_contiguous(6, MPI_FLOAT, &vector);
    MPI_Type_vector(side, side * side / 2, side * side / 2 * side, vector, &layout.type);
    MPI_Type_free(&vector);
    loops(0, 1, 0, (size_t)side, plane * (size_t)side, plane);
}

static void make_nas_lu(size_t bytes)
{
    enum { ROW = 162 + 2 };
    int points = (int)(bytes / 40);
    MPI_Type_vector(points, 5, 5 * ROW, MPI_DOUBLE, &layout.type);
    loops(0, 1, 0, (size_t)points, 40 * ROW, 40);
}

static void make_nas_mg(size_t bytes, int across)
{
    enum { ROW = 130 };
    int points = (int)(bytes / 8 / (across ? ROW : 1)), planes = 1;
    if (points < 1)
        points = 1;
    while (planes * planes * 4 <= points)
        planes *= 2;
    int rest = points / planes;
    if (across) {
        /* Rows of one plane in each. */
        int sizes[3] = {points, 4, ROW}, parts[3] = {points, 1, ROW}, starts[3] = {0, 1, 0};
        MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &layout.type);
        loops(8 * ROW, 1, 0, (size_t)points, 32 * ROW, 8 * ROW);
        return;
    }
    int sizes[3] = {planes, rest + 2, ROW}, parts[3] = {planes, rest, 1}, starts[3] = {0, 1, 1};
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &layout.type);
    size_t row = 8 * ROW;
    loops(row + 8, (size_t)planes, row * (size_t)(rest + 2), (size_t)rest, row, 8);
}

/* `count` numbers, a few apart. */
static int *some_of_many(size_t count, int *highest)
{
    int *chosen = malloc(sizeof(int) * count);
    uint32_t random = 4711;
    int at = 0;
    for (size_t i = 0; i < count; i++) {
        at += 1 + (int)(scrambled(&random) % 5);
        chosen[i] = at;
    }
    *highest = at;
    return chosen;
}

static const size_t *in_bytes(const int *chosen, size_t count, size_t item)
{
    size_t *found = owned(sizeof(size_t) * count);
    for (size_t i = 0; i < count; i++)
        found[i] = (size_t)chosen[i] * item;
    return found;
}

static void make_lammps(size_t bytes)
{
    enum { ARRAYS = 6 };
    static const int items[ARRAYS] = {24, 8, 4, 4, 4, 4};
    size_t atoms = bytes / 48;
    int highest, *chosen = some_of_many(atoms, &highest), ones[ARRAYS];
    MPI_Aint at[ARRAYS], end = 0;
    MPI_Datatype types[ARRAYS], item;
    for (int array = 0; array < ARRAYS; array++) {
        MPI_Type_contiguous(items[array] == 24 ? 3 : 1, items[array] == 4 ? MPI_INT : MPI_DOUBLE, &item);
        MPI_Type_create_indexed_block((int)atoms, 1, chosen, item, &types[array]);
        MPI_Type_free(&item);
        ones[array] = 1;
        at[array] = end;
        places((size_t)end, in_bytes(chosen, atoms, (size_t)items[array]), atoms, (size_t)items[array]);
        end += (MPI_Aint)items[array] * (highest + 2);
    }
    MPI_Type_create_struct(ARRAYS, ones, at, types, &layout.type);
    for (int array = 0; array < ARRAYS; array++)
        MPI_Type_free(&types[array]);
    free(chosen);
}

static void make_specfem(size_t bytes, int floats)
{
    size_t points = bytes / 4 / (size_t)floats;
    int highest, *chosen = some_of_many(points, &highest);
    uint32_t random = 99;
    for (size_t i = points; i > 1; i--) {
        size_t other = scrambled(&random) % i;
        int kept = chosen[i - 1];
        chosen[i - 1] = chosen[other];
        chosen[other] = kept;
    }
    MPI_Datatype item;
    MPI_Type_contiguous(floats, MPI_FLOAT, &item);
    MPI_Type_create_indexed_block((int)points, 1, chosen, item, &layout.type);
    MPI_Type_free(&item);
    places(0, in_bytes(chosen, points, 4 * (size_t)floats), points, 4 * (size_t)floats);
    free(chosen);
}

static void make_fft(size_t bytes)
{
    int side = 2;
    while ((size_t)(2 * side) * (size_t)(2 * side) * 16 <= bytes)
        side *= 2;
    size_t row = 32 * (size_t)side;
    MPI_Datatype column, apart;
    MPI_Type_vector(side, 1, 2 * side, MPI_C_DOUBLE_COMPLEX, &column);
    MPI_Type_create_resized(column, 0, 16, &apart);
    MPI_Type_contiguous(side, apart, &layout.type);
    MPI_Type_free(&column);
    MPI_Type_free(&apart);
    loops(0, (size_t)side, 16, (size_t)side, row, 16);
}

/* Whether there is an application of this name. */
static int make_application(const char *name, size_t bytes)
{
    if (strcmp(name, "wrf_x") == 0)
        make_wrf(bytes, 1);
    else if (strcmp(name, "wrf_y") == 0)
        make_wrf(bytes, 0);
    else if (strcmp(name, "milc") == 0)
        make_milc(bytes);
    else if (strcmp(name, "nas_lu") == 0)
        make_nas_lu(bytes);
    else if (strcmp(name, "nas_mg_x") == 0)
        make_nas_mg(bytes, 0);
    else if (strcmp(name, "nas_mg_y") == 0)
        make_nas_mg(bytes, 1);
    else if (strcmp(name, "lammps") == 0)
        make_lammps(bytes);
    else if (strcmp(name, "specfem_oc") == 0)
        make_specfem(bytes, 1);
    else if (strcmp(name, "specfem_cm") == 0)
        make_specfem(bytes, 3);
    else if (strcmp(name, "fft") == 0)
        make_fft(bytes);
    else
        return 0;
    return 1;
}

#endif
