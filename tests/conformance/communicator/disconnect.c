// ranks: 1 2 3
// timeout: 20
// MPI_Comm_disconnect waits for what is under way, and for no handle: it ends with inactive persistent requests of every
// kind, with requests that are complete and not waited for, and with a message that a matched probe has claimed. The
// handles work afterwards. What is under way is complete when it returns.
// differs: MPICH 5.0.2 waits for the handles of complete requests, and frees inactive collective ones
#include "check.h"

enum { BYTES = 300000 };

static MPI_Comm duplicate(void) {
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    return comm;
}

static void disconnect(MPI_Comm *comm) {
    OK(MPI_Comm_disconnect(comm));
    CHECK(*comm == MPI_COMM_NULL);
}

// Until both are complete, and without ending them.
static void see_complete(MPI_Request *requests, int count) {
    int all = 0;
    while (!all) OK(MPI_Request_get_status_all(count, requests, &all, MPI_STATUSES_IGNORE));
}

static void start_and_wait(MPI_Request *requests, int count) {
    OK(MPI_Startall(count, requests));
    OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    int one = world_rank + 1, sum = 0, in[3] = {-1, -1, -1}, each[3] = {7, 7, 7}, all = world_size * (world_size + 1) / 2;
    MPI_Request requests[2];
    MPI_Comm comm;

    // Persistent requests: never started, then started and complete.
    for (int started = 0; started < 2; started++) {
        comm = duplicate();
        OK(MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]));
        OK(MPI_Alltoall_init(each, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &requests[1]));
        if (started) start_and_wait(requests, 2);
        disconnect(&comm);
        start_and_wait(requests, 2); // they keep what they need
        CHECK_INT(sum, all);
        for (int i = 0; i < 2; i++) OK(MPI_Request_free(&requests[i]));

        comm = duplicate();
        OK(MPI_Send_init(&one, 1, MPI_INT, right, 1, comm, &requests[0]));
        OK(MPI_Recv_init(in, 1, MPI_INT, left, 1, comm, &requests[1]));
        if (started) start_and_wait(requests, 2);
        disconnect(&comm);
        for (int i = 0; i < 2; i++) OK(MPI_Request_free(&requests[i]));

        MPI_Comm ring;
        int periodic = 1;
        OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &periodic, 0, &ring));
        OK(MPI_Neighbor_allgather_init(&one, 1, MPI_INT, in, 1, MPI_INT, ring, MPI_INFO_NULL, &requests[0]));
        if (started) start_and_wait(requests, 1);
        disconnect(&ring);
        OK(MPI_Request_free(&requests[0]));
    }

    // Complete, and their handles still there.
    comm = duplicate();
    OK(MPI_Irecv(in, 1, MPI_INT, left, 1, comm, &requests[0]));
    OK(MPI_Issend(&one, 1, MPI_INT, right, 1, comm, &requests[1]));
    see_complete(requests, 2);
    disconnect(&comm);
    MPI_Status statuses[2];
    OK(MPI_Waitall(2, requests, statuses));
    CHECK_INT(in[0], left + 1);
    CHECK_INT(statuses[0].MPI_SOURCE, left);

    comm = duplicate();
    OK(MPI_Isendrecv(&one, 1, MPI_INT, right, 2, in, 1, MPI_INT, left, 2, comm, &requests[0]));
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
    see_complete(requests, 2);
    disconnect(&comm);
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(in[0], left + 1);

    // A persistent one that is active, complete, and not waited for.
    comm = duplicate();
    OK(MPI_Send_init(&one, 1, MPI_INT, right, 1, comm, &requests[0]));
    OK(MPI_Recv_init(in, 1, MPI_INT, left, 1, comm, &requests[1]));
    OK(MPI_Startall(2, requests));
    see_complete(requests, 2);
    disconnect(&comm);
    for (int i = 0; i < 2; i++) {
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&requests[i]));
    }

    // A claimed message.
    comm = duplicate();
    MPI_Message message;
    OK(MPI_Isend(&one, 1, MPI_INT, right, 3, comm, &requests[0]));
    OK(MPI_Mprobe(left, 3, comm, &message, MPI_STATUS_IGNORE));
    disconnect(&comm);
    in[0] = -1;
    OK(MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], left + 1);
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));

    // What is under way is waited for.
    unsigned char *out = space(BYTES), *came = space(BYTES);
    fill(out, BYTES, (uint64_t)world_rank);
    comm = duplicate();
    OK(MPI_Irecv(came, BYTES, MPI_BYTE, left, 4, comm, &requests[0]));
    OK(MPI_Isend(out, BYTES, MPI_BYTE, right, 4, comm, &requests[1]));
    disconnect(&comm);
    CHECK_FILLED(came, BYTES, left);
    int flag = 0;
    OK(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK(flag);
    free(out);
    free(came);
    return finish("disconnect");
}
