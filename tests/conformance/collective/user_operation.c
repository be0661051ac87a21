// ranks: 1 2 3 4 5
// timeout: 20
// Operations of the program: commutative ones, and one that is only associative (2 x 2 matrices modulo a prime), which
// must be applied in rank order, through every reducing call; the datatype the function is given; large-count form.
#include "check.h"

#define PRIME 10007

struct matrix {
    int cell[2][2];
};

static MPI_Datatype matrix_type;
static int wrong_type, calls;

static struct matrix product(struct matrix a, struct matrix b) {
    struct matrix c;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) c.cell[i][j] = (a.cell[i][0] * b.cell[0][j] + a.cell[i][1] * b.cell[1][j]) % PRIME;
    return c;
}

static void multiply(void *in, void *inout, int *length, MPI_Datatype *type) {
    struct matrix *left = in, *right = inout;
    int size = 0;
    MPI_Type_size(*type, &size);
    if (size != sizeof(struct matrix)) wrong_type++;
    calls++;
    for (int i = 0; i < *length; i++) right[i] = product(left[i], right[i]);
}

static void multiply_c(void *in, void *inout, MPI_Count *length, MPI_Datatype *type) {
    int n = (int)*length;
    multiply(in, inout, &n, type);
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; i++) ((long *)inout)[i] += ((long *)in)[i];
}

static struct matrix input(int rank, int i) {
    struct matrix m = {{{rank + 2, i % 50 + 1}, {rank * 3 + 1, rank + i % 7}}};
    return m;
}

static struct matrix expected(int first, int last, int i) {
    struct matrix m = input(first, i);
    for (int r = first + 1; r <= last; r++) m = product(m, input(r, i));
    return m;
}

static int same(struct matrix a, struct matrix b) { return memcmp(&a, &b, sizeof a) == 0; }

static void all_calls(MPI_Op op, int count) {
    int n = world_size, me = world_rank, all = count * n;
    struct matrix *mine = space((size_t)all * sizeof *mine), *result = space((size_t)all * sizeof *result);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    for (int i = 0; i < all; i++) mine[i] = input(me, i);
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        for (int root = 0; root < n; root++) {
            memset(result, 0, (size_t)all * sizeof *result);
            if (nonblocking) {
                OK(MPI_Ireduce(mine, result, count, matrix_type, op, root, comm, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            } else {
                OK(MPI_Reduce(mine, result, count, matrix_type, op, root, comm));
            }
            if (me == root)
                for (int i = 0; i < count; i++) CHECK_THAT(same(result[i], expected(0, n - 1, i)), "reduce to %d", root);
            // In place at the root, whose rank is in the middle of the product.
            memcpy(result, mine, (size_t)count * sizeof *result);
            OK(MPI_Reduce(me == root ? MPI_IN_PLACE : result, me == root ? result : NULL, count, matrix_type, op, root, comm));
            if (me == root)
                for (int i = 0; i < count; i++) CHECK_THAT(same(result[i], expected(0, n - 1, i)), "in place at %d", root);
        }
        if (nonblocking) {
            OK(MPI_Iallreduce(mine, result, count, matrix_type, op, comm, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Allreduce(mine, result, count, matrix_type, op, comm));
        }
        for (int i = 0; i < count; i++) CHECK_THAT(same(result[i], expected(0, n - 1, i)), "allreduce at %d", i);
        memcpy(result, mine, (size_t)count * sizeof *result);
        OK(MPI_Allreduce(MPI_IN_PLACE, result, count, matrix_type, op, comm));
        for (int i = 0; i < count; i++) CHECK_THAT(same(result[i], expected(0, n - 1, i)), "allreduce in place at %d", i);
        if (nonblocking) {
            OK(MPI_Iscan(mine, result, count, matrix_type, op, comm, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Scan(mine, result, count, matrix_type, op, comm));
        }
        for (int i = 0; i < count; i++) CHECK_THAT(same(result[i], expected(0, me, i)), "scan at %d", i);
        if (nonblocking) {
            OK(MPI_Iexscan(mine, result, count, matrix_type, op, comm, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Exscan(mine, result, count, matrix_type, op, comm));
        }
        for (int i = 0; i < count && me; i++) CHECK_THAT(same(result[i], expected(0, me - 1, i)), "exscan at %d", i);
        if (nonblocking) {
            OK(MPI_Ireduce_scatter_block(mine, result, count, matrix_type, op, comm, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Reduce_scatter_block(mine, result, count, matrix_type, op, comm));
        }
        for (int i = 0; i < count; i++)
            CHECK_THAT(same(result[i], expected(0, n - 1, me * count + i)), "reduce_scatter_block at %d", i);
        int counts[8], start = 0; // uneven, the sum is at most count * n
        for (int r = 0; r < n; r++) {
            counts[r] = r % 2 ? count : count / 2;
            if (r < me) start += counts[r];
        }
        OK(MPI_Reduce_scatter(mine, result, counts, matrix_type, op, comm));
        for (int i = 0; i < counts[me]; i++)
            CHECK_THAT(same(result[i], expected(0, n - 1, start + i)), "reduce_scatter at %d", i);
    }
    free(mine);
    free(result);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Op op, op_c, commuting;
    int flag = -1;
    OK(MPI_Type_contiguous(4, MPI_INT, &matrix_type));
    OK(MPI_Type_commit(&matrix_type));
    OK(MPI_Op_create(multiply, 0, &op));
    OK(MPI_Op_commutative(op, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Op_create_c(multiply_c, 0, &op_c));
    OK(MPI_Op_commutative(op_c, &flag));
    CHECK_INT(flag, 0);
    static const int counts[] = {0, 1, 5, 100, 3000};
    for (int i = 0; i < 5; i++) all_calls(op, counts[i]);
    all_calls(op_c, 5);
    CHECK_INT(wrong_type, 0);
    if (world_size > 1) CHECK(calls > 0);

    // The local form keeps the order: in goes to the left.
    struct matrix left = input(1, 1), right = input(2, 2), both = product(left, right);
    OK(MPI_Reduce_local(&left, &right, 1, matrix_type, op));
    CHECK(same(right, both));
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    OK(MPI_Op_free(&op_c));
    OK(MPI_Type_free(&matrix_type));

    OK(MPI_Op_create(add, 1, &commuting));
    OK(MPI_Op_commutative(commuting, &flag));
    CHECK_INT(flag, 1);
    static long numbers[20000], totals[20000];
    for (int i = 0; i < 20000; i++) numbers[i] = world_rank * 3 + i;
    OK(MPI_Allreduce(numbers, totals, 20000, MPI_LONG, commuting, MPI_COMM_WORLD));
    for (int i = 0; i < 20000; i++) CHECK_INT(totals[i], 3L * world_size * (world_size - 1) / 2 + (long)i * world_size);
    // Freed while in use: the operation lives until the reduction is complete.
    MPI_Request request;
    OK(MPI_Iallreduce(numbers, totals, 1000, MPI_LONG, commuting, MPI_COMM_WORLD, &request));
    OK(MPI_Op_free(&commuting));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 1000; i++) CHECK_INT(totals[i], 3L * world_size * (world_size - 1) / 2 + (long)i * world_size);
    return finish("user_operation");
}
