// ranks: 2
// timeout: 20
// MPI_Get_count and MPI_Get_elements of types with several parts: whole and partial elements, types of size 0.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Datatype pair, mixed, nothing;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    int lengths[3] = {1, 2, 3};
    MPI_Aint places[3] = {0, 8, 24};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}; // 6 elements, 23 bytes
    OK(MPI_Type_create_struct(3, lengths, places, types, &mixed));
    OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Type_commit(&mixed));
    OK(MPI_Type_commit(&nothing));
    char buffer[2000] = {0};
    if (world_rank == 0) {
        for (int ints = 0; ints < 8; ints++) OK(MPI_Send(buffer, ints, MPI_INT, 1, ints, MPI_COMM_WORLD));
        for (int whole = 0; whole < 4; whole++) OK(MPI_Send(buffer, whole, mixed, 1, 20 + whole, MPI_COMM_WORLD));
        // One and a part: int, double, double, char x 3, int, double
        MPI_Datatype partial[2] = {mixed, MPI_INT}, longer;
        int ones[2] = {1, 1};
        MPI_Aint at[2] = {0, 100};
        OK(MPI_Type_create_struct(2, ones, at, partial, &longer));
        OK(MPI_Type_commit(&longer));
        OK(MPI_Send(buffer, 1, longer, 1, 30, MPI_COMM_WORLD));
        OK(MPI_Send(buffer, 5, nothing, 1, 31, MPI_COMM_WORLD));
        OK(MPI_Type_free(&longer));
    } else {
        MPI_Status status;
        int count, elements;
        MPI_Count elements_x, count_c;
        for (int ints = 0; ints < 8; ints++) {
            OK(MPI_Recv(buffer, 10, pair, 0, ints, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, pair, &count));
            CHECK_INT(count, ints % 2 ? MPI_UNDEFINED : ints / 2);
            OK(MPI_Get_elements(&status, pair, &elements));
            CHECK_INT(elements, ints);
            OK(MPI_Get_elements_x(&status, pair, &elements_x));
            CHECK_INT(elements_x, ints);
            OK(MPI_Get_elements_c(&status, pair, &elements_x));
            CHECK_INT(elements_x, ints);
            OK(MPI_Get_count_c(&status, pair, &count_c));
            CHECK_INT(count_c, ints % 2 ? MPI_UNDEFINED : ints / 2);
        }
        for (int whole = 0; whole < 4; whole++) {
            OK(MPI_Recv(buffer, 10, mixed, 0, 20 + whole, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, mixed, &count));
            CHECK_INT(count, whole);
            OK(MPI_Get_elements(&status, mixed, &elements));
            CHECK_INT(elements, 6 * whole);
        }
        OK(MPI_Recv(buffer, 10, mixed, 0, 30, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, mixed, &count));
        CHECK_INT(count, MPI_UNDEFINED);
        OK(MPI_Get_elements(&status, mixed, &elements));
        CHECK_INT(elements, 7);
        OK(MPI_Recv(buffer, 5, nothing, 0, 31, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, nothing, &count));
        CHECK_INT(count, 0);
        OK(MPI_Get_elements(&status, nothing, &elements));
        CHECK_INT(elements, 0);
    }
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&mixed));
    OK(MPI_Type_free(&nothing));
    return finish("element_count");
}
