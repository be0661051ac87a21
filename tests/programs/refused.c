/* Runs a program to which the kernel refuses a system call, as containers do.
 *
 *     refused io_uring_setup|userfaultfd PROGRAM [ARGUMENT...]
 *
 * A filter, which the program inherits, answers that call with EPERM and lets all others pass.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned call = 0;
    if (argc > 2 && strcmp(argv[1], "io_uring_setup") == 0)
        call = SYS_io_uring_setup;
    else if (argc > 2 && strcmp(argv[1], "userfaultfd") == 0)
        call = SYS_userfaultfd;
    else
        return 2;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("refused: no filter");
        return 3;
    }
    execvp(argv[2], argv + 2);
    perror("refused: exec");
    return 4;
}
