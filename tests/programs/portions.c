/* A partition whose items are read from a file by the ranks that have them.
 *
 *   portions FILE
 *
 * Rank 0 writes the file: a header, then items of 4096 bytes. The last rank takes three times as long
 * for an item. In each cycle every rank checks its items. Rank 0 prints the items that were read at
 * first, and whether more were read when ranges had changed.
 */
#include <pamir.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 240, CYCLES = 10, BYTES = 4096, HEADER = 128, ITEM_NS = 100000 };

static void check(int ok, const char *what, long long number)
{
    if (!ok) {
        fprintf(stderr, "wrong: %s %lld\n", what, number);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void write_file(const char *path)
{
    char item[BYTES];
    FILE *file = fopen(path, "wb");
    check(file != NULL, "file", 0);
    memset(item, 'h', HEADER);
    fwrite(item, 1, HEADER, file);
    for (int i = 0; i < ITEMS; i++) {
        memset(item, i % 251, BYTES);
        fwrite(item, 1, BYTES, file);
    }
    check(fclose(file) == 0, "file", 1);
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

static void check_refusals(pamir_partition *partition, const char *path, int rank, int size)
{
    const void *base = NULL;
    int code = pamir_partition_read(partition, "/nowhere/items", 0, BYTES, 0, &base);
    check(class_of(code) == MPI_ERR_NO_SUCH_FILE, "no file", class_of(code));
    code = pamir_partition_read(partition, path, HEADER + 1, BYTES, 0, &base);
    check(class_of(code) == MPI_ERR_IO, "short", class_of(code));
    code = pamir_partition_read(partition, rank == 0 ? path : "/nowhere", 0, 1, 0, &base);
    int expected = size == 1 ? MPI_SUCCESS : rank == 0 ? MPI_ERR_IO : MPI_ERR_NO_SUCH_FILE;
    check(class_of(code) == expected, "one", class_of(code));
    code = pamir_partition_read(partition, NULL, 0, 1, 0, &base);
    check(class_of(code) == MPI_ERR_ARG, "no name", class_of(code));
    check((base == NULL) == (size > 1), "base", 0);
}

int main(int argc, char **argv)
{
    int rank, size;
    long long begin, end, read[2];
    const unsigned char *items;
    pamir_partition *partition;
    pamir_statistics statistics;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 0)
        write_file(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    pamir_partition_create(MPI_COMM_WORLD, ITEMS, NULL, 1, "clock=monotonic", &partition);
    check_refusals(partition, argv[1], rank, size);
    check(pamir_partition_read(partition, argv[1], HEADER, BYTES, 0, (const void **)&items) ==
              MPI_SUCCESS, "read", 0);
    pamir_partition_statistics(partition, &statistics);
    read[0] = statistics.read_bytes;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        pamir_partition_range(partition, -1, &begin, &end);
        pamir_cycle_begin(partition);
        for (long long i = begin; i < end; i++)
            check(items[i * BYTES] == i % 251 && items[i * BYTES + BYTES - 1] == i % 251, "item", i);
        long long ns = (end - begin) * ITEM_NS * (rank == size - 1 ? 3 : 1);
        struct timespec pause = {ns / 1000000000, ns % 1000000000};
        nanosleep(&pause, NULL);
        pamir_cycle_end(partition, NULL);
    }
    pamir_partition_statistics(partition, &statistics);
    read[1] = statistics.read_bytes;
    MPI_Allreduce(MPI_IN_PLACE, read, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%lld items, then %s\n", read[0] / BYTES, read[1] > read[0] ? "more" : "no more");
    pamir_partition_free(&partition);
    MPI_Finalize();
    return 0;
}
