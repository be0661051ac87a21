// Large messages of many datatypes in a ring of ranks, whose bytes are compared: whatever number
// of stripes they go in, and whoever moves those. Checks what MPI_Get_count, MPI_Get_elements and
// an error of truncation say. Rank 0 prints "right RANKS".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 8, IN_FLIGHT = 6 };
static int rank, size, left, right;

static void fail(const char *what, long type, long at)
{
    fprintf(stderr, "rank %d of %d: %s (type %ld, at %ld)\n", rank, size, what, type, at);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

// A datatype by number, its primitive elements all integers of four bytes; and how many of it.
static MPI_Datatype type_of(int number, int *count)
{
    MPI_Datatype type, inner;
    int lengths[200], places[200];
    *count = 1;
    switch (number) {
    case 0:
        *count = 100003;
        MPI_Type_contiguous(1, MPI_INT, &type);
        break;
    case 1:
        MPI_Type_vector(50000, 2, 4, MPI_INT, &type);
        break;
    case 2:
        MPI_Type_vector(700, 128, 256, MPI_INT, &type);
        break;
    case 3:
        for (int i = 0, at = 0; i < 200; i++) {
            lengths[i] = 1 + (i * 37) % 29;
            places[i] = at;
            at += lengths[i] + 1 + (i * 11) % 7;
        }
        *count = 30;
        MPI_Type_indexed(200, lengths, places, MPI_INT, &type);
        break;
    case 4: {
        int sizes[3] = {40, 40, 40}, parts[3] = {33, 21, 17}, starts[3] = {5, 7, 3};
        MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
        *count = 7;
        break;
    }
    case 5: {
        int blocks[3] = {1, 3, 2};
        MPI_Aint at[3] = {0, 8, 32};
        MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
        MPI_Type_create_struct(3, blocks, at, types, &inner);
        MPI_Type_create_resized(inner, 0, 44, &type);
        MPI_Type_free(&inner);
        *count = 20011;
        break;
    }
    case 6:
        MPI_Type_vector(5, 3, 5, MPI_INT, &inner);
        MPI_Type_create_hvector(3000, 1, 128, inner, &type);
        MPI_Type_free(&inner);
        break;
    default:
        MPI_Type_vector(60000, 1, 40, MPI_INT, &inner);
        MPI_Type_create_resized(inner, 0, 4, &type);
        MPI_Type_free(&inner);
        *count = 2;
    }
    MPI_Type_commit(&type);
    return type;
}

static size_t span(MPI_Datatype type, int count)
{
    MPI_Aint low, extent, true_low, true_extent;
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    return (size_t)(true_low + true_extent + (MPI_Aint)(count - 1) * extent);
}

static int value(int from, int type, long at) { return (int)(from * 1000003L + type * 7919L + at * 31); }

// Packed elements of this rank's for a type, scattered as the type says.
static char *outgoing(int number, MPI_Datatype type, int count, int elements)
{
    int *packed = malloc(sizeof(int) * (size_t)elements), place = 0;
    char *memory = calloc(span(type, count), 1);
    for (long at = 0; at < elements; at++)
        packed[at] = value(rank, number, at);
    MPI_Unpack(packed, 4 * elements, &place, memory, count, type, MPI_COMM_SELF);
    free(packed);
    return memory;
}

// The first elements must be the left rank's, the others and all gaps untouched.
static void compare(const char *memory, int number, MPI_Datatype type, int count, int arrived)
{
    int whole, place = 0;
    MPI_Type_size(type, &whole);
    long elements = (long)whole / 4 * count;
    size_t bytes = span(type, count);
    int *packed = malloc(sizeof(int) * (size_t)elements);
    char *expected = malloc(bytes);
    memset(expected, 0x5A, bytes);
    MPI_Pack(expected, count, type, packed, 4 * (int)elements, &place, MPI_COMM_SELF);
    for (long at = 0; at < arrived; at++)
        packed[at] = value(left, number, at);
    place = 0;
    MPI_Unpack(packed, 4 * (int)elements, &place, expected, count, type, MPI_COMM_SELF);
    for (size_t at = 0; at < bytes; at++)
        if (memory[at] != expected[at])
            fail("wrong byte", number, (long)at);
    free(packed);
    free(expected);
}

static char *incoming(MPI_Datatype type, int count)
{
    char *memory = malloc(span(type, count));
    memset(memory, 0x5A, span(type, count));
    return memory;
}

// The message of one type arrives as another, which has room for more, or for as many.
static void exchange(int from, int to, int synchronous)
{
    int count, room, bytes, found;
    MPI_Datatype sent = type_of(from, &count), received = type_of(to, &room);
    MPI_Type_size(sent, &bytes);
    int elements = bytes / 4 * count, each;
    MPI_Type_size(received, &bytes);
    each = bytes / 4;
    room = (elements + each - 1) / each + (from == to ? 0 : 1);
    char *out = outgoing(from, sent, count, elements), *in = incoming(received, room);
    MPI_Request request;
    MPI_Status status;
    if (synchronous) {
        MPI_Issend(out, count, sent, right, 5, MPI_COMM_WORLD, &request);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(in, room, received, status.MPI_SOURCE, 5, MPI_COMM_WORLD, &status);
    } else {
        MPI_Irecv(in, room, received, left, 5, MPI_COMM_WORLD, &request);
        MPI_Send(out, count, sent, right, 5, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        request = MPI_REQUEST_NULL;
    }
    MPI_Get_elements(&status, received, &found);
    if (found != elements)
        fail("MPI_Get_elements is wrong", to, found);
    MPI_Get_count(&status, received, &found);
    if (found != (elements % each ? MPI_UNDEFINED : elements / each))
        fail("MPI_Get_count is wrong", to, found);
    compare(in, from, received, room, elements);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&sent);
    MPI_Type_free(&received);
    free(out);
    free(in);
}

// Several messages at once, which may overtake each other's stripes, and are received in turn.
static void in_flight(int number)
{
    MPI_Request requests[2 * IN_FLIGHT];
    char *out[IN_FLIGHT], *in[IN_FLIGHT];
    int count, bytes;
    MPI_Datatype type = type_of(number, &count);
    MPI_Type_size(type, &bytes);
    for (int i = 0; i < IN_FLIGHT; i++) {
        out[i] = outgoing(i, type, count, bytes / 4 * count);
        in[i] = incoming(type, count);
        MPI_Isend(out[i], count, type, right, 3, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < IN_FLIGHT; i++)
        MPI_Irecv(in[i], count, type, left, 3, MPI_COMM_WORLD, &requests[IN_FLIGHT + i]);
    MPI_Waitall(2 * IN_FLIGHT, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < IN_FLIGHT; i++) {
        compare(in[i], i, type, count, bytes / 4 * count);
        free(out[i]);
        free(in[i]);
    }
    MPI_Type_free(&type);
}

// A message that is longer than its receive, whose end falls into the middle of a stripe.
static void truncated(int number)
{
    int count, bytes, class = MPI_SUCCESS;
    MPI_Datatype type = type_of(number, &count);
    MPI_Type_size(type, &bytes);
    int elements = bytes / 4 * count, room = elements * 3 / 5;
    char *out = outgoing(number, type, count, elements), *in = incoming(MPI_INT, room);
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Irecv(in, room, MPI_INT, left, 4, MPI_COMM_WORLD, &request);
    MPI_Send(out, count, type, right, 4, MPI_COMM_WORLD);
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (class != MPI_ERR_TRUNCATE)
        fail("a long message is no error", number, class);
    compare(in, number, MPI_INT, room, room);
    MPI_Type_free(&type);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (int from = 0; from < TYPES; from++) {
        exchange(from, from, 0);
        exchange(from, (from + 3) % TYPES, from % 2);
        exchange(from, 0, 1);
        exchange(0, from, 0);
        in_flight(from);
        truncated(from);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("right %d\n", size);
    MPI_Finalize();
    return 0;
}
