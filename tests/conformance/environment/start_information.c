// ranks: 0 1 2
// timeout: 20
// MPI_INFO_ENV and MPI_Info_create_env: usable, the latter before MPI_Init; MPI_Abi_get_info describes the integers.
#include "check.h"

int main(int argc, char **argv) {
    MPI_Info environment, abi;
    int count = -1, flag = 0, length;
    char value[MPI_MAX_INFO_VAL], key[MPI_MAX_INFO_KEY];
    OK(MPI_Info_create_env(argc, argv, &environment));
    OK(MPI_Info_get_nkeys(environment, &count));
    CHECK(count >= 0);
    OK(MPI_Info_free(&environment));
    CHECK(environment == MPI_INFO_NULL);
    OK(MPI_Abi_get_info(&abi));
    static const struct {
        const char *key;
        size_t size;
    } sizes[] = {{"mpi_aint_size", sizeof(MPI_Aint)}, {"mpi_count_size", sizeof(MPI_Count)}, {"mpi_offset_size", sizeof(MPI_Offset)}};
    for (int i = 0; i < 3; i++) {
        length = sizeof value;
        OK(MPI_Info_get_string(abi, sizes[i].key, &length, value, &flag));
        CHECK_THAT(flag, "%s", sizes[i].key);
        if (flag) CHECK_INT(atoi(value), sizes[i].size);
    }
    OK(MPI_Info_free(&abi));
    begin(&argc, &argv);
    OK(MPI_Info_get_nkeys(MPI_INFO_ENV, &count));
    CHECK(count >= 0);
    for (int i = 0; i < count; i++) {
        OK(MPI_Info_get_nthkey(MPI_INFO_ENV, i, key));
        length = sizeof value;
        OK(MPI_Info_get_string(MPI_INFO_ENV, key, &length, value, &flag));
        CHECK_INT(flag, 1);
    }
    return finish("start_information");
}
