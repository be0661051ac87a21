// ranks: 1
// timeout: 20
// MPI_Type_get_envelope and MPI_Type_get_contents give back how a type was built, for every constructor; a type
// rebuilt from them is the same; predefined parts come back as the constants themselves, derived ones as new handles.
#include "check.h"

static int ni, na, nd, combiner, ints[64];
static MPI_Aint addresses[64];
static MPI_Datatype types[64];

static void take_apart(MPI_Datatype t, int expected_ints, int expected_addresses, int expected_types, int expected_combiner) {
    memset(ints, 0xff, sizeof ints);
    OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
    CHECK_INT(ni, expected_ints);
    CHECK_INT(na, expected_addresses);
    CHECK_INT(nd, expected_types);
    CHECK_INT(combiner, expected_combiner);
    OK(MPI_Type_get_contents(t, 64, 64, 64, ints, addresses, types));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Datatype t, part;
    OK(MPI_Type_dup(MPI_INT, &t));
    take_apart(t, 0, 0, 1, MPI_COMBINER_DUP);
    CHECK(types[0] == MPI_INT);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_contiguous(7, MPI_FLOAT, &t));
    take_apart(t, 1, 0, 1, MPI_COMBINER_CONTIGUOUS);
    CHECK_INT(ints[0], 7);
    CHECK(types[0] == MPI_FLOAT);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_vector(3, 2, -5, MPI_INT, &t));
    take_apart(t, 3, 0, 1, MPI_COMBINER_VECTOR);
    CHECK(ints[0] == 3 && ints[1] == 2 && ints[2] == -5);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_hvector(3, 2, 77, MPI_INT, &t));
    take_apart(t, 2, 1, 1, MPI_COMBINER_HVECTOR);
    CHECK(ints[0] == 3 && ints[1] == 2 && addresses[0] == 77);
    OK(MPI_Type_free(&t));
    int lengths[3] = {1, 0, 4}, places[3] = {10, 5, -3};
    MPI_Aint bytes[3] = {100, -50, 33};
    OK(MPI_Type_indexed(3, lengths, places, MPI_INT, &t));
    take_apart(t, 7, 0, 1, MPI_COMBINER_INDEXED);
    CHECK(ints[0] == 3 && ints[1] == 1 && ints[2] == 0 && ints[3] == 4 && ints[4] == 10 && ints[5] == 5 && ints[6] == -3);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &t));
    take_apart(t, 4, 3, 1, MPI_COMBINER_HINDEXED);
    CHECK(ints[0] == 3 && ints[3] == 4 && addresses[0] == 100 && addresses[1] == -50 && addresses[2] == 33);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_indexed_block(3, 6, places, MPI_INT, &t));
    take_apart(t, 5, 0, 1, MPI_COMBINER_INDEXED_BLOCK);
    CHECK(ints[0] == 3 && ints[1] == 6 && ints[2] == 10 && ints[4] == -3);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_hindexed_block(3, 6, bytes, MPI_INT, &t));
    take_apart(t, 2, 3, 1, MPI_COMBINER_HINDEXED_BLOCK);
    CHECK(ints[0] == 3 && ints[1] == 6 && addresses[1] == -50);
    OK(MPI_Type_free(&t));
    MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    OK(MPI_Type_create_struct(3, lengths, bytes, parts, &t));
    take_apart(t, 4, 3, 3, MPI_COMBINER_STRUCT);
    CHECK(ints[0] == 3 && ints[1] == 1 && ints[3] == 4 && addresses[2] == 33);
    for (int i = 0; i < 3; i++) CHECK(types[i] == parts[i]);
    OK(MPI_Type_free(&t));
    OK(MPI_Type_create_resized(MPI_SHORT, -8, 24, &t));
    take_apart(t, 0, 2, 1, MPI_COMBINER_RESIZED);
    CHECK(addresses[0] == -8 && addresses[1] == 24);
    OK(MPI_Type_free(&t));
    int sizes[2] = {9, 8}, subsizes[2] = {3, 2}, starts[2] = {4, 5};
    OK(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &t));
    take_apart(t, 8, 0, 1, MPI_COMBINER_SUBARRAY);
    CHECK(ints[0] == 2 && ints[1] == 9 && ints[2] == 8 && ints[3] == 3 && ints[4] == 2 && ints[5] == 4 && ints[6] == 5);
    CHECK_INT(ints[7], MPI_ORDER_FORTRAN);
    OK(MPI_Type_free(&t));
    int gsizes[2] = {10, 12}, kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2},
        psizes[2] = {2, 3};
    OK(MPI_Type_create_darray(6, 4, 2, gsizes, kinds, dargs, psizes, MPI_ORDER_C, MPI_INT, &t));
    take_apart(t, 12, 0, 1, MPI_COMBINER_DARRAY);
    int darray[12] = {6, 4, 2, 10, 12, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 3, MPI_ORDER_C};
    for (int i = 0; i < 12; i++) CHECK_INT(ints[i], darray[i]);
    OK(MPI_Type_free(&t));

    // A derived part comes back as a handle of its own, equal in every respect, and must be freed.
    OK(MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &part));
    OK(MPI_Type_contiguous(4, part, &t));
    OK(MPI_Type_free(&part));
    take_apart(t, 1, 0, 1, MPI_COMBINER_CONTIGUOUS);
    MPI_Datatype inner = types[0];
    CHECK(inner != MPI_DOUBLE && inner != MPI_DATATYPE_NULL);
    take_apart(inner, 3, 0, 1, MPI_COMBINER_VECTOR);
    CHECK(ints[0] == 2 && ints[1] == 1 && ints[2] == 3);
    CHECK(types[0] == MPI_DOUBLE);
    OK(MPI_Type_free(&inner));
    int size;
    OK(MPI_Type_size(t, &size));
    CHECK_INT(size, 64);
    OK(MPI_Type_free(&t));

    // Made with large counts: asked for with large counts.
    MPI_Count counts[8], nc, nlarge, nints, ntypes;
    OK(MPI_Type_contiguous_c((MPI_Count)1 << 34, MPI_CHAR, &t));
    OK(MPI_Type_get_envelope_c(t, &nints, &nc, &nlarge, &ntypes, &combiner));
    CHECK_INT(nints, 0);
    CHECK_INT(nlarge, 1);
    CHECK_INT(ntypes, 1);
    CHECK_INT(combiner, MPI_COMBINER_CONTIGUOUS);
    OK(MPI_Type_get_contents_c(t, 0, 0, 8, 8, ints, addresses, counts, types));
    CHECK_INT(counts[0], (MPI_Count)1 << 34);
    CHECK(types[0] == MPI_CHAR);
    OK(MPI_Type_free(&t));
    return finish("type_contents");
}
