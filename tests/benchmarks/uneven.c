/* uneven: ranks with different amounts of work meet at a barrier, again and again; nothing in the
 * program knows of balancing.
 *
 *   uneven CYCLES MILLIONS WORK,WORK,...
 *
 * Rank r does WORK[r modulo how many there are] times MILLIONS million steps of a chain of
 * multiplications a cycle, each of which needs the one before: a step takes as long on any core,
 * and no memory. Rank 0 prints how long the cycles took as a whole, those of the second half, and
 * the processor time of all ranks.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t compute(uint64_t seed, uint64_t steps)
{
    for (uint64_t step = 0; step < steps; step++)
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed;
}

/* The work of a rank: its part of a list with commas. */
static double work_of(const char *list, int rank)
{
    int count = 1;
    for (const char *at = list; *at; at++)
        count += *at == ',';
    for (int skip = rank % count; skip > 0; skip--)
        list = strchr(list, ',') + 1;
    return atof(list);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4) {
        if (rank == 0)
            fprintf(stderr, "usage: uneven CYCLES MILLIONS WORK,WORK,...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int cycles = atoi(argv[1]);
    uint64_t steps = (uint64_t)(work_of(argv[3], rank) * atof(argv[2]) * 1e6);
    uint64_t value = (uint64_t)rank + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), half = begin, used = processor_seconds();
    for (int cycle = 0; cycle < cycles; cycle++) {
        if (cycle == cycles / 2)
            half = MPI_Wtime();
        value = compute(value, steps);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    double end = MPI_Wtime(), all = 0;
    used = processor_seconds() - used;
    MPI_Reduce(&used, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    /* What was computed has to be used. */
    if (value == 42)
        printf("unlikely\n");
    if (rank == 0) {
        int later = cycles - cycles / 2;
        printf("@ cycle 0 ms %.6f\n", (end - begin) * 1e3 / cycles);
        printf("@ settled 0 ms %.6f\n", (end - half) * 1e3 / later);
        printf("@ processor 0 ms %.6f\n", all * 1e3 / cycles);
    }
    MPI_Finalize();
    return 0;
}
