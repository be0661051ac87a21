// ranks: 1
// timeout: 20
// only: pamir
// The functions that MPI-3.0 removed are in the library, for binaries that call them by their names; mpi.h shows them
// to programs that ask for it.
#define PAMIR_REMOVED_FUNCTIONS
#include "check.h"

static int calls;

static void handler(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    calls++;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    struct {
        int first;
        double second[2];
    } data = {1, {2, 3}};
    MPI_Aint base, places[2], extent, lower, upper;
    int lengths[2] = {1, 2}, size;
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type;
    OK(MPI_Address(&data, &base));
    OK(MPI_Address(&data.second, &places[1]));
    places[0] = 0;
    places[1] -= base;
    CHECK(base == (MPI_Aint)&data && places[1] == 8);

    OK(MPI_Type_struct(2, lengths, places, types, &type));
    OK(MPI_Type_size(type, &size));
    CHECK_INT(size, 20);
    OK(MPI_Type_extent(type, &extent));
    CHECK_INT(extent, 24);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_hindexed(2, lengths, places, MPI_INT, &type));
    OK(MPI_Type_size(type, &size));
    CHECK_INT(size, 12);
    OK(PMPI_Type_ub(type, &upper));
    CHECK_INT(upper, 16);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_hvector(2, 1, -8, MPI_INT, &type));
    OK(MPI_Type_lb(type, &lower));
    OK(MPI_Type_ub(type, &upper));
    CHECK_INT(lower, -8);
    CHECK_INT(upper, 4);
    OK(MPI_Type_free(&type));
    FAILS(MPI_Type_extent(MPI_DATATYPE_NULL, &extent), MPI_ERR_TYPE);
    FAILS(MPI_Type_lb(MPI_INT, NULL), MPI_ERR_ARG);

    MPI_Errhandler mine, got;
    OK(MPI_Errhandler_create(handler, &mine));
    OK(MPI_Errhandler_set(MPI_COMM_WORLD, mine));
    OK(MPI_Errhandler_get(MPI_COMM_WORLD, &got));
    CHECK(got == mine);
    MPI_Send(&size, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    CHECK_INT(calls, 1);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&mine));
    return finish("removed_function");
}
