// ranks: 1 2 3
// timeout: 60
// link: -lpthread
// Three threads of each rank run collectives on communicators of their own at once, make and free communicators, types
// and requests, while one thread waits in a blocking receive for a message that another thread of its rank sends last.
#include "check.h"
#include <pthread.h>

#define THREADS 3
#define TURNS 100

static MPI_Comm comms[THREADS];

static void *collect(void *argument) {
    int me = (int)(intptr_t)argument;
    for (int turn = 0; turn < TURNS; turn++) {
        int mine = world_rank + me * 10 + turn, sum = -1, first = -1, all[8];
        OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[me]));
        CHECK_INT(sum, world_size * (me * 10 + turn) + world_size * (world_size - 1) / 2);
        first = mine;
        OK(MPI_Bcast(&first, 1, MPI_INT, turn % world_size, comms[me]));
        CHECK_INT(first, turn % world_size + me * 10 + turn);
        MPI_Request request;
        OK(MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comms[me], &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int r = 0; r < world_size; r++) CHECK_INT(all[r], r + me * 10 + turn);
        if (turn % 10 == 0) {
            MPI_Comm copy;
            OK(MPI_Comm_dup(comms[me], &copy));
            OK(MPI_Barrier(copy));
            OK(MPI_Comm_free(&copy));
        }
        MPI_Datatype type;
        OK(MPI_Type_vector(3, 1, 2 + turn % 5, MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        OK(MPI_Type_free(&type));
    }
    return NULL;
}

static void *wait_for_last(void *unused) {
    (void)unused;
    int value = 0;
    OK(MPI_Recv(&value, 1, MPI_INT, world_rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(value, 4711);
    return NULL;
}

int main(int argc, char **argv) {
    int provided = 0, last = 4711;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    begin_initialized();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int i = 0; i < THREADS; i++) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
        pthread_t threads[THREADS], waiting;
        pthread_create(&waiting, NULL, wait_for_last, NULL);
        for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, collect, (void *)i);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        OK(MPI_Send(&last, 1, MPI_INT, world_rank, 99, MPI_COMM_WORLD));
        pthread_join(waiting, NULL);
        for (int i = 0; i < THREADS; i++) OK(MPI_Comm_free(&comms[i]));
    }
    return finish("thread_collective");
}
