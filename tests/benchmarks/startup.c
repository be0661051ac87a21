/* An empty MPI program. The runner times `mpiexec -n N startup` from start to end. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
