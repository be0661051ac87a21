// ranks: 1 2 3
// timeout: 60
// link: -lpthread
// Four threads of each rank exchange at once, each with its partner thread of every other rank: over communicators of
// their own, over one communicator told apart by tag, with blocking, nonblocking and probing calls, small and large.
#include "check.h"
#include <pthread.h>

#define THREADS 4
#define TURNS 120

static MPI_Comm comms[THREADS];
static int way;

static int bytes_of(int thread, int turn) {
    static const int sizes[] = {4, 40, 400, 4000, 40000, 8, 120000, 64};
    return sizes[(thread * 3 + turn) % 8];
}

static void *exchange(void *argument) {
    int me = (int)(intptr_t)argument, right = (world_rank + 1) % world_size;
    int left = (world_rank + world_size - 1) % world_size, tag = way ? me : 7;
    MPI_Comm comm = way ? MPI_COMM_WORLD : comms[me];
    unsigned char *out = space(120000), *in = space(120000);
    for (int turn = 0; turn < TURNS; turn++) {
        int bytes = bytes_of(me, turn), count = -1;
        MPI_Request requests[2];
        MPI_Status status;
        fill(out, (size_t)bytes, (uint64_t)(world_rank * 1000 + me * 100000 + turn));
        memset(in, 0, (size_t)bytes);
        switch (turn % 4) {
        case 0:
            OK(MPI_Irecv(in, bytes, MPI_BYTE, left, tag, comm, &requests[0]));
            OK(MPI_Isend(out, bytes, MPI_BYTE, right, tag, comm, &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            break;
        case 1:
            OK(MPI_Sendrecv(out, bytes, MPI_BYTE, right, tag, in, bytes, MPI_BYTE, left, tag, comm, MPI_STATUS_IGNORE));
            break;
        case 2: {
            MPI_Message message;
            OK(MPI_Isend(out, bytes, MPI_BYTE, right, tag, comm, &requests[0]));
            OK(MPI_Mprobe(left, tag, comm, &message, &status));
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_INT(count, bytes);
            OK(MPI_Mrecv(in, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE));
            OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
            break;
        }
        case 3: {
            int done = 0;
            OK(MPI_Irecv(in, bytes, MPI_BYTE, left, tag, comm, &requests[0]));
            OK(MPI_Issend(out, bytes, MPI_BYTE, right, tag, comm, &requests[1]));
            while (!done) OK(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
            break;
        }
        }
        CHECK_FILLED(in, bytes, left * 1000 + me * 100000 + turn);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv) {
    int provided = 0;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    begin_initialized();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    for (int i = 0; i < THREADS; i++) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (way = 0; way < 2 && provided == MPI_THREAD_MULTIPLE; way++) {
        pthread_t threads[THREADS];
        for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange, (void *)i);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) OK(MPI_Comm_free(&comms[i]));
    return finish("thread_exchange");
}
