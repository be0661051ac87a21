// ranks: 0 1 2 3
// timeout: 20
// MPI_Init to MPI_Finalize: what may be called before and after, arguments left alone, the versions, argc and argv null.
#include "check.h"

int main(int argc, char **argv) {
    int flag = -1, version = 0, subversion = -1, length = -1, abi_major = -1, abi_minor = -1;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    char *first = argv[0];
    OK(MPI_Initialized(&flag));
    CHECK_INT(flag, 0);
    OK(MPI_Finalized(&flag));
    CHECK_INT(flag, 0);
    OK(MPI_Get_version(&version, &subversion));
    CHECK_INT(version, MPI_VERSION);
    CHECK_INT(subversion, MPI_SUBVERSION);
    OK(MPI_Get_library_version(text, &length));
    CHECK(length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING);
    CHECK_INT(strlen(text), length);
    OK(MPI_Abi_get_version(&abi_major, &abi_minor));
    CHECK_INT(abi_major, MPI_ABI_VERSION);
    CHECK_INT(abi_minor, MPI_ABI_SUBVERSION);
    int class_number = -1;
    OK(MPI_Error_class(MPI_ERR_RANK, &class_number));
    CHECK_INT(class_number, MPI_ERR_RANK);

    if (argc % 2) OK(MPI_Init(NULL, NULL));
    else OK(MPI_Init(&argc, &argv));
    begin_initialized();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(argv[0] == first);
    CHECK(world_rank >= 0 && world_rank < world_size);
    OK(MPI_Initialized(&flag));
    CHECK_INT(flag, 1);
    OK(MPI_Finalized(&flag));
    CHECK_INT(flag, 0);
    int rank = -1, size = -1;
    OK(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    OK(MPI_Comm_size(MPI_COMM_SELF, &size));
    CHECK(rank == 0 && size == 1);
    int main_thread = 0, level = -1;
    OK(MPI_Is_thread_main(&main_thread));
    CHECK(main_thread);
    OK(MPI_Query_thread(&level));
    CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
    OK(MPI_Pcontrol(1));
    MPI_Comm parent;
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    int major = 0;
    OK(MPI_Get_version(&major, &subversion));
    CHECK_INT(major, version);
    // Every rank sees the others once.
    int mask = 1 << world_rank, all = 0;
    OK(MPI_Allreduce(&mask, &all, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD));
    CHECK_INT(all, (1 << world_size) - 1);
    settle("life_cycle");
    if (MPI_Finalize() != MPI_SUCCESS) return 1;
    if (MPI_Initialized(&flag) || !flag) return 2; // stays true
    if (MPI_Finalized(&flag) || !flag) return 3;
    if (MPI_Get_version(&version, &subversion)) return 4;
    if (MPI_Get_library_version(text, &length)) return 5;
    return 0;
}
