// ranks: 1 2 3
// timeout: 60
// MPI_Cancel of a send: waiting for it is local, and its buffer may be changed afterwards, whether its target has seen the
// message, has matched it, is copying it or does something else. A message that counts as cancelled is gone; any other one
// is received, once, with the bytes that it had.
// differs: MPICH 5.0.2 and Open MPI 5.0.11 wait for the target
#include "check.h"

enum { LARGEST = 1 << 21, KINDS = 4, MOST_UNDER_WAY = 6 };

static uint64_t state;

static int below(int limit) { return (int)(next_random(&state) % (uint64_t)limit); }

// The lengths that matter: of a line, a packet, an eager message, and of what both ends copy.
static int some_bytes(void) {
    static const int lengths[] = {0, 8, 1000, 15000, 40000, 65536, 70000, 200000, 700000, LARGEST};
    int bytes = lengths[below(10)];
    return bytes > 8 && below(2) ? bytes - below(bytes / 2) : bytes;
}

// A message of so many bytes with a byte's room behind each; the caller frees it.
static MPI_Datatype spread(int bytes) {
    MPI_Datatype type;
    OK(MPI_Type_create_hvector(bytes, 1, 2, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    return type;
}

struct sent {
    unsigned char *buffer;
    MPI_Request request;
    int bytes, kind, cancelled;
};

static void put(struct sent *one, int to, int tag, uint64_t seed) {
    one->bytes = some_bytes();
    one->kind = below(KINDS);
    int scattered = one->kind == 3;
    one->buffer = space(2 * (size_t)one->bytes);
    for (int i = 0; i < one->bytes; i++) one->buffer[scattered ? 2 * i : i] = pattern(seed, (uint64_t)i);
    MPI_Datatype type = scattered ? spread(one->bytes) : MPI_BYTE;
    int count = scattered ? 1 : one->bytes;
    if (one->kind == 0) OK(MPI_Isend(one->buffer, count, type, to, tag, MPI_COMM_WORLD, &one->request));
    else if (one->kind == 2) {
        OK(MPI_Ssend_init(one->buffer, count, type, to, tag, MPI_COMM_WORLD, &one->request));
        OK(MPI_Start(&one->request));
    } else OK(MPI_Issend(one->buffer, count, type, to, tag, MPI_COMM_WORLD, &one->request));
    if (scattered) OK(MPI_Type_free(&type));
}

// Cancels, waits, and spoils the buffer.
static void take_back(struct sent *one) {
    MPI_Status status;
    OK(MPI_Cancel(&one->request));
    OK(MPI_Wait(&one->request, &status));
    OK(MPI_Test_cancelled(&status, &one->cancelled));
    memset(one->buffer, 0xA5, 2 * (size_t)one->bytes);
    if (below(2)) {
        free(one->buffer);
        one->buffer = NULL;
    }
    if (one->kind == 2) OK(MPI_Request_free(&one->request));
}

static void check_came(const unsigned char *in, int bytes, uint64_t seed, int tag, int apart) {
    for (int i = 0; i < bytes; i++)
        if (in[apart * i] != pattern(seed, (uint64_t)i)) {
            CHECK_THAT(0, "message %d of %d bytes, byte %d", tag, bytes, i);
            return;
        }
}

// Receives a message and looks at its bytes.
static void get(int from, int tag, int bytes, uint64_t seed) {
    int scattered = below(2);
    MPI_Datatype type = scattered ? spread(bytes) : MPI_BYTE;
    unsigned char *in = space(2 * (size_t)bytes);
    memset(in, 0, 2 * (size_t)bytes);
    MPI_Status status;
    OK(MPI_Recv(in, scattered ? 1 : bytes, type, from, tag, MPI_COMM_WORLD, &status));
    check_came(in, bytes, seed, tag, scattered ? 2 : 1);
    if (scattered) OK(MPI_Type_free(&type));
    free(in);
}

// What a rank tells of its messages: how many, and a number for each.
struct list {
    int count, number[MOST_UNDER_WAY];
};

static struct list exchange(struct list own, int to, int from) {
    struct list theirs;
    OK(MPI_Sendrecv(&own, MOST_UNDER_WAY + 1, MPI_INT, to, 99, &theirs, MOST_UNDER_WAY + 1, MPI_INT, from, 99,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return theirs;
}

// Ends a receive that was posted before its message was taken back, or was not.
static void end_early(MPI_Request *receive, const unsigned char *in, int bytes, uint64_t seed, int tag, int gone) {
    MPI_Status status;
    int cancelled;
    if (gone) OK(MPI_Cancel(receive));
    OK(MPI_Wait(receive, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_INT(cancelled, gone);
    if (!cancelled) check_came(in, bytes, seed, tag, 1);
}

// Each rank sends some messages to its neighbour and takes some of them back. Its own neighbour has posted the first
// receives before that, and begins to receive the others at some moment.
static void round_of(int number) {
    int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
    struct sent sent[MOST_UNDER_WAY];
    struct list own = {1 + below(MOST_UNDER_WAY), {0}};
    uint64_t seed = (uint64_t)number * 1000;
    for (int i = 0; i < own.count; i++) {
        put(&sent[i], to, i, seed + (uint64_t)(100 * world_rank + i));
        own.number[i] = sent[i].bytes;
    }
    struct list lengths = exchange(own, to, from);
    int posted = below(2) ? below(lengths.count + 1) : 0;
    unsigned char *early[MOST_UNDER_WAY];
    MPI_Request receives[MOST_UNDER_WAY];
    for (int i = 0; i < posted; i++) {
        early[i] = space((size_t)lengths.number[i]);
        OK(MPI_Irecv(early[i], lengths.number[i], MPI_BYTE, from, i, MPI_COMM_WORLD, &receives[i]));
    }
    if (below(3) == 0) pause_microseconds((unsigned)below(300));
    for (int i = below(4); i > 0; i--) {
        int flag;
        OK(MPI_Iprobe(from, 98, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < own.count; i++) {
        own.number[i] = 0;
        if (below(4) == 0) continue;
        take_back(&sent[i]);
        own.number[i] = sent[i].cancelled;
        sent[i].kind = -1;
    }
    // Receives do not wait for what the lists say, where they are posted.
    struct list gone = exchange(own, to, from);
    for (int i = 0; i < lengths.count; i++) {
        uint64_t theirs = seed + (uint64_t)(100 * from + i);
        if (i < posted) {
            end_early(&receives[i], early[i], lengths.number[i], theirs, i, gone.number[i]);
            free(early[i]);
        } else if (!gone.number[i]) get(from, i, lengths.number[i], theirs);
    }
    for (int i = 0; i < own.count; i++) {
        if (sent[i].kind >= 0) OK(MPI_Wait(&sent[i].request, MPI_STATUS_IGNORE));
        if (sent[i].kind == 2) OK(MPI_Request_free(&sent[i].request));
        free(sent[i].buffer);
    }
    int left_over;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &left_over, MPI_STATUS_IGNORE));
    CHECK(!left_over);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

// The target calls nothing of MPI until the sends are over for their caller.
static void while_the_target_is_away(void) {
    static const int lengths[] = {0, 100, 40000, 200000, LARGEST};
    char path[64];
    if (world_rank == 0) snprintf(path, sizeof path, "/tmp/cancel_send.%d", (int)getpid());
    OK(MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD));
    int cancelled[5] = {0};
    if (world_rank == 0) {
        for (int i = 0; i < 5; i++) {
            struct sent one = {.bytes = lengths[i], .kind = 1, .buffer = space(2 * LARGEST)};
            fill(one.buffer, (size_t)lengths[i], (uint64_t)i);
            OK(MPI_Issend(one.buffer, lengths[i], MPI_BYTE, world_size - 1, i, MPI_COMM_WORLD, &one.request));
            take_back(&one);
            cancelled[i] = one.cancelled;
            free(one.buffer);
        }
        FILE *told = fopen(path, "w");
        CHECK(told != NULL);
        if (told) fclose(told);
    }
    if (world_rank == world_size - 1) {
        while (access(path, F_OK) != 0) pause_microseconds(1000);
        unlink(path);
    }
    OK(MPI_Bcast(cancelled, 5, MPI_INT, 0, MPI_COMM_WORLD));
    if (world_rank != world_size - 1) return;
    for (int i = 0; i < 5; i++) {
        CHECK_INT(cancelled[i], world_size == 1); // To itself it is taken back, as nobody can have matched it.
        if (!cancelled[i]) get(0, i, lengths[i], (uint64_t)i);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    const char *given = getenv("PAMIR_TEST_SEED");
    unsigned long long seed = given ? strtoull(given, NULL, 10) : (unsigned long long)getpid();
    OK(MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD));
    state = (uint64_t)(seed + (unsigned long long)world_rank + 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    while_the_target_is_away();
    for (int number = 0; number < 60; number++) round_of(number);
    if (failures) fprintf(stderr, "rank %d: PAMIR_TEST_SEED=%llu does it again\n", world_rank, seed);
    return finish("cancel_send");
}
