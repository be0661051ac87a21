// ranks: 1 2
// timeout: 20
// MPI_Pack and MPI_Unpack: several items into one buffer, types with gaps, sizes bounded by MPI_Pack_size, sent as
// MPI_PACKED and received as typed data and the reverse; external32 is big-endian with fixed sizes; _c forms.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    char buffer[2000];
    int position = 0, bound, before;
    int numbers[5] = {1, -2, 3, -4, 5}, got[5] = {0};
    double real = 2.5, real_back = 0;
    char letters[7] = "pamir!", letters_back[7] = "";
    MPI_Datatype odd;
    int column[12], column_back[12];
    OK(MPI_Type_vector(4, 1, 3, MPI_INT, &odd));
    OK(MPI_Type_commit(&odd));
    for (int i = 0; i < 12; i++) column[i] = i, column_back[i] = -1;

    OK(MPI_Pack(numbers, 5, MPI_INT, buffer, sizeof buffer, &position, comm));
    OK(MPI_Pack_size(5, MPI_INT, comm, &bound));
    CHECK(position > 0 && position <= bound);
    before = position;
    OK(MPI_Pack(&real, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, comm));
    OK(MPI_Pack(letters, 7, MPI_CHAR, buffer, sizeof buffer, &position, comm));
    OK(MPI_Pack(column, 1, odd, buffer, sizeof buffer, &position, comm));
    OK(MPI_Pack_size(1, odd, comm, &bound));
    CHECK(bound >= 16);
    CHECK(position > before);
    int total = position;
    position = 0;
    OK(MPI_Unpack(buffer, total, &position, got, 5, MPI_INT, comm));
    CHECK_INT(position, before);
    OK(MPI_Unpack(buffer, total, &position, &real_back, 1, MPI_DOUBLE, comm));
    OK(MPI_Unpack(buffer, total, &position, letters_back, 7, MPI_CHAR, comm));
    OK(MPI_Unpack(buffer, total, &position, column_back, 1, odd, comm));
    CHECK_INT(position, total);
    CHECK(memcmp(numbers, got, sizeof got) == 0);
    CHECK(real_back == real);
    CHECK_STR(letters_back, letters);
    for (int i = 0; i < 12; i++) CHECK_INT(column_back[i], i % 3 == 0 && i <= 9 ? i : -1);

    // Nothing packs to nothing.
    position = 0;
    OK(MPI_Pack(numbers, 0, MPI_INT, buffer, sizeof buffer, &position, comm));
    CHECK_INT(position, 0);

    // Packed here, received as what it was; typed here, received packed and unpacked there.
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    MPI_Request request;
    position = 0;
    OK(MPI_Pack(numbers, 5, MPI_INT, buffer, sizeof buffer, &position, comm));
    memset(got, 0, sizeof got);
    OK(MPI_Irecv(got, 5, MPI_INT, left, 1, comm, &request));
    OK(MPI_Send(buffer, position, MPI_PACKED, right, 1, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(memcmp(numbers, got, sizeof got) == 0);
    memset(got, 0, sizeof got);
    OK(MPI_Irecv(buffer, sizeof buffer, MPI_PACKED, left, 2, comm, &request));
    OK(MPI_Send(numbers, 5, MPI_INT, right, 2, comm));
    MPI_Status status;
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, MPI_PACKED, &bound));
    position = 0;
    OK(MPI_Unpack(buffer, bound, &position, got, 5, MPI_INT, comm));
    CHECK(memcmp(numbers, got, sizeof got) == 0);

    // external32
    {
        unsigned char external[200];
        MPI_Aint at = 0, size = -1;
        short small[2] = {1, -2};
        OK(MPI_Pack_external("external32", numbers, 2, MPI_INT, external, sizeof external, &at));
        CHECK_INT(at, 8);
        static const unsigned char expected[8] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe};
        CHECK(memcmp(external, expected, 8) == 0);
        OK(MPI_Pack_external("external32", small, 2, MPI_SHORT, external, sizeof external, &at));
        CHECK_INT(at, 12);
        CHECK(external[8] == 0 && external[9] == 1 && external[10] == 0xff && external[11] == 0xfe);
        double one = 1.0, one_back = 0;
        OK(MPI_Pack_external("external32", &one, 1, MPI_DOUBLE, external, sizeof external, &at));
        CHECK_INT(at, 20);
        CHECK(external[12] == 0x3f && external[13] == 0xf0 && external[14] == 0 && external[19] == 0);
        OK(MPI_Pack_external("external32", column, 1, odd, external, sizeof external, &at));
        CHECK_INT(at, 36);
        OK(MPI_Pack_external_size("external32", 1, odd, &size));
        CHECK_INT(size, 16);
        at = 0;
        memset(got, 0, sizeof got);
        OK(MPI_Unpack_external("external32", external, 36, &at, got, 2, MPI_INT));
        CHECK(got[0] == 1 && got[1] == -2);
        short small_back[2] = {0};
        OK(MPI_Unpack_external("external32", external, 36, &at, small_back, 2, MPI_SHORT));
        CHECK(small_back[0] == 1 && small_back[1] == -2);
        OK(MPI_Unpack_external("external32", external, 36, &at, &one_back, 1, MPI_DOUBLE));
        CHECK(one_back == 1.0);
        for (int i = 0; i < 12; i++) column_back[i] = -1;
        OK(MPI_Unpack_external("external32", external, 36, &at, column_back, 1, odd));
        for (int i = 0; i < 12; i++) CHECK_INT(column_back[i], i % 3 == 0 && i <= 9 ? i : -1);
        CHECK_INT(at, 36);
        MPI_Count at_c = 0, size_c = -1;
        OK(MPI_Pack_external_size_c("external32", 2, MPI_INT, &size_c));
        CHECK_INT(size_c, 8);
        OK(MPI_Pack_external_c("external32", numbers, 2, MPI_INT, external, sizeof external, &at_c));
        CHECK_INT(at_c, 8);
        at_c = 0;
        OK(MPI_Unpack_external_c("external32", external, 8, &at_c, got, 2, MPI_INT));
        CHECK(at_c == 8 && got[1] == -2);
    }
    MPI_Count at_c = 0, bound_c = -1;
    OK(MPI_Pack_size_c(5, MPI_INT, comm, &bound_c));
    OK(MPI_Pack_c(numbers, 5, MPI_INT, buffer, sizeof buffer, &at_c, comm));
    CHECK(at_c > 0 && at_c <= bound_c);
    MPI_Count total_c = at_c;
    at_c = 0;
    memset(got, 0, sizeof got);
    OK(MPI_Unpack_c(buffer, total_c, &at_c, got, 5, MPI_INT, comm));
    CHECK_INT(at_c, total_c);
    CHECK(memcmp(numbers, got, sizeof got) == 0);
    OK(MPI_Type_free(&odd));
    return finish("pack");
}
