/* Windows whose parts are reached in different ways: memory of the window's own, of the program's, and of MPI_Alloc_mem.
 *
 *     window_ways TIMES
 *
 * Rank 0 adds TIMES times to a number of rank 1's in each window, and puts and gets it, while rank 1 waits in a receive. Rank 1
 * prints "window W: N" with the number that it finds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long own[4];

static void use(int window, MPI_Win win, long *memory, int rank, int times)
{
    long one = 1, seen = -1;
    memory[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        for (int i = 0; i < times; i++) {
            MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win);
            MPI_Get(&seen, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
            if (seen != i + 1)
                MPI_Abort(MPI_COMM_WORLD, 3);
            MPI_Put(&seen, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
        }
        MPI_Win_unlock(1, win);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("window %d: %ld\n", window, memory[1]);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int rank, times = argc > 1 ? atoi(argv[1]) : 1000;
    long *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    use(0, win, memory, rank, times);
    MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    use(1, win, own, rank, times);
    MPI_Alloc_mem(32, MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, 32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    use(2, win, memory, rank, times);
    MPI_Free_mem(memory);
    MPI_Finalize();
    return 0;
}
