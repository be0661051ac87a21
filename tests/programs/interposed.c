// A tool's MPI_Send and MPI_Finalize in front of the library's: counts the calls and passes them
// on to PMPI. Rank 0 prints "sent COUNT" from its MPI_Finalize.
#include <mpi.h>
#include <stdio.h>

static int sent;

int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int destination, int tag,
             MPI_Comm communicator)
{
    sent++;
    return PMPI_Send(buffer, count, datatype, destination, tag, communicator);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("sent %d\n", sent);
    return PMPI_Finalize();
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int each = 0; each < 5; each++) {
        if (rank == 0) {
            value = each;
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (value != each)
                MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    return MPI_Finalize();
}
