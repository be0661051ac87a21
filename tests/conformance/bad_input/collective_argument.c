// ranks: 1 2
// timeout: 20
// Wrong arguments of collectives give the right class on the rank that gave them, before anything is exchanged.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD, none = MPI_COMM_NULL;
    int n = world_size, a[64] = {0}, b[64] = {0}, counts[8], places[8], bad_counts[8];
    MPI_Request request;
    for (int i = 0; i < 8; i++) counts[i] = 1, places[i] = i, bad_counts[i] = -1;
    static const int bad_roots[] = {-1, -5, 1000000};
    for (int i = 0; i < 4; i++) {
        int root = i == 3 ? n : bad_roots[i];
        FAILS(MPI_Bcast(a, 1, MPI_INT, root, comm), MPI_ERR_ROOT);
        FAILS(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, root, comm), MPI_ERR_ROOT);
        FAILS(MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, root, comm), MPI_ERR_ROOT);
        FAILS(MPI_Gatherv(a, 1, MPI_INT, b, counts, places, MPI_INT, root, comm), MPI_ERR_ROOT);
        FAILS(MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, root, comm), MPI_ERR_ROOT);
        FAILS(MPI_Scatterv(a, counts, places, MPI_INT, b, 1, MPI_INT, root, comm), MPI_ERR_ROOT);
        FAILS(MPI_Ibcast(a, 1, MPI_INT, root, comm, &request), MPI_ERR_ROOT);
        FAILS(MPI_Ireduce(a, b, 1, MPI_INT, MPI_SUM, root, comm, &request), MPI_ERR_ROOT);
        FAILS(MPI_Bcast_init(a, 1, MPI_INT, root, comm, MPI_INFO_NULL, &request), MPI_ERR_ROOT);
    }
    FAILS(MPI_Bcast(a, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    FAILS(MPI_Bcast_c(a, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Reduce(a, b, -1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Allreduce(a, b, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Iallreduce(a, b, -1, MPI_INT, MPI_SUM, comm, &request), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Scan(a, b, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Exscan(a, b, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    FAILS(MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(MPI_Allgather(a, 1, MPI_INT, b, -1, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(MPI_Allgatherv(a, 1, MPI_INT, b, bad_counts, places, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(MPI_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(MPI_Alltoallv(a, bad_counts, places, MPI_INT, b, counts, places, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(MPI_Reduce_scatter(a, b, bad_counts, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Reduce_scatter_block(a, b, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    NOT_PEER FAILS(MPI_Reduce_local(a, b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);

    FAILS(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
    NOT_PEER FAILS(MPI_Allreduce(a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), MPI_ERR_TYPE);
    FAILS(MPI_Allgather(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm), MPI_ERR_TYPE);
    FAILS(MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE);

    FAILS(MPI_Barrier(none), MPI_ERR_COMM);
    FAILS(MPI_Bcast(a, 1, MPI_INT, 0, none), MPI_ERR_COMM);
    FAILS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, none), MPI_ERR_COMM);
    FAILS(MPI_Ibarrier(none, &request), MPI_ERR_COMM);

    // Operations: null, and not defined for the type.
    FAILS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
    FAILS(MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(a, b, 1, MPI_FLOAT, MPI_LXOR, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_SUM, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(a, b, 1, MPI_2INT, MPI_SUM, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(a, b, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX, comm), MPI_ERR_OP);
    FAILS(MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_BOR, 0, comm), MPI_ERR_OP);
    FAILS(MPI_Scan(a, b, 1, MPI_DOUBLE, MPI_BXOR, comm), MPI_ERR_OP);
    FAILS(MPI_Exscan(a, b, 1, MPI_DOUBLE, MPI_BXOR, comm), MPI_ERR_OP);
    FAILS(MPI_Reduce_scatter_block(a, b, 1, MPI_DOUBLE, MPI_BXOR, comm), MPI_ERR_OP);
    FAILS(MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, comm, &request), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(a, b, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
    MPI_Datatype pair;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    FAILS(MPI_Allreduce(a, b, 1, pair, MPI_SUM, comm), MPI_ERR_OP); // predefined operations want predefined types
    OK(MPI_Type_free(&pair));

    // MPI_IN_PLACE where it does not belong, and the same buffer twice.
    FAILS(MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Scan(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(NULL, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);

    // Predefined operations cannot be freed.
    MPI_Op sum = MPI_SUM, no_op = MPI_OP_NULL;
    FAILS(MPI_Op_free(&sum), MPI_ERR_OP);
    FAILS(MPI_Op_free(&no_op), MPI_ERR_OP);

    // Still in step with each other.
    int one = 1, total = 0;
    OK(MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(total, n);
    return finish("collective_argument");
}
