/* Ranks whose calls about frequency are answered by a supervisor, as a kernel with utilisation
 * clamps would.
 *
 *     clamped SOCKET
 *
 * Each rank installs a filter that gives sched_setattr, sched_getattr and the mark below to a
 * listener, which it sends over the socket. Rank 0 is early, the last rank is late. A mark is a
 * call of sched_rr_get_interval, which nobody else makes: its arguments are the mark and a value.
 *
 *     PHASE  by the last rank: what comes next, which is the answer
 *     BEGIN  by rank 0, before it synchronises
 *     CALLS  by the last rank, before it does; the answer comes when the supervisor lets it call
 *     LEFT   by rank 0, after it has; the value is how long it took, in nanoseconds
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pamir.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PHASE = 1, BEGIN, CALLS, LEFT };
/* Phases: the last rank comes late; at once; when it is let; when it is let, and wrongly. */
enum { END, LATE, SHORT, EARLY, WRONG };

static void fail(const char *what)
{
    perror(what);
    exit(3);
}

static long mark(long kind, long value)
{
    return syscall(SYS_sched_rr_get_interval, kind, value);
}

static int listener(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setattr, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getattr, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_rr_get_interval, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail("clamped: no_new_privs");
    int descriptor = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    if (descriptor < 0)
        fail("clamped: no listener");
    return descriptor;
}

/* Sends the listener to the supervisor, and keeps none. */
static void be_supervised(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        fail("clamped: connect");
    int descriptor = listener();
    char byte = 0, control[CMSG_SPACE(sizeof descriptor)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (sendmsg(connection, &message, 0) != 1)
        fail("clamped: sendmsg");
    close(connection);
    close(descriptor);
}

static long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* An allreduce to which ranks bring different counts: an error at one of them at least. */
static void disagree(int late)
{
    double own[6] = {0}, sum[6];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    long begun = now_ns();
    mark(late ? CALLS : BEGIN, 0);
    int outcome = MPI_Allreduce(own, sum, late ? 6 : 1, MPI_DOUBLE, MPI_SUM, comm);
    if (late)
        return;
    mark(LEFT, now_ns() - begun);
    if (outcome == MPI_SUCCESS) {
        fprintf(stderr, "different counts were no error\n");
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

static void cycle(long phase, int late)
{
    struct timespec pause = {0, 20000000};
    if (phase == WRONG) {
        disagree(late);
        return;
    }
    if (late && phase == LATE)
        nanosleep(&pause, NULL);
    long begun = now_ns();
    mark(late ? CALLS : BEGIN, 0);
    pamir_balance_sync(MPI_COMM_WORLD);
    if (!late)
        mark(LEFT, now_ns() - begun);
}

int main(int argc, char **argv)
{
    int rank;
    if (argc != 2)
        return 2;
    be_supervised(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        long phase = rank == 1 ? mark(PHASE, 0) : 0;
        MPI_Bcast(&phase, 1, MPI_LONG, 1, MPI_COMM_WORLD);
        if (phase == END)
            break;
        cycle(phase, rank == 1);
    }
    if (rank == 0)
        printf("ended\n");
    MPI_Finalize();
    return 0;
}
