// ranks: 1 2 3 5
// timeout: 40
// Random traffic from a printed seed (PAMIR_SEED repeats one): every rank knows who sends what to whom, posts sends
// of random modes and sizes and receives of random kinds in random order, and verifies every byte.
#include "check.h"
#include <time.h>

#define ROUNDS 12
#define MESSAGES 60 // of a round, in all

struct message {
    int from, to, tag, bytes, mode, kind;
};

static int random_bytes(uint64_t *state) {
    switch (next_random(state) % 8) {
    case 0: return 0;
    case 1: return (int)(next_random(state) % 64);
    case 2: return (int)(next_random(state) % 300);
    case 3:
    case 4: return (int)(next_random(state) % 8192);
    case 5:
    case 6: return (int)(next_random(state) % 100000);
    default: return (int)(next_random(state) % 700000);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    unsigned long long seed = 0;
    if (world_rank == 0) {
        const char *given = getenv("PAMIR_SEED");
        seed = given ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL) * 1000003 + (unsigned)getpid();
        seed |= 1;
        printf("PAMIR_SEED=%llu\n", seed);
        for (int r = 1; r < world_size; r++) OK(MPI_Send(&seed, 1, MPI_UNSIGNED_LONG_LONG, r, 0, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    uint64_t shared = seed, own = seed * 31 + (uint64_t)world_rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct message plan[MESSAGES];
        unsigned char *buffers[2 * MESSAGES];
        MPI_Request requests[2 * MESSAGES];
        int owner[2 * MESSAGES], used = 0, order[MESSAGES];
        for (int i = 0; i < MESSAGES; i++) {
            plan[i].from = (int)(next_random(&shared) % (unsigned)world_size);
            plan[i].to = (int)(next_random(&shared) % (unsigned)world_size);
            plan[i].tag = round * MESSAGES + i; // unique: received in any order
            plan[i].bytes = random_bytes(&shared);
            plan[i].mode = (int)(next_random(&shared) % 3);
            plan[i].kind = (int)(next_random(&shared) % 3);
            order[i] = i;
        }
        for (int i = MESSAGES - 1; i > 0; i--) {
            int j = (int)(next_random(&own) % (unsigned)(i + 1)), other = order[i];
            order[i] = order[j];
            order[j] = other;
        }
        int late[MESSAGES], waiting = 0;
        for (int k = 0; k < MESSAGES; k++) {
            const struct message *m = &plan[order[k]];
            uint64_t body = (uint64_t)m->tag * 7 + seed;
            if (m->from == world_rank) {
                buffers[used] = space((size_t)m->bytes);
                fill(buffers[used], (size_t)m->bytes, body);
                owner[used] = -1;
                int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
                    m->mode == 0 ? MPI_Isend : m->mode == 1 ? MPI_Issend : MPI_Ibsend;
                OK(send(buffers[used], m->bytes, MPI_BYTE, m->to, m->tag, MPI_COMM_WORLD, &requests[used]));
                used++;
            }
            if (m->to == world_rank) {
                if (m->kind == 0) {
                    late[waiting++] = order[k];
                    continue;
                }
                buffers[used] = space((size_t)m->bytes);
                owner[used] = order[k];
                OK(MPI_Irecv(buffers[used], m->bytes, MPI_BYTE, m->kind == 1 ? MPI_ANY_SOURCE : m->from, m->tag,
                             MPI_COMM_WORLD, &requests[used]));
                used++;
            }
        }
        for (int k = 0; k < waiting; k++) { // probed for, then received
            const struct message *m = &plan[late[k]];
            MPI_Message matched;
            MPI_Status status;
            int count = -1;
            OK(MPI_Mprobe(m->from, m->tag, MPI_COMM_WORLD, &matched, &status));
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_INT(count, m->bytes);
            buffers[used] = space((size_t)m->bytes);
            owner[used] = late[k];
            OK(MPI_Imrecv(buffers[used], m->bytes, MPI_BYTE, &matched, &requests[used]));
            used++;
        }
        OK(MPI_Waitall(used, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < used; i++) {
            if (owner[i] >= 0) {
                const struct message *m = &plan[owner[i]];
                CHECK_FILLED(buffers[i], m->bytes, (uint64_t)m->tag * 7 + seed);
            }
            free(buffers[i]);
        }
    }
    void *detached;
    int size;
    OK(MPI_Buffer_detach(&detached, &size));
    return finish("random_traffic");
}
