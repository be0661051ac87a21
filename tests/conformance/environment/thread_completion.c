// ranks: 2
// timeout: 60
// link: -lpthread
// Requests started by one thread and completed by another; several threads receiving from any source on one
// communicator get every message exactly once; improbe gives a message to one thread only.
#include "check.h"
#include <pthread.h>

#define THREADS 3
#define EACH 1500

static int seen[THREADS * EACH], kind;
static MPI_Request handed[THREADS][64];
static int handed_values[THREADS][64];

static void *receive(void *unused) {
    (void)unused;
    for (int i = 0; i < EACH; i++) {
        int value = -1;
        if (kind == 0) {
            OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            MPI_Message message;
            int flag = 0;
            while (!flag) OK(MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
            OK(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
        }
        CHECK(value >= 0 && value < THREADS * EACH);
        if (value >= 0 && value < THREADS * EACH) __sync_fetch_and_add(&seen[value], 1);
    }
    return NULL;
}

static void *complete(void *argument) {
    int me = (int)(intptr_t)argument;
    OK(MPI_Waitall(64, handed[me], MPI_STATUSES_IGNORE));
    for (int i = 0; i < 64; i++) CHECK_INT(handed_values[me][i], me * 1000 + i);
    return NULL;
}

int main(int argc, char **argv) {
    int provided = 0;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    begin_initialized();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    pthread_t threads[THREADS];
    for (kind = 0; kind < 2; kind++) {
        memset(seen, 0, sizeof seen);
        if (world_rank == 0) {
            for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, receive, NULL);
            for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
            for (int i = 0; i < THREADS * EACH; i++) CHECK_INT(seen[i], 1);
        } else {
            for (int i = 0; i < THREADS * EACH; i++) OK(MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < 64; i++)
            OK(MPI_Irecv(&handed_values[t][i], 1, MPI_INT, 1 - world_rank, t * 100 + i, MPI_COMM_WORLD, &handed[t][i]));
    for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, complete, (void *)i);
    for (int i = 63; i >= 0; i--)
        for (int t = 0; t < THREADS; t++) {
            int value = t * 1000 + i;
            OK(MPI_Send(&value, 1, MPI_INT, 1 - world_rank, t * 100 + i, MPI_COMM_WORLD));
        }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return finish("thread_completion");
}
