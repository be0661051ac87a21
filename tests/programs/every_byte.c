// Each rank exchanges messages of all lengths with its neighbours from and to static buffers, which lie at the same address
// in every process of this program if it is linked so, and looks at every byte. Whatever is read of a wrong process shows.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define MOST 4000000
static unsigned char out[MOST], in[MOST];

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (unsigned bytes = 1000; bytes <= MOST; bytes *= 2)
        for (int round = 0; round < 3; round++) {
            memset(out, 16 * rank + round + 1, bytes);
            memset(in, 0, bytes);
            MPI_Sendrecv(out, (int)bytes, MPI_BYTE, right, 1, in, (int)bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            for (unsigned i = 0; i < bytes; i++)
                if (in[i] != (unsigned char)(16 * left + round + 1)) {
                    wrong++;
                    break;
                }
            // And by what reads many members' memory.
            memset(in, 0, bytes);
            if (rank == 0) memset(in, round + 50, bytes);
            MPI_Bcast(in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
            for (unsigned i = 0; i < bytes; i++)
                if (in[i] != round + 50) {
                    wrong++;
                    break;
                }
        }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d messages of %d ranks wrong\n", all, size);
    MPI_Finalize();
    return all != 0;
}
