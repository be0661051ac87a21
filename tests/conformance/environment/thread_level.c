// ranks: 1 2
// timeout: 20
// MPI_Init_thread provides at least what was asked for, up to MPI_THREAD_MULTIPLE; MPI_Query_thread agrees; only the
// thread that initialised is the main one.
// link: -lpthread
#include "check.h"
#include <pthread.h>

static int other_is_main = -1;
static void *other(void *unused) {
    (void)unused;
    MPI_Is_thread_main(&other_is_main);
    return NULL;
}

int main(int argc, char **argv) {
    int provided = -1, level = -1, flag = -1;
    CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
          MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    begin_initialized();
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    OK(MPI_Query_thread(&level));
    CHECK_INT(level, provided);
    OK(MPI_Is_thread_main(&flag));
    CHECK_INT(flag, 1);
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, other, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_INT(other_is_main, 0);
    return finish("thread_level");
}
