/* Balancing: what Pamir's MPI library offers beside MPI.
 *
 * Include it after or instead of mpi.h; the functions are in libmpi_abi.so.1. Each returns
 * MPI_SUCCESS or an error code, and raises errors on the communicator it is given, as MPI's
 * functions do. Times are nanoseconds.
 */
#ifndef PAMIR_H
#define PAMIR_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A member's call of a synchronisation; all fields are -1 where it is not known: it has not been
 * made, or the member has made four announced calls since. */
typedef struct pamir_call {
    long long started_ns; /* when the computation before it began, by CLOCK_MONOTONIC */
    long long arrived_ns; /* when it was made, by the same clock */
    long long load;       /* items, or the sum of their weights; of calls that nobody gives a
                             load for, the time since the last announced call was left, by the
                             clock that PAMIR_BALANCE_CLOCK names (monotonic or processor) */
} pamir_call;

/* A barrier that announces to all ranks who called it, and when. MPI_Barrier and other collectives
 * do so where PAMIR_BALANCE names them (barrier, allreduce, allgather, alltoall, reduce-scatter,
 * all). */
int pamir_balance_sync(MPI_Comm comm);

/* The calls of all ranks of `comm` in its last announced synchronisation (back 0), or in the one
 * `back` before it, up to 3. `calls` has room for the size of the communicator; `known` is how
 * many of them are known. Local: it waits for nobody. */
int pamir_balance_history(MPI_Comm comm, int back, pamir_call calls[], int *known);

#ifdef __cplusplus
}
#endif

#endif
