/* What pamir.h's functions refuse, and with which error class. */
#include <pamir.h>

#include <stdint.h>
#include <stdio.h>

static int failures;

static void expect(int code, int class, const char *what)
{
    int found = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &found);
    if (found != class) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        printf("%s: class %d instead of %d: %s\n", what, found, class, text);
        failures++;
    }
}

int main(int argc, char **argv)
{
    pamir_partition *partition = NULL, *unknown = (pamir_partition *)(uintptr_t)77;
    pamir_call calls[8];
    long long begin, end, negative[3] = {1, -1, 1};
    void *base;
    int known;
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    expect(pamir_balance_sync(MPI_COMM_NULL), MPI_ERR_COMM, "sync of no communicator");
    expect(pamir_balance_history(world, -1, calls, &known), MPI_ERR_ARG, "history of the future");
    expect(pamir_balance_history(world, 0, NULL, &known), MPI_ERR_ARG, "history to nowhere");
    expect(pamir_partition_create(world, -1, NULL, 1, NULL, &partition), MPI_ERR_ARG, "items");
    expect(pamir_partition_create(world, 3, negative, 1, NULL, &partition), MPI_ERR_ARG, "weight");
    expect(pamir_partition_create(world, 3, NULL, 1, "fair", &partition), MPI_ERR_ARG, "policy");
    expect(pamir_partition_create(world, 3, NULL, 1, "controller=99", &partition), MPI_ERR_ARG,
           "controller that is not there");
    expect(pamir_partition_create(world, 3, NULL, 1, NULL, NULL), MPI_ERR_ARG, "nowhere");
    expect(pamir_partition_range(unknown, -1, &begin, &end), MPI_ERR_ARG, "unknown partition");
    expect(pamir_cycle_end(NULL, NULL), MPI_ERR_ARG, "no partition");
    expect(pamir_partition_create(world, 100, NULL, 1, NULL, &partition), MPI_SUCCESS, "create");
    expect(pamir_partition_range(partition, 99, &begin, &end), MPI_ERR_RANK, "rank");
    expect(pamir_partition_array(partition, SIZE_MAX, 0, NULL, &base), MPI_ERR_ARG, "too large");
    expect(pamir_partition_prepare(partition, NULL, NULL), MPI_ERR_ARG, "no function");
    pamir_partition *freed = partition;
    expect(pamir_partition_free(&partition), MPI_SUCCESS, "free");
    expect(pamir_cycle_begin(freed), MPI_ERR_ARG, "freed partition");
    if (failures == 0)
        printf("refused\n");
    MPI_Finalize();
    return failures != 0;
}
