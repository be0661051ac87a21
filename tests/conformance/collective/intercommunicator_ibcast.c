// ranks: 2 3 4 5
// timeout: 20
// differs: MPICH 5.0 leaves the receivers' buffers as they are when the root is not rank 0 of its group
// MPI_Ibcast on an inter-communicator from every rank of either group; the root's own group receives nothing.
#include "check.h"

#define N 300

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm local, inter;
    int group = world_rank % 2, me, sizes[2] = {(world_size + 1) / 2, world_size / 2}, buffer[N];
    OK(MPI_Comm_split(MPI_COMM_WORLD, group, world_rank, &local));
    OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - group, 12, &inter));
    OK(MPI_Comm_rank(inter, &me));
    for (int count = 0; count <= N; count += count ? N - 1 : 1)
        for (int root_group = 0; root_group < 2; root_group++)
            for (int root = 0; root < sizes[root_group]; root++) {
                int is_root = group == root_group && me == root;
                int to_root = group != root_group ? root : is_root ? MPI_ROOT : MPI_PROC_NULL;
                MPI_Request request;
                for (int i = 0; i < N; i++) buffer[i] = is_root ? root_group * 10000 + root * 1000 + i : -1;
                OK(MPI_Ibcast(buffer, count, MPI_INT, to_root, inter, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                for (int i = 0; i < N; i++)
                    CHECK_INT(buffer[i], is_root || (group != root_group && i < count)
                                             ? root_group * 10000 + root * 1000 + i : -1);
            }
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&local));
    return finish("intercommunicator_ibcast");
}
