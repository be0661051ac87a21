// ranks: 1
// timeout: 20
// Size, extent and true extent of every constructor against the formulas of the standard, with gaps, negative
// strides, zero counts, nesting and empty types; through the int, _x and _c enquiries.
#include "check.h"

static void is(MPI_Datatype type, MPI_Count size, MPI_Count lower, MPI_Count extent, MPI_Count true_lower,
               MPI_Count true_extent, const char *what) {
    int small;
    MPI_Aint lb, ext;
    MPI_Count size_c, lb_c, ext_c;
    OK(MPI_Type_size(type, &small));
    CHECK_THAT(small == size, "%s: size %d, expected %lld", what, small, (long long)size);
    OK(MPI_Type_size_x(type, &size_c));
    CHECK_INT(size_c, size);
    OK(MPI_Type_size_c(type, &size_c));
    CHECK_INT(size_c, size);
    OK(MPI_Type_get_extent(type, &lb, &ext));
    CHECK_THAT(lb == lower, "%s: lower bound %ld, expected %lld", what, (long)lb, (long long)lower);
    CHECK_THAT(ext == extent, "%s: extent %ld, expected %lld", what, (long)ext, (long long)extent);
    OK(MPI_Type_get_extent_x(type, &lb_c, &ext_c));
    CHECK(lb_c == lower && ext_c == extent);
    OK(MPI_Type_get_extent_c(type, &lb_c, &ext_c));
    CHECK(lb_c == lower && ext_c == extent);
    OK(MPI_Type_get_true_extent(type, &lb, &ext));
    CHECK_THAT(lb == true_lower, "%s: true lower bound %ld, expected %lld", what, (long)lb, (long long)true_lower);
    CHECK_THAT(ext == true_extent, "%s: true extent %ld, expected %lld", what, (long)ext, (long long)true_extent);
    OK(MPI_Type_get_true_extent_x(type, &lb_c, &ext_c));
    CHECK(lb_c == true_lower && ext_c == true_extent);
    OK(MPI_Type_get_true_extent_c(type, &lb_c, &ext_c));
    CHECK(lb_c == true_lower && ext_c == true_extent);
}

