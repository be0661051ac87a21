// ranks: 2
// timeout: 20
// A type freed while a request uses it, or while another type is built on it, lives on until they are done; twenty
// thousand types come and go; absolute addresses with MPI_BOTTOM.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    enum { N = 50000 };
    int other = 1 - world_rank;
    int *out = space(sizeof *out * 2 * N), *in = space(sizeof *in * 2 * N);
    MPI_Datatype t, outer;
    MPI_Request requests[2];
    for (int i = 0; i < 2 * N; i++) out[i] = i + world_rank, in[i] = -1;
    OK(MPI_Type_vector(N, 1, 2, MPI_INT, &t));
    OK(MPI_Type_commit(&t));
    OK(MPI_Irecv(in, 1, t, other, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, 1, t, other, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Type_free(&t));
    for (int i = 0; i < 100; i++) { // what could take its place
        OK(MPI_Type_vector(3, 2, 5 + i, MPI_CHAR, &t));
        OK(MPI_Type_commit(&t));
        OK(MPI_Type_free(&t));
    }
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    int wrong = 0;
    for (int i = 0; i < 2 * N; i++) wrong += in[i] != (i % 2 ? -1 : i + other);
    CHECK_INT(wrong, 0);
    for (int i = 0; i < 20000; i++) {
        OK(MPI_Type_contiguous(1 + i % 50, MPI_INT, &t));
        OK(MPI_Type_vector(2, 1, 3, t, &outer));
        OK(MPI_Type_free(&t));
        OK(MPI_Type_commit(&outer));
        OK(MPI_Type_free(&outer));
    }
    // Absolute addresses: three variables in one message.
    int a = world_rank, b[2] = {10 + world_rank, 20 + world_rank}, got_a = -1, got_b[2] = {-1, -1};
    double c = 0.5 + world_rank, got_c = -1;
    MPI_Aint places[3];
    int lengths[3] = {1, 2, 1};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_DOUBLE}, from, to;
    OK(MPI_Get_address(&a, &places[0]));
    OK(MPI_Get_address(b, &places[1]));
    OK(MPI_Get_address(&c, &places[2]));
    OK(MPI_Type_create_struct(3, lengths, places, types, &from));
    OK(MPI_Type_commit(&from));
    OK(MPI_Get_address(&got_a, &places[0]));
    OK(MPI_Get_address(got_b, &places[1]));
    OK(MPI_Get_address(&got_c, &places[2]));
    OK(MPI_Type_create_struct(3, lengths, places, types, &to));
    OK(MPI_Type_commit(&to));
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, from, other, 2, MPI_BOTTOM, 1, to, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(got_a, other);
    CHECK(got_b[0] == 10 + other && got_b[1] == 20 + other);
    CHECK(got_c == 0.5 + other);
    OK(MPI_Bcast(MPI_BOTTOM, 1, from, 0, MPI_COMM_WORLD));
    CHECK(a == 0 && b[1] == 20 && c == 0.5);
    OK(MPI_Type_free(&from));
    OK(MPI_Type_free(&to));
    free(out);
    free(in);
    return finish("type_lifetime");
}
