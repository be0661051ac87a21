// Sends short and long messages from rank 0 to 1 and from 1 to 0, by portion. Run by
// tests/tests/placement.rs.
#include <mpi.h>
#include <stdlib.h>

static void send(int from, int to, int bytes, int times) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(bytes + 1, 1);
    for (int i = 0; i < times; i++) {
        if (rank == from) MPI_Send(data, bytes, MPI_CHAR, to, 7, MPI_COMM_WORLD);
        if (rank == to) MPI_Recv(data, bytes, MPI_CHAR, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
}

static void send_scattered(int from, int to, int times) {
    int rank;
    double data[40] = {0};
    MPI_Datatype strided;
    MPI_Type_vector(20, 1, 2, MPI_DOUBLE, &strided);
    MPI_Type_commit(&strided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < times; i++) {
        if (rank == from) MPI_Send(data, 1, strided, to, 7, MPI_COMM_WORLD);
        if (rank == to) MPI_Recv(data, 1, strided, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&strided);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    send(0, 1, 8, 10);          // one line each
    MPI_Pcontrol(5);
    send(0, 1, 1000, 3);        // one packet each
    send(1, 0, 300000, 2);      // longer than a packet
    MPI_Pcontrol(7);
    send_scattered(0, 3, 2);    // gathered straight into a packet
    MPI_Pcontrol(0);
    send(0, 2, 8, 50);          // not counted
    MPI_Pcontrol(1);
    send(2, 0, 0, 4);
    MPI_Finalize();
    return 0;
}
