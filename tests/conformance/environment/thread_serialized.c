// ranks: 1 2
// timeout: 20
// MPI_THREAD_SERIALIZED is provided when it is asked for (more is allowed).
#include "check.h"

int main(int argc, char **argv) {
    int provided = -1, level = -1, sum = 0, one = 1;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided));
    begin_initialized();
    CHECK(provided >= MPI_THREAD_SERIALIZED && provided <= MPI_THREAD_MULTIPLE);
    OK(MPI_Query_thread(&level));
    CHECK_INT(level, provided);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, world_size);
    return finish("thread_serialized");
}
