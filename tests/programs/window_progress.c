/* What windows promise where nothing but one-sided functions is called.
 *
 *     window_progress order    a short accumulate does not overtake a long one
 *     window_progress poll     a rank that looks at its own memory by one-sided calls lets others get on
 *     window_progress again    a rank that has an exclusive lock gets another one, though somebody waits for the whole window
 *     window_progress blocks   one datatype reaches two pieces that were attached one by one
 *
 * Two ranks; rank 1 prints "right".
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 40000 };

static int memory[MANY], data[MANY];
static int rank;
static MPI_Win win;

static int order(void)
{
    int last = 7, wrong = 0;
    for (int round = 0; round < 20; round++) {
        MPI_Win_fence(0, win);
        if (rank == 1) {
            MPI_Accumulate(data, MANY, MPI_INT, 0, 0, MANY, MPI_INT, MPI_REPLACE, win);
            MPI_Accumulate(&last, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        }
        MPI_Win_fence(0, win);
        wrong += rank == 0 && memory[0] != last;
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return wrong == 0;
}

static int poll(void)
{
    int one = 1, seen = 0;
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        MPI_Put(&one, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    for (int way = 0; rank == 0 && seen != one; way++) {
        if (way % 2)
            MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 5, MPI_NO_OP, win);
        else
            MPI_Get(&seen, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    return 1;
}

static int again(void)
{
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock_all(0, win);
        MPI_Win_unlock_all(win);
    } else {
        for (double until = MPI_Wtime() + .1; MPI_Wtime() < until;) {} /* rank 1 waits by then */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Win_unlock(1, win);
        MPI_Win_unlock(0, win);
    }
    return 1;
}

static int blocks(void)
{
    static int here[2][4], other[100];
    MPI_Win dynamic;
    MPI_Aint places[2];
    MPI_Datatype both;
    int lengths[2] = {4, 4}, eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, here[0], sizeof here[0]);
    MPI_Win_attach(dynamic, other + 50, 4 * sizeof(int));
    MPI_Get_address(here[0], &places[0]);
    MPI_Get_address(other + 50, &places[1]);
    MPI_Bcast(places, 2, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
    MPI_Type_commit(&both);
    MPI_Win_fence(0, dynamic);
    if (rank == 1)
        MPI_Put(eight, 8, MPI_INT, 0, 0, 1, both, dynamic);
    MPI_Win_fence(0, dynamic);
    int right = rank == 1 || (here[0][3] == 4 && other[50] == 5 && other[53] == 8);
    MPI_Type_free(&both);
    MPI_Win_free(&dynamic);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    const char *what = argc > 1 ? argv[1] : "order";
    int right = !strcmp(what, "poll") ? poll() : !strcmp(what, "again") ? again() : !strcmp(what, "blocks") ? blocks() : order();
    if (rank == 1)
        printf("%s\n", right ? "right" : "wrong");
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
