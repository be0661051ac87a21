// A fork handler that is older than any of a preloaded library's uses memory: before the fork, after it in the parent, and in the
// child. What it allocates, grows and frees, and what was there before, stays what it was in both processes. The argument says
// where it does so: before, parent or child. Prints "right".
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 300000

static const char *place = "";
static char *freed, *grown, *made;

static void use(const char *here)
{
    if (strcmp(place, here) != 0)
        return;
    made = malloc(BYTES);
    memset(made, 3, BYTES);
    free(freed);
    freed = NULL;
    grown = realloc(grown, 2 * BYTES);
    memset(grown + BYTES, 2, BYTES);
    for (int round = 0; round < 100; round++)
        free(calloc(1, BYTES));
}

static void before(void) { use("before"); }
static void parent(void) { use("parent"); }
static void child(void) { use("child"); }

static int is(const char *block, size_t bytes, char value)
{
    for (size_t at = 0; at < bytes; at++)
        if (block[at] != value)
            return 0;
    return 1;
}

// Before the initialisers of all libraries.
static void watch(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv, (void)environment;
    pthread_atfork(before, parent, child);
}
__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) = watch;

static int look(const char *own)
{
    int used = strcmp(place, "before") == 0 || strcmp(place, own) == 0;
    if (used != (made != NULL) || used != (freed == NULL))
        return 0;
    if (!is(grown, BYTES, 1) || (used && !(is(grown + BYTES, BYTES, 2) && is(made, BYTES, 3))))
        return 0;
    if (freed && !is(freed, BYTES, 4))
        return 0;
    char *more = malloc(BYTES);
    memset(more, 5, BYTES);
    free(more);
    return is(grown, BYTES, 1) && (!freed || is(freed, BYTES, 4));
}

int main(int argc, char **argv)
{
    alarm(60);
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        place = argv[1];
        freed = malloc(BYTES);
        grown = malloc(BYTES);
        made = NULL;
        memset(freed, 4, BYTES);
        memset(grown, 1, BYTES);
        pid_t process = fork();
        if (process == 0)
            _exit(look("child") ? 0 : 1);
        int status = -1;
        waitpid(process, &status, 0);
        if (!look("parent") || status != 0) {
            fprintf(stderr, "wrong in round %d: child %d\n", round, status);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
        place = "";
        free(freed);
        free(grown);
        free(made);
    }
    printf("right\n");
    MPI_Finalize();
    return 0;
}
