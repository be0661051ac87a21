// Two groups of ranks, {0, 2, 5, 7} and {1, 3, 4, 6} of each eight, that communicate by collective operations of
// their own communicators alone: one portion of a profile each for blocking ones (level 3), nonblocking ones (4),
// persistent ones (5) and those of neighbours (6). Each rank says where it runs. Run by tests/tests/placement.rs.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>

enum { ROUNDS = 10, ELEMENTS = 64, MOST = 8 };

int main(int argc, char **argv) {
    static double out[MOST * ELEMENTS], in[MOST * ELEMENTS];
    MPI_Comm group, ring;
    MPI_Request request;
    int rank, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, (rank ^ rank >> 2) & 1, rank, &group);
    int size;
    MPI_Comm_size(group, &size);
    MPI_Cart_create(group, 1, &size, &one, 0, &ring);
    MPI_Allgather_init(out, ELEMENTS, MPI_DOUBLE, in, ELEMENTS, MPI_DOUBLE, group, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Pcontrol(3);
        MPI_Allreduce(out, in, ELEMENTS, MPI_DOUBLE, MPI_SUM, group);
        MPI_Pcontrol(4);
        MPI_Request swap;
        MPI_Ialltoall(out, ELEMENTS, MPI_DOUBLE, in, ELEMENTS, MPI_DOUBLE, group, &swap);
        MPI_Wait(&swap, MPI_STATUS_IGNORE);
        MPI_Pcontrol(5);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Pcontrol(6);
        MPI_Neighbor_allgather(out, ELEMENTS, MPI_DOUBLE, in, ELEMENTS, MPI_DOUBLE, ring);
    }
    MPI_Pcontrol(1);
    MPI_Request_free(&request);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&group);
    printf("rank %d unit %d\n", rank, sched_getcpu());
    MPI_Finalize();
    return 0;
}