static void gone(MPI_Datatype *type) {
    OK(MPI_Type_free(type));
    CHECK(*type == MPI_DATATYPE_NULL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Datatype t, inner, outer;

    OK(MPI_Type_contiguous(5, MPI_INT, &t));
    is(t, 20, 0, 20, 0, 20, "contiguous");
    gone(&t);
    OK(MPI_Type_contiguous(0, MPI_INT, &t));
    is(t, 0, 0, 0, 0, 0, "contiguous of nothing");
    gone(&t);
    OK(MPI_Type_vector(3, 2, 5, MPI_INT, &t)); // ((3-1)*5+2)*4
    is(t, 24, 0, 48, 0, 48, "vector");
    gone(&t);
    OK(MPI_Type_vector(3, 2, -5, MPI_INT, &t));
    is(t, 24, -40, 48, -40, 48, "vector backwards");
    gone(&t);
    OK(MPI_Type_vector(3, 2, 1, MPI_INT, &t)); // overlapping blocks
    is(t, 24, 0, 16, 0, 16, "vector overlapping");
    gone(&t);
    OK(MPI_Type_create_hvector(3, 2, 17, MPI_INT, &t));
    is(t, 24, 0, 42, 0, 42, "hvector");
    gone(&t);
    OK(MPI_Type_create_hvector(2, 1, -100, MPI_DOUBLE, &t));
    is(t, 16, -100, 108, -100, 108, "hvector backwards");
    gone(&t);
    int lengths[4] = {2, 0, 3, 1}, places[4] = {5, 100, -2, 9};
    OK(MPI_Type_indexed(4, lengths, places, MPI_INT, &t)); // -8 .. 40, the empty block does not count
    is(t, 24, -8, 48, -8, 48, "indexed");
    gone(&t);
    MPI_Aint bytes[4] = {50, 1000, -7, 90};
    OK(MPI_Type_create_hindexed(4, lengths, bytes, MPI_SHORT, &t)); // -7 .. 92
    is(t, 12, -7, 99, -7, 99, "hindexed");
    gone(&t);
    OK(MPI_Type_create_indexed_block(3, 2, places + 1, MPI_INT, &t)); // 100,-2,9 : -8 .. 408
    is(t, 24, -8, 416, -8, 416, "indexed_block");
    gone(&t);
    OK(MPI_Type_create_hindexed_block(3, 2, bytes + 1, MPI_CHAR, &t)); // 1000,-7,90
    is(t, 6, -7, 1009, -7, 1009, "hindexed_block");
    gone(&t);
    // A struct is rounded up to the alignment of its most strictly aligned part.
    {
        int ones[3] = {1, 1, 1};
        MPI_Aint at[3] = {0, 8, 16};
        MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR};
        OK(MPI_Type_create_struct(3, ones, at, types, &t));
        is(t, 10, 0, 24, 0, 17, "struct");
        OK(MPI_Type_contiguous(3, t, &outer));
        is(outer, 30, 0, 72, 0, 65, "contiguous of struct");
        gone(&outer);
        OK(MPI_Type_vector(2, 1, 3, t, &outer));
        is(outer, 20, 0, 96, 0, 89, "vector of struct");
        gone(&outer);
        gone(&t);
        int none[3] = {0, 0, 0};
        OK(MPI_Type_create_struct(3, none, at, types, &t));
        is(t, 0, 0, 0, 0, 0, "struct of nothing");
        gone(&t);
        OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &t));
        is(t, 0, 0, 0, 0, 0, "empty struct");
        gone(&t);
    }
    OK(MPI_Type_create_resized(MPI_INT, -4, 32, &t));
    is(t, 4, -4, 32, 0, 4, "resized");
    OK(MPI_Type_contiguous(3, t, &outer)); // -4 .. 92, data 0 .. 68
    is(outer, 12, -4, 96, 0, 68, "contiguous of resized");
    gone(&outer);
    OK(MPI_Type_vector(2, 2, 3, t, &outer)); // starts 0,32,96,128
    is(outer, 16, -4, 160, 0, 132, "vector of resized");
    gone(&outer);
    {
        int ones[2] = {1, 1};
        MPI_Aint at[2] = {10, 200};
        MPI_Datatype types[2] = {MPI_CHAR, t};
        OK(MPI_Type_create_struct(2, ones, at, types, &outer)); // bounds of the part that set them: 196 .. 228
        CHECK(outer != MPI_DATATYPE_NULL);
        MPI_Aint lb, ext;
        OK(MPI_Type_get_true_extent(outer, &lb, &ext));
        CHECK_INT(lb, 10);
        CHECK_INT(ext, 194);
        gone(&outer);
    }
    gone(&t);
    OK(MPI_Type_create_resized(MPI_DOUBLE, 0, 0, &t)); // extent 0
    is(t, 8, 0, 0, 0, 8, "resized to nothing");
    gone(&t);
    {
        int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 2}, starts[3] = {1, 2, 3};
        OK(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t));
        // first element 1*30+2*6+3 = 45, last 2*30+4*6+4 = 88
        is(t, 48, 0, 480, 180, 176, "subarray, C order");
        gone(&t);
        OK(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &t));
        // first 1+2*4+3*20 = 69, last 2+4*4+4*20 = 98
        is(t, 48, 0, 480, 276, 120, "subarray, Fortran order");
        gone(&t);
    }
    OK(MPI_Type_vector(2, 1, 2, MPI_SHORT, &inner)); // 0,4: extent 6
    OK(MPI_Type_create_hvector(2, 1, 20, inner, &t));
    is(t, 8, 0, 26, 0, 26, "hvector of vector");
    OK(MPI_Type_dup(t, &outer));
    gone(&inner); // parts may go: the built type stays
    gone(&t);
    is(outer, 8, 0, 26, 0, 26, "dup");
    gone(&outer);

    // Large counts: sizes that no int holds.
    OK(MPI_Type_contiguous_c((MPI_Count)1 << 33, MPI_INT, &t));
    int small;
    MPI_Count large, lb_c;
    OK(MPI_Type_size_c(t, &large));
    CHECK_INT(large, (MPI_Count)1 << 35);
    OK(MPI_Type_size(t, &small));
    CHECK_INT(small, MPI_UNDEFINED);
    OK(MPI_Type_get_extent_c(t, &lb_c, &large));
    CHECK_INT(large, (MPI_Count)1 << 35);
    gone(&t);
    MPI_Count lengths_c[2] = {3, 4}, places_c[2] = {0, (MPI_Count)1 << 40};
    OK(MPI_Type_create_hindexed_c(2, lengths_c, places_c, MPI_INT, &t));
    OK(MPI_Type_get_true_extent_c(t, &lb_c, &large));
    CHECK_INT(large, ((MPI_Count)1 << 40) + 16);
    gone(&t);
    OK(MPI_Type_vector_c(3, 2, 5, MPI_INT, &t));
    is(t, 24, 0, 48, 0, 48, "vector_c");
    gone(&t);
    OK(MPI_Type_create_hvector_c(3, 2, 17, MPI_INT, &t));
    is(t, 24, 0, 42, 0, 42, "hvector_c");
    gone(&t);
    MPI_Count few[2] = {1, 5};
    OK(MPI_Type_indexed_c(2, lengths_c, few, MPI_INT, &t)); // 1..4, 5..9
    is(t, 28, 4, 32, 4, 32, "indexed_c");
    gone(&t);
    OK(MPI_Type_create_indexed_block_c(2, 2, few, MPI_INT, &t));
    is(t, 16, 4, 24, 4, 24, "indexed_block_c");
    gone(&t);
    OK(MPI_Type_create_hindexed_block_c(2, 2, few, MPI_CHAR, &t));
    is(t, 4, 1, 6, 1, 6, "hindexed_block_c");
    gone(&t);
    MPI_Datatype types[2] = {MPI_SHORT, MPI_CHAR};
    OK(MPI_Type_create_struct_c(2, lengths_c, few, types, &t));
    CHECK(t != MPI_DATATYPE_NULL);
    gone(&t);
    OK(MPI_Type_create_resized_c(MPI_INT, -4, 32, &t));
    is(t, 4, -4, 32, 0, 4, "resized_c");
    gone(&t);
    MPI_Count sizes_c[2] = {4, 6}, subsizes_c[2] = {2, 2}, starts_c[2] = {1, 3};
    OK(MPI_Type_create_subarray_c(2, sizes_c, subsizes_c, starts_c, MPI_ORDER_C, MPI_INT, &t));
    is(t, 16, 0, 96, 36, 32, "subarray_c");
    gone(&t);
    return finish("type_constructor");
}
