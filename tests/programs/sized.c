/* Reductions of sizes that are given, one after the other, so that the report tells who served them.
 *
 *   sized BYTES...
 *
 * Rank 0 prints how many sums were right at all ranks.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, right = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int one = 1; one < argc; one++) {
        int bytes = atoi(argv[one]), wrong = 0;
        unsigned char *own = malloc((size_t)bytes + 1), *sum = malloc((size_t)bytes + 1);
        for (int i = 0; i < bytes; i++)
            own[i] = (unsigned char)(i + rank);
        MPI_Allreduce(own, sum, bytes, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < bytes; i++)
            wrong += sum[i] != (unsigned char)(i * size + size * (size - 1) / 2);
        right += wrong == 0;
        free(own);
        free(sum);
    }
    /* By messages: a reduction would count as one. */
    for (int from = 1; rank == 0 && from < size; from++) {
        MPI_Recv(&all, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        right = all < right ? all : right;
    }
    if (rank == 0)
        printf("%d right\n", right);
    else
        MPI_Send(&right, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
