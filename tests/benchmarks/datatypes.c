/* Data that does not lie together: datatypes beside packing by hand.
 *
 *     datatypes LAYOUT SIZES [REPETITIONS] [MILLISECONDS]
 *
 * Two ranks send each other the same layout to and fro; half a round trip in us. LAYOUT is one
 * of
 *   vector_8    blocks of 8 bytes, 16 apart
 *   vector_512  blocks of 512 bytes, 1024 apart
 *   indexed     blocks of 4 to 60 bytes at irregular places
 *   arrays      a structure of three arrays of different length, each contiguous
 *   column      a column of doubles of a square matrix: SIZES are its widths
 *   face        a face of a three-dimensional array of doubles, across its fastest dimension
 *   nested      a vector of vectors: runs of four blocks of 16 bytes
 * or one of the applications of applications.h.
 *
 * Each size gives three metrics: LAYOUT, with the datatype at both ends; LAYOUT_by_hand,
 * where a loop made for that layout copies to a contiguous buffer, which is sent, and a loop
 * copies from it; and LAYOUT_one_end_at_a_time, where MPI_Pack packs all before any of it is
 * sent, and MPI_Unpack unpacks when all of it has come. What arrived is compared once, byte by
 * byte, before anything is measured.
 */
#include "applications.h"
#include "layouts.h"

/* How the data gets from one layout into the other. */
typedef enum { DATATYPE, BY_HAND, ONE_END, WAYS } Way;

/* A size that is slow (16 MiB of some libraries' indexed blocks take a tenth of a second) is
 * repeated less often: not again after so long, but so often at least. */
static const double LONGEST_NS = 1e9;
static const int FEWEST = 3;

static const char *const suffixes[WAYS] = {"", "_by_hand", "_one_end_at_a_time"};

static int rank;
static char *memory, *contiguous;
static int room;

static void die(const char *why)
{
    fprintf(stderr, "datatypes: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

static void make_vector(size_t bytes, size_t block)
{
    if (bytes < block)
        bytes = block;
    loops(0, 1, 0, bytes / block, 2 * block, block);
    MPI_Type_vector((int)(bytes / block), (int)(block / 8), (int)(block / 4), MPI_DOUBLE, &layout.type);
}

static void make_indexed(size_t bytes)
{
    Block *blocks = owned(sizeof(Block) * (bytes / 4 + 1));
    int *lengths = malloc(sizeof(int) * (bytes / 4 + 1)), *starts = malloc(sizeof(int) * (bytes / 4 + 1));
    uint32_t random = 12345;
    size_t at = 0, done = 0, count = 0;
    while (done < bytes) {
        random = random * 1664525 + 1013904223;
        size_t length = 4 * (1 + (random >> 16) % 15);
        if (length > bytes - done)
            length = bytes - done;
        blocks[count] = (Block){at, length};
        lengths[count] = (int)(length / 4);
        starts[count++] = (int)(at / 4);
        done += length;
        at += length + 4 * (1 + (random >> 24) % 8);
    }
    list(blocks, count);
    MPI_Type_indexed((int)count, lengths, starts, MPI_INT, &layout.type);
    free(lengths);
    free(starts);
}

static void make_arrays(size_t bytes)
{
    size_t items = bytes / 16, gap = 64;
    Block *blocks = owned(3 * sizeof(Block));
    blocks[0] = (Block){0, 8 * items};
    blocks[1] = (Block){8 * items + gap, 4 * items};
    blocks[2] = (Block){12 * items + 2 * gap, 4 * items};
    list(blocks, 3);
    int lengths[3] = {(int)items, (int)items, (int)items};
    MPI_Aint starts[3];
    for (int i = 0; i < 3; i++)
        starts[i] = (MPI_Aint)blocks[i].at;
    MPI_Datatype types[3] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT};
    MPI_Type_create_struct(3, lengths, starts, types, &layout.type);
}

static void make_column(size_t width)
{
    loops(0, 1, 0, width, 8 * width, 8);
    MPI_Type_vector((int)width, 1, (int)width, MPI_DOUBLE, &layout.type);
}

/* Of an array [n][n][16] the plane in which the last index is 5: n * n doubles. */
static void make_face(size_t bytes)
{
    int n = 1;
    while ((size_t)(2 * n) * (size_t)(2 * n) * 8 <= bytes)
        n *= 2;
    int rest = (int)(bytes / 8 / (size_t)n);
    int sizes[3] = {rest + 1, n + 1, 16}, parts[3] = {rest, n, 1}, starts[3] = {0, 0, 0};
    loops(0, (size_t)rest, (size_t)(n + 1) * 128, (size_t)n, 128, 8);
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &layout.type);
}

static void make_nested(size_t bytes)
{
    MPI_Datatype run;
    loops(0, bytes / 64, 256, 4, 32, 16);
    MPI_Type_vector(4, 2, 4, MPI_DOUBLE, &run);
    MPI_Type_create_hvector((int)(bytes / 64), 1, 256, run, &layout.type);
    MPI_Type_free(&run);
}

