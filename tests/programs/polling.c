/* Which system calls a rank makes while it polls in vain.
 *
 *     polling
 *
 * Rank 0 polls with each call that must not wait, while nobody sends to it; the others stay in a
 * receive until it has ended. A filter catches each system call of rank 0 meanwhile, and lets none
 * through. Rank 0 prints, for each kind of polling, whether it made no system call, only
 * sched_yield, or others.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { POLLS = 20000, KINDS = 9 };

static const char *const names[KINDS] = {"Test",    "Testall",  "Testany",
                                         "Testsome", "Iprobe",   "Improbe",
                                         "Request_get_status",  "Request_get_status_all", "work"};
static volatile int yields, others, watches;

static void caught(int number, siginfo_t *about, void *context)
{
    (void)number;
    if (watches && about->si_syscall == SYS_sched_yield)
        yields++;
    else if (watches)
        others++;
#if defined __x86_64__
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 0;
#else
    (void)context;
#endif
}

/* Catches whatever polling could do with the kernel; writing, ending and signals pass. */
static int watch(void)
{
    const unsigned caught_calls[] = {SYS_sched_yield, SYS_futex,  SYS_nanosleep, SYS_clock_nanosleep,
                                     SYS_membarrier,  SYS_getrusage};
    enum { CALLS = sizeof caught_calls / sizeof *caught_calls };
    struct sock_filter rules[2 * CALLS + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned rule = 1;
    for (unsigned i = 0; i < CALLS; i++) {
        rules[rule++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, caught_calls[i], 0, 1);
        rules[rule++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    rules[rule++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {(unsigned short)rule, rules};
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
    return sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void poll_once(int kind, MPI_Request *requests)
{
    int flag, index, indices[2];
    MPI_Message message;
    switch (kind) {
    case 0: MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE); break;
    case 1: MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE); break;
    case 2: MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE); break;
    case 3: MPI_Testsome(2, requests, &index, indices, MPI_STATUSES_IGNORE); break;
    case 4: MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); break;
    case 5: MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE); break;
    case 6: MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE); break;
    case 7: MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE); break;
    default: /* A program that computes between its polls. */
        for (volatile int step = 0; step < 40000; step++)
            ;
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, size, got[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Request requests[2];
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 2 + i, MPI_COMM_WORLD, &requests[i]);
        /* The message that says that the others have begun. */
        for (int other = 1; other < size; other++)
            MPI_Recv(NULL, 0, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (watch() != 0) {
            perror("polling: no filter");
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
        char text[KINDS][64];
        for (int kind = 0; kind < KINDS; kind++) {
            yields = others = 0;
            watches = 1;
            for (int poll = 0; poll < (kind < KINDS - 1 ? POLLS : 200); poll++)
                poll_once(kind, requests);
            watches = 0;
            snprintf(text[kind], sizeof text[kind], "%s %s\n", names[kind],
                     others ? "others" : yields ? "yields" : "none");
        }
        for (int kind = 0; kind < KINDS; kind++)
            fputs(text[kind], stdout);
        fflush(stdout);
        for (int i = 0; i < 2; i++) {
            MPI_Cancel(&requests[i]);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
        for (int other = 1; other < size; other++)
            MPI_Send(NULL, 0, MPI_INT, other, 5, MPI_COMM_WORLD);
    } else {
        MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* The filter stays: rank 0 waits here without sleeping. */
    return MPI_Finalize();
}
