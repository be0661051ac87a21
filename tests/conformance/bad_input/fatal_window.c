// ranks: 1 2
// timeout: 20
// differs: MPICH 5.0.2 returns the error though the handler of the window is MPI_ERRORS_ARE_FATAL
// expect: abort
// says: (?i)rank
// A wrong rank under a window's default handler ends the job, though the communicator's errors return.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int memory[1] = {0}, value = 1;
    MPI_Win win;
    OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    MPI_Put(&value, 1, MPI_INT, world_size, 0, 1, MPI_INT, win);
    return finish("fatal_window");
}