static void make(const char *name, size_t bytes)
{
    if (strcmp(name, "vector_8") == 0)
        make_vector(bytes, 8);
    else if (strcmp(name, "vector_512") == 0)
        make_vector(bytes, 512);
    else if (strcmp(name, "indexed") == 0)
        make_indexed(bytes);
    else if (strcmp(name, "arrays") == 0)
        make_arrays(bytes);
    else if (strcmp(name, "column") == 0)
        make_column(bytes);
    else if (strcmp(name, "face") == 0)
        make_face(bytes);
    else if (strcmp(name, "nested") == 0)
        make_nested(bytes);
    else if (!make_application(name, bytes))
        die("no such layout; see the heads of datatypes.c and applications.h");
    MPI_Type_commit(&layout.type);
}

static void send_one(Way way)
{
    if (way == DATATYPE) {
        MPI_Send(memory, 1, layout.type, 1 - rank, 7, MPI_COMM_WORLD);
        return;
    }
    int packed = 0;
    if (way == BY_HAND) {
        pack_by_hand(memory, contiguous);
        packed = (int)layout.packed;
    } else {
        MPI_Pack(memory, 1, layout.type, contiguous, room, &packed, MPI_COMM_WORLD);
    }
    MPI_Send(contiguous, packed, MPI_PACKED, 1 - rank, 7, MPI_COMM_WORLD);
}

static void receive_one(Way way)
{
    if (way == DATATYPE) {
        MPI_Recv(memory, 1, layout.type, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(contiguous, room, MPI_PACKED, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int at = 0;
    if (way == BY_HAND)
        unpack_by_hand(memory, contiguous);
    else
        MPI_Unpack(contiguous, room, &at, memory, 1, layout.type, MPI_COMM_WORLD);
}

static double half_round_trip_us(Way way, long iterations)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now_ns();
    for (long i = 0; i < iterations; i++) {
        if (rank == 0) {
            send_one(way);
            receive_one(way);
        } else {
            receive_one(way);
            send_one(way);
        }
    }
    return (now_ns() - start) / (double)iterations / 2000;
}

/* Rank 0's bytes must arrive at their places, and nothing else may change. */
static void compare(Way way)
{
    for (size_t i = 0; i < layout.span; i++)
        memory[i] = rank == 0 ? (char)(i * 7 + (i >> 8)) : 99;
    if (rank == 0) {
        send_one(way);
        return;
    }
    receive_one(way);
    pack_by_hand(memory, contiguous);
    char *arrived = malloc(layout.packed);
    memcpy(arrived, contiguous, layout.packed);
    for (size_t i = 0; i < layout.span; i++) {
        char expected = (char)(i * 7 + (i >> 8));
        if (memory[i] != expected && memory[i] != 99)
            die("wrong bytes arrived");
        memory[i] = expected;
    }
    pack_by_hand(memory, contiguous);
    if (memcmp(arrived, contiguous, layout.packed) != 0)
        die("wrong bytes arrived");
    free(arrived);
}

/* How many round trips take so long. The first ones are cold: they say how many warm ones to
 * count by. */
static long iterations_of(Way way, double want_ns)
{
    double cold_ns = half_round_trip_us(way, 2) * 2000 * 2;
    long tried = iterations_for(want_ns, 2, cold_ns, 1, 1000);
    MPI_Bcast(&tried, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    double took = half_round_trip_us(way, tried) * 2000 * (double)tried;
    long iterations = iterations_for(want_ns, tried, took, 1, 1000000);
    MPI_Bcast(&iterations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return iterations;
}

/* Whether another repetition is worth its time, for both ranks: rank 0's clock says it. */
static int goes_on(int done, double since_ns)
{
    int on = done < FEWEST || now_ns() - since_ns < LONGEST_NS;
    MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return on;
}

/* The ways take turns, so that whatever disturbs the machine disturbs all. */
static void measure(const char *name, int repetitions, double want_ns)
{
    long iterations[WAYS];
    for (Way way = DATATYPE; way < WAYS; way++)
        iterations[way] = iterations_of(way, want_ns);
    double start = now_ns();
    for (int i = 0; i < repetitions && goes_on(i, start); i++) {
        for (Way way = DATATYPE; way < WAYS; way++) {
            half_round_trip_us(way, 1);
            double us = half_round_trip_us(way, iterations[way]);
            char metric[96];
            snprintf(metric, sizeof metric, "%s%s", name, suffixes[way]);
            if (rank == 0)
                sample(metric, layout.packed, "us", us);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3 || ranks != 2)
        die("usage: datatypes LAYOUT SIZES [REPETITIONS] [MILLISECONDS], on 2 ranks");
    pin_to(rank);
    int repetitions = argc > 3 ? atoi(argv[3]) : 15;
    double want_ns = (argc > 4 ? atof(argv[4]) : 1) * 1e6;
    size_t sizes[64];
    int count = sizes_from(argv[2], (size_t)16 << 20, sizes, 64);
    size_t last = 0;
    for (int s = 0; s < count; s++) {
        if (sizes[s] < 64)
            continue;
        make(argv[1], sizes[s]);
        if (layout.packed == last) {
            /* It cannot be made smaller than that. */
            forget_layout();
            continue;
        }
        last = layout.packed;
        memory = touched(layout.span);
        MPI_Pack_size(1, layout.type, MPI_COMM_WORLD, &room);
        if ((size_t)room < layout.packed)
            room = (int)layout.packed;
        contiguous = touched((size_t)room);
        for (Way way = DATATYPE; way < WAYS; way++)
            compare(way);
        measure(argv[1], repetitions, want_ns);
        forget_layout();
        free(memory);
        free(contiguous);
    }
    MPI_Finalize();
    return 0;
}
