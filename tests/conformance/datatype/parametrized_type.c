// ranks: 1
// timeout: 20
// The Fortran 90 parametrized types: sizes fit the precision asked for, the envelope gives it back, the same request
// gives the same handle, which is committed and cannot be freed; impossible ones fail.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Datatype t, again;
    int size, ni, na, nd, combiner, parameters[2];
    OK(MPI_Type_create_f90_real(6, 30, &t));
    OK(MPI_Type_size(t, &size));
    CHECK_INT(size, 4);
    OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
    CHECK_INT(combiner, MPI_COMBINER_F90_REAL);
    CHECK(ni == 2 && na == 0 && nd == 0);
    OK(MPI_Type_get_contents(t, 2, 0, 0, parameters, NULL, NULL));
    CHECK(parameters[0] == 6 && parameters[1] == 30);
    OK(MPI_Type_create_f90_real(6, 30, &again));
    CHECK(t == again);
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &t));
    OK(MPI_Type_size(t, &size));
    CHECK_INT(size, 8);
    OK(MPI_Type_create_f90_complex(15, 300, &t));
    OK(MPI_Type_size(t, &size));
    CHECK_INT(size, 16);
    OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
    CHECK_INT(combiner, MPI_COMBINER_F90_COMPLEX);
    static const int ranges[] = {2, 4, 9, 18}, sizes[] = {1, 2, 4, 8};
    for (int i = 0; i < 4; i++) {
        OK(MPI_Type_create_f90_integer(ranges[i], &t));
        OK(MPI_Type_size(t, &size));
        CHECK_INT(size, sizes[i]);
        OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
        CHECK_INT(combiner, MPI_COMBINER_F90_INTEGER);
        OK(MPI_Type_get_contents(t, 1, 0, 0, parameters, NULL, NULL));
        CHECK_INT(parameters[0], ranges[i]);
    }
    long data = 77, back = 0;
    MPI_Request request;
    OK(MPI_Irecv(&back, 1, t, 0, 1, MPI_COMM_SELF, &request));
    OK(MPI_Send(&data, 1, t, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(back, 77);
    FAILS_EITHER(MPI_Type_create_f90_real(10000, 10000, &t), MPI_ERR_ARG, MPI_ERR_OTHER);
    FAILS_EITHER(MPI_Type_create_f90_integer(1000, &t), MPI_ERR_ARG, MPI_ERR_OTHER);
    return finish("parametrized_type");
}
