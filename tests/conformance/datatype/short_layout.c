// ranks: 2
// timeout: 30
// One element of a type with gaps, sent and received by blocking calls, at every length from a few bytes to more than a
// packet: rows of blocks, rows of rows, few blocks, many unequal blocks. What arrives is compared byte by byte, and so is
// what lies between; a message may be shorter than the receive (elements are counted) or longer (an error, and nothing
// is written behind the room); the same in another communicator, with wildcards, with MPI_Isend, and for counts above
// one. Types that are not committed, or freed, are refused.
#include "check.h"

#define LARGEST (1 << 17)

static unsigned char memory[LARGEST], expected[LARGEST], packed[LARGEST];
static int places[LARGEST], used; // of each byte, in data order

static void bytes_at(long from, long bytes) {
    for (long i = 0; i < bytes; i++) places[used++] = (int)(from + i);
}

static void fill_with(unsigned char *to, int seed) {
    for (int i = 0; i < LARGEST; i++) to[i] = (unsigned char)(i * 7 + (i >> 8) + seed);
}

// Receives `come` bytes of one element, and compares all memory.
static void receive(MPI_Datatype type, int source, int tag, MPI_Comm comm, int come, const char *what) {
    MPI_Status status;
    int elements, count;
    memset(memory, 0x5a, sizeof memory);
    memset(expected, 0x5a, sizeof expected);
    for (int i = 0; i < come; i++) expected[places[i]] = (unsigned char)(places[i] * 7 + (places[i] >> 8) + 1);
    OK(MPI_Recv(memory, 1, type, source, tag, comm, &status));
    CHECK_THAT(memcmp(memory, expected, sizeof memory) == 0, "%s: %d of %d bytes", what, come, used);
    CHECK_INT(status.MPI_SOURCE, 0);
    CHECK_INT(status.MPI_TAG, 5);
    OK(MPI_Get_elements(&status, type, &elements));
    CHECK_INT(elements, come);
    OK(MPI_Get_count(&status, type, &count));
    CHECK_INT(count, come == used ? 1 : come == 0 ? 0 : MPI_UNDEFINED);
}

static void transfer(MPI_Datatype type, const char *what) {
    MPI_Comm other;
    MPI_Request request;
    OK(MPI_Type_commit(&type));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    int less = used / 2 + 1;
    if (world_rank == 0) {
        fill_with(memory, 1);
        for (int i = 0; i < used; i++) packed[i] = memory[places[i]];
        for (int i = 0; i < 20; i++) OK(MPI_Send(memory, 1, type, 1, 5, MPI_COMM_WORLD));
        OK(MPI_Isend(memory, 1, type, 1, 5, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Send(memory, 1, type, 1, 5, other));
        OK(MPI_Send(memory, 1, type, 1, 5, MPI_COMM_WORLD));
        OK(MPI_Send(packed, used, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
        OK(MPI_Send(packed, less, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
        OK(MPI_Send(packed, 0, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
        OK(MPI_Send(packed, used + 1, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
        OK(MPI_Send(memory, 1, type, 1, 5, MPI_COMM_WORLD));
    } else {
        for (int i = 0; i < 21; i++) receive(type, 0, 5, MPI_COMM_WORLD, used, what);
        receive(type, 0, 5, other, used, what);
        receive(type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, used, what);
        receive(type, 0, 5, MPI_COMM_WORLD, used, what);
        receive(type, 0, 5, MPI_COMM_WORLD, less, what);
        receive(type, 0, 5, MPI_COMM_WORLD, 0, what);
        // Too long: the room is filled, and nothing else.
        memset(memory, 0x5a, sizeof memory);
        FAILS(MPI_Recv(memory, 1, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < used; i++) expected[places[i]] = 1;
        for (int i = 0; i < LARGEST; i++)
            CHECK_THAT(expected[i] || memory[i] == 0x5a, "%s: byte %d is none of its", what, i);
        // Contiguous from gaps.
        memset(packed, 0, sizeof packed);
        OK(MPI_Recv(packed, used, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        fill_with(memory, 1);
        for (int i = 0; i < used; i++) CHECK_THAT(packed[i] == memory[places[i]], "%s: packed byte %d", what, i);
    }
    OK(MPI_Comm_free(&other));
    OK(MPI_Type_free(&type));
    used = 0;
}

static void rows(int outer, int inner, int block, int gap) {
    MPI_Datatype row, type;
    int width = inner * (block + gap) + 3;
    OK(MPI_Type_vector(inner, block, block + gap, MPI_BYTE, &row));
    OK(MPI_Type_create_hvector(outer, 1, width, row, &type));
    OK(MPI_Type_free(&row));
    for (int i = 0; i < outer; i++)
        for (int j = 0; j < inner; j++) bytes_at((long)i * width + (long)j * (block + gap), block);
    char what[96];
    snprintf(what, sizeof what, "%d rows of %d blocks of %d", outer, inner, block);
    transfer(type, what);
}

static void listed(int blocks, int most) {
    MPI_Datatype type;
    int *lengths = space(sizeof *lengths * (size_t)blocks), *starts = space(sizeof *starts * (size_t)blocks);
    int at = 1;
    for (int i = 0; i < blocks; i++) {
        lengths[i] = 1 + i * 13 % most;
        starts[i] = at;
        bytes_at(at, lengths[i]);
        at += lengths[i] + 1 + i % 5;
    }
    OK(MPI_Type_indexed(blocks, lengths, starts, MPI_BYTE, &type));
    free(lengths);
    free(starts);
    char what[96];
    snprintf(what, sizeof what, "%d blocks of at most %d", blocks, most);
    transfer(type, what);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    static const int lengths[] = {1, 2, 3, 4, 8, 12, 16, 17, 24, 32, 33, 64, 100, 512};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        rows(1, 2, lengths[i], lengths[i]);
        rows(1, 16, lengths[i], lengths[i]);
        rows(3, 5, lengths[i], 9);
    }
    rows(1, 1024, 8, 8);
    rows(1, 1025, 8, 8);
    rows(1, 300, 8, 300);
    rows(40, 25, 16, 16);
    rows(2, 3, 5000, 100);
    listed(3, 17);
    listed(16, 300);
    listed(17, 60);
    listed(500, 60);
    listed(3, 5000);

    MPI_Datatype type;
    OK(MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &type));
    FAILS(MPI_Send(memory, 1, type, 1 - world_rank, 5, MPI_COMM_WORLD), MPI_ERR_TYPE);
    FAILS(MPI_Recv(memory, 1, type, 1 - world_rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&type));
    FAILS(MPI_Send(memory, 1, type, 2, 5, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Send(memory, 1, type, 1 - world_rank, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    FAILS(MPI_Send(memory, -1, type, 1 - world_rank, 5, MPI_COMM_WORLD), MPI_ERR_COUNT);
    OK(MPI_Send(memory, 1, type, MPI_PROC_NULL, 5, MPI_COMM_WORLD));
    return finish("short_layout");
}
