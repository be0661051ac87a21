// A child that rank 1 makes by fork calls MPI, as the first argument says, while its parent goes on exchanging numbers with
// rank 0. The child's exit code is printed.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void finalize(void)
{
    MPI_Finalize();
}

static int quiet(void)
{
    int initialized = 0, finalized = 0, version, subversion;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Get_version(&version, &subversion);
    return initialized && finalized && MPI_Finalize() == MPI_SUCCESS ? 0 : 9;
}

static void child(const char *what)
{
    int x = 77, got = 0;
    alarm(20);
    if (!strcmp(what, "send")) MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else if (!strcmp(what, "receive")) MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (!strcmp(what, "allreduce")) MPI_Allreduce(&x, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(what, "init")) MPI_Init(NULL, NULL);
    else if (!strcmp(what, "returns")) {
        int returned = MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD), error_class = MPI_SUCCESS;
        MPI_Error_class(returned, &error_class);
        _exit(error_class == MPI_ERR_OTHER && MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_NULL) == returned ? 0 : 9);
    } else if (!strcmp(what, "exit")) {
        atexit(finalize);
        exit(3);
    } else if (!strcmp(what, "abort")) MPI_Abort(MPI_COMM_WORLD, 42);
    else _exit(quiet());
    _exit(8); // It came back, and should not have.
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && !strcmp(argv[1], "returns")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < 3; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        pid_t forked = rank == 1 ? fork() : 1;
        if (forked == 0) child(argc > 1 ? argv[1] : "");
        for (int number = 0; number < 500; number++) {
            int got = -1;
            MPI_Sendrecv(&number, 1, MPI_INT, !rank, 1, &got, 1, MPI_INT, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong += got != number;
        }
        int status = 0;
        if (rank == 1) {
            waitpid(forked, &status, 0);
            printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
            fflush(stdout);
        }
    }
    printf("wrong %d\n", wrong);
    MPI_Finalize();
    return 0;
}
