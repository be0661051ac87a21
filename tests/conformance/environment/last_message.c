// ranks: 2 3
// timeout: 20
// Messages sent just before MPI_Finalize arrive: the receiver is slow, the sender has finalised by then.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    settle("last_message"); // the verdict so far; what follows shows in the exit code
    int result = 0;
    if (world_rank == 0) {
        pause_microseconds(100000);
        for (int r = 1; r < world_size; r++)
            for (int i = 0; i < 100; i++) {
                int value = -1;
                if (MPI_Recv(&value, 1, MPI_INT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) || value != i) result = 1;
            }
    } else {
        for (int i = 0; i < 100; i++)
            if (MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD)) result = 1;
    }
    if (MPI_Finalize()) result = 1;
    return result;
}
