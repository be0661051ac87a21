// ranks: 1 2 3 5
// timeout: 40
// A thousand communicators made and freed one after the other, three hundred alive at once, each with messages of its
// own that do not mix, freed in another order than made.
#include "check.h"

#define ALIVE 300

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    for (int i = 0; i < 1000; i++) {
        MPI_Comm comm;
        if (i % 3 == 0) OK(MPI_Comm_split(MPI_COMM_WORLD, 0, world_rank, &comm));
        else if (i % 3 == 1) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        else OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
        if (i % 50 == 0) OK(MPI_Barrier(comm));
        OK(MPI_Comm_free(&comm));
    }
    static MPI_Comm comms[ALIVE];
    static MPI_Request requests[2 * ALIVE];
    static int in[ALIVE], out[ALIVE];
    for (int i = 0; i < ALIVE; i++) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < ALIVE; i++) { // received in the reverse order of sending, all with one tag
        int r = ALIVE - 1 - i;
        out[i] = world_rank * 1000 + i;
        OK(MPI_Isend(&out[i], 1, MPI_INT, right, 1, comms[i], &requests[ALIVE + i]));
        if (i % 2) OK(MPI_Irecv(&in[r], 1, MPI_INT, left, 1, comms[r], &requests[r]));
        else OK(MPI_Irecv(&in[r], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[r], &requests[r]));
    }
    OK(MPI_Waitall(2 * ALIVE, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < ALIVE; i++) CHECK_INT(in[i], left * 1000 + i);
    for (int i = 0; i < ALIVE; i++) OK(MPI_Comm_free(&comms[(i * 7) % ALIVE]));
    int sum = 0, one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, world_size);
    return finish("many_communicators");
}
