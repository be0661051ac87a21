/* Messages for an instruction counter: valgrind --tool=callgrind counts inside two functions.
 *
 *     instructions SHARED_FILE BYTES MESSAGES
 *
 * Rank 0 sends in counted_send, rank 1 receives in counted_receive; everything else happens with
 * counting switched off (--toggle-collect). They take turns by a word in a mapped file, not by
 * messages, so that a counted receive always finds a message that has arrived and a counted send
 * never waits for room:
 *
 *     rank 0: send 8 ........ turn = 1 ...................... send 8 ...
 *     rank 1: .............. (sees 1) receive 8 .. turn = 2 ............
 *
 * The first MESSAGES are sent through the same calls in functions that are not counted: what a
 * library does only once is over then. Each rank prints "role NAME PID" so that the runner finds
 * its callgrind file; the instructions of the counted function itself (the loop around the calls)
 * are subtracted there.
 */
#include "measure.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BATCH = 8, LARGEST_BYTES = 65536 };

static char buffer[LARGEST_BYTES];

static inline __attribute__((always_inline)) void send_batch(int bytes, int tag)
{
    for (int i = 0; i < BATCH; i++)
        MPI_Send(buffer, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
}

static inline __attribute__((always_inline)) void receive_batch(int bytes, int tag)
{
    for (int i = 0; i < BATCH; i++)
        MPI_Recv(buffer, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

enum { WARMING_TAG = 3, COUNTED_TAG };

/* Not static and not inlined: callgrind finds them by name. The tags differ so that the compiler
 * does not fold the warming functions, which would be equal, into the counted ones. */
__attribute__((noinline, noclone)) void counted_send(int bytes);
__attribute__((noinline, noclone)) void counted_receive(int bytes);
__attribute__((noinline, noclone)) void counted_send(int bytes) { send_batch(bytes, COUNTED_TAG); }
__attribute__((noinline, noclone)) void counted_receive(int bytes) { receive_batch(bytes, COUNTED_TAG); }
static __attribute__((noinline, noclone)) void warming_send(int bytes) { send_batch(bytes, WARMING_TAG); }
static __attribute__((noinline, noclone)) void warming_receive(int bytes) { receive_batch(bytes, WARMING_TAG); }

static void await(_Atomic unsigned *turn, unsigned value)
{
    while (atomic_load(turn) < value)
        usleep(200);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4 || ranks != 2 || atoi(argv[2]) > LARGEST_BYTES) {
        fprintf(stderr, "usage: mpiexec -n 2 instructions SHARED_FILE BYTES MESSAGES\n");
        MPI_Finalize();
        return 2;
    }
    int bytes = atoi(argv[2]);
    unsigned batches = (unsigned)atoi(argv[3]) / BATCH;
    int file = open(argv[1], O_RDWR);
    _Atomic unsigned *turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || turn == MAP_FAILED) {
        perror("instructions: the shared file");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("role %s %d\n", rank == 0 ? "send" : "receive", (int)getpid());
    fflush(stdout);
    for (unsigned b = 0; b < 2 * batches; b++) {
        if (rank == 0) {
            await(turn, 2 * b);
            b < batches ? warming_send(bytes) : counted_send(bytes);
            atomic_store(turn, 2 * b + 1);
        } else {
            await(turn, 2 * b + 1);
            b < batches ? warming_receive(bytes) : counted_receive(bytes);
            atomic_store(turn, 2 * b + 2);
        }
    }
    MPI_Finalize();
    return 0;
}
