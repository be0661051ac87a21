// ranks: 1 2 3 5
// timeout: 30
// MPI_Win_fence: it completes what was started before it at both ends, separates accesses from loads and stores, with
// every assertion that is true; epochs without accesses, many of them, several windows between each other; and a fence
// waits for all when accesses were made.
#include "check.h"

static int right, left;

// Numbers go round, a step in each epoch.
static void ring(void) {
    enum { EPOCHS = 200 };
    long *base, value = world_rank;
    MPI_Win win;
    OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int e = 0; e < EPOCHS; e++) { // two places, so that nobody writes what another one reads
        OK(MPI_Put(&value, 1, MPI_LONG, right, e % 2, 1, MPI_LONG, win));
        OK(MPI_Win_fence(e == EPOCHS - 1 ? MPI_MODE_NOSUCCEED : 0, win));
        value = base[e % 2];
        CHECK_INT(value, (world_rank + world_size * EPOCHS - e - 1) % world_size);
    }
    OK(MPI_Win_free(&win));
}

// Each assertion where it is true.
static void assertions(void) {
    int *base, out = 10 + world_rank, in = -1;
    MPI_Win win;
    OK(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int round = 0; round < 10; round++) {
        base[0] = base[1] = -1 - round;
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
        OK(MPI_Put(&out, 1, MPI_INT, right, 0, 1, MPI_INT, win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win)); // the next epoch only reads
        CHECK_INT(base[0], 10 + left);
        OK(MPI_Get(&in, 1, MPI_INT, right, 0, 1, MPI_INT, win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win));
        CHECK_INT(in, out);
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win)); // nothing before, nothing behind
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, win));
        OK(MPI_Get(&in, 1, MPI_INT, left, 0, 1, MPI_INT, win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE, win));
        CHECK_INT(in, 10 + (left + world_size - 1) % world_size);
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    }
    OK(MPI_Win_free(&win));
}

// Stores before a fence are seen by gets behind it, and the other way round.
static void stores(void) {
    enum { EPOCHS = 50, NUMBERS = 500 };
    int *base, *in = space(NUMBERS * sizeof(int));
    MPI_Win win;
    OK(MPI_Win_allocate(NUMBERS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int e = 0; e < EPOCHS; e++) {
        for (int i = 0; i < NUMBERS; i++) base[i] = e * 1000 + world_rank * 7 + i;
        OK(MPI_Win_fence(0, win));
        OK(MPI_Get(in, NUMBERS, MPI_INT, right, 0, NUMBERS, MPI_INT, win));
        OK(MPI_Win_fence(0, win));
        for (int i = 0; i < NUMBERS; i++) CHECK_INT(in[i], e * 1000 + right * 7 + i);
    }
    OK(MPI_Win_free(&win));
    free(in);
}

// Only some ranks access, in turns, all to one; the origin's buffer may change after the fence.
static void uneven(void) {
    long *base, value;
    MPI_Win win;
    OK(MPI_Win_allocate(8 * (MPI_Aint)world_size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int r = 0; r < world_size; r++) base[r] = -1;
    OK(MPI_Win_fence(0, win));
    for (int turn = 0; turn < 3 * world_size; turn++) {
        value = turn;
        if (turn % world_size == world_rank) OK(MPI_Put(&value, 1, MPI_LONG, turn % 2 % world_size, world_rank, 1, MPI_LONG, win));
        OK(MPI_Win_fence(0, win));
        value = -77;
        if (world_rank == turn % 2 % world_size) CHECK_INT(base[turn % world_size], turn);
        OK(MPI_Win_fence(0, win));
    }
    for (int i = 0; i < 300; i++) OK(MPI_Win_fence(0, win)); // nothing between them
    // All put many pieces to all.
    enum { PIECES = 50 };
    MPI_Win many;
    int *pieces;
    OK(MPI_Win_allocate(sizeof(int) * PIECES * (MPI_Aint)world_size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &pieces, &many));
    int numbers[PIECES];
    OK(MPI_Win_fence(0, many));
    for (int i = 0; i < PIECES; i++) {
        numbers[i] = world_rank * PIECES + i;
        for (int r = 0; r < world_size; r++)
            OK(MPI_Put(&numbers[i], 1, MPI_INT, r, world_rank * PIECES + i, 1, MPI_INT, many));
    }
    OK(MPI_Win_fence(0, many));
    for (int i = 0; i < PIECES * world_size; i++) CHECK_INT(pieces[i], i);
    OK(MPI_Win_free(&many));
    OK(MPI_Win_free(&win));
}

// Epochs of two windows lie across each other, and messages are under way meanwhile.
static void crossed(void) {
    int *a, *b, one = 100 + world_rank, two = 200 + world_rank, token = -1;
    MPI_Win first, second;
    MPI_Request requests[2];
    OK(MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &a, &first));
    OK(MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &b, &second));
    for (int i = 0; i < 20; i++) {
        OK(MPI_Irecv(&token, 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Win_fence(0, first));
        OK(MPI_Put(&one, 1, MPI_INT, right, 0, 1, MPI_INT, first));
        OK(MPI_Win_fence(0, second));
        OK(MPI_Put(&two, 1, MPI_INT, left, 0, 1, MPI_INT, second));
        OK(MPI_Isend(&one, 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Win_fence(0, first));
        CHECK_INT(*a, 100 + left);
        OK(MPI_Win_fence(0, second));
        CHECK_INT(*b, 200 + right);
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_INT(token, 100 + left);
        *a = *b = 0;
    }
    OK(MPI_Win_free(&first));
    OK(MPI_Win_free(&second));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    ring();
    assertions();
    stores();
    uneven();
    crossed();
    return finish("fence");
}
