/* Balancing: what Pamir's MPI library offers beside MPI.
 *
 * Include it after or instead of mpi.h; the functions are in libmpi_abi.so.1. Each returns
 * MPI_SUCCESS or an error code, and raises errors on the communicator it is given, as MPI's
 * functions do. Times are nanoseconds.
 */
#ifndef PAMIR_H
#define PAMIR_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of items, nanoseconds and bytes: long long, which C89 and C++98 have as an extension. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif
typedef long long pamir_int;
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* A member's call of a synchronisation; all fields are -1 where it is not known: it has not been
 * made, or the member has made four announced calls since. */
typedef struct pamir_call {
    pamir_int started_ns; /* when the computation before it began, by CLOCK_MONOTONIC */
    pamir_int arrived_ns; /* when it was made, by the same clock */
    pamir_int load;       /* items, or the sum of their weights; of calls that nobody gives a
                             load for, the time since the last announced call was left, by the
                             clock that PAMIR_BALANCE_CLOCK names (monotonic, undelayed,
                             processor) */
} pamir_call;

/* A barrier that announces to all ranks who called it, and when. MPI_Barrier and other collectives
 * do so where PAMIR_BALANCE names them (barrier, allreduce, allgather, alltoall, reduce-scatter,
 * all). */
int pamir_balance_sync(MPI_Comm comm);

/* The calls of all ranks of `comm` in its last announced synchronisation (back 0), or in the one
 * `back` before it, up to 3. `calls` has room for the size of the communicator; `known` is how
 * many of them are known. Local: it waits for nobody. */
int pamir_balance_history(MPI_Comm comm, int back, pamir_call calls[], int *known);

/* A partition: items divided among the ranks of a communicator, anew after each cycle so that all
 * end at once.
 *
 *     pamir_partition_create(MPI_COMM_WORLD, rows, NULL, 1, NULL, &partition);
 *     pamir_partition_array(partition, row_bytes, 1, NULL, (void **)&field);
 *     for (...) {
 *         pamir_partition_range(partition, -1, &begin, &end);
 *         ... border exchange with the neighbours ...
 *         pamir_cycle_begin(partition);
 *         ... compute items begin to end - 1 ...
 *         pamir_cycle_end(partition, NULL);
 *     }
 *     pamir_partition_free(&partition);
 */
typedef struct pamir_partition_object pamir_partition;

/* Divides `items` items among the ranks of `comm`, at first evenly. Collective, with the same
 * arguments at all ranks.
 *   weights   NULL, or what each item costs in relation to the others
 *   block     items are divided at multiples of it (1: anywhere)
 *   policy    NULL: what PAMIR_BALANCE_POLICY says, else "balanced". Words, separated by spaces:
 *               balanced            as many receive as it takes for all to end together, where
 *                                   costs are expected to be
 *               document            only the slowest gives, only to the fastest, by the last cycle
 *               static              nothing moves
 *               law=data-per-time   how much: what makes both end at once (default)
 *               law=linear:ITEMS_PER_US[+ITEMS]   a linear function of the difference in time
 *               law=table:NS=ITEMS,NS=ITEMS       the entry of the difference that is met
 *               receivers=needed    as many receive as it takes (default); or N: so many from each
 *                                   giver (1 where law=, shares= or givers= is given); or
 *                                   over:NS,NS: one, and one more at each of these differences
 *               forecast            costs that grow or wander over the ranks, and would have been
 *                                   foretold in the last cycles, are met where they will be
 *                                   (default of balanced; forecast=off: by the last cycle)
 *               shares=even         or rank-order, or relative-time (default)
 *               givers=N            so many of the slowest give in a cycle
 *               threshold=SHARE     the least difference, of the slowest's time (0.01)
 *               least-ns=NS moving-ns=NS cycles=N   the least difference; what moving costs (no less
 *                                   than it took lately), and within how many cycles that must be
 *                                   won back (10)
 *               controller=slowest  who decides for all ranks: the slowest of each cycle (default), or
 *                                   always the one rank that is named
 *               set-up=memory,windows,cache   what the library's set-up operations change (all;
 *                                   or none): memory beside the range, slots of the injection
 *                                   FIFOs, ways of the last-level cache through resctrl
 *               clock=monotonic     how long a rank was busy; or undelayed, the same without the
 *                                   time that it waited for a processor; or processor, what it
 *                                   computed; or auto (default): undelayed where ranks share
 *                                   processors (processor where the kernel does not count that) */
int pamir_partition_create(MPI_Comm comm, pamir_int items, const pamir_int weights[],
                           pamir_int block, const char *policy, pamir_partition **partition);

/* Ends a partition, its arrays and their memory; the pointer becomes NULL. Collective. */
int pamir_partition_free(pamir_partition **partition);

/* The items of a rank, begin to end - 1; rank -1 is the caller. They change in pamir_cycle_end
 * only, at all ranks alike. */
int pamir_partition_range(pamir_partition *partition, int rank, pamir_int *begin, pamir_int *end);

/* Says what each item of the caller's range costs from now on, in relation to all others: weights[0]
 * is item begin's. For programs that know, such as those whose particles move between cells. The
 * ranges change at once, and arrays with them, so that every rank keeps its share of the load;
 * pamir_cycle_end goes on to change the shares. `changed` (may be NULL) is 1 if any range has
 * changed. Collective, between pamir_cycle_end and pamir_cycle_begin. */
int pamir_partition_weigh(pamir_partition *partition, const pamir_int weights[], int *changed);

/* An array of which each rank has the items of its range, and which moves with them. Item i lies at
 * base + i * item_bytes, as long as the partition lives. Collective, in one order at all ranks.
 *   border   how many items on both sides of the range hold what neighbours have there; exchanging
 *            them remains the program's, and is due again after ranges have changed
 *   given    memory for all items; NULL: the library reserves address space, of which only what is
 *            touched is memory, and gives back what a rank has lost */
int pamir_partition_array(pamir_partition *partition, size_t item_bytes, pamir_int border,
                          void *given, void **base);

/* A file of which each rank reads the items of its range by itself, now and whenever ranges have
 * changed: from the file, not from the rank that had them. Item i lies at base + i * item_bytes, to
 * be read only, as long as the partition lives. Collective, in one order at all ranks; it fails at
 * all of them if one cannot read the file.
 *   offset   where item 0 begins in the file, in bytes
 *   border   how many items on both sides of the range are read as well
 * Nobody may make the file shorter meanwhile. */
int pamir_partition_read(pamir_partition *partition, const char *path, pamir_int offset,
                         size_t item_bytes, pamir_int border, const void **base);

/* Calls `prepare(larger, argument)` in pamir_cycle_end: with larger = 1 at the rank that called it
 * first, so that it may get items, while other ranks still compute; with 0 at the one that alone was
 * missing, when the others no longer wait for it. It may not call MPI. The library's own set-up
 * operations come before (set-up= in policies): memory, windows and cache for items that may come,
 * or less of them. */
typedef void pamir_prepare_function(int larger, void *argument);
int pamir_partition_prepare(pamir_partition *partition, pamir_prepare_function *prepare,
                            void *argument);

/* Calls `direct(direction, begin, end, argument)` at the end of every pamir_cycle_end, at each rank:
 * what the entry of the history for this cycle tells it to do in the next one. `direction` is 1 for
 * a larger portion than before, 0 for the same and -1 for a smaller one; the rank has items begin to
 * end - 1 from now on. No other rank waits for this one meanwhile. It may not call MPI. */
typedef void pamir_direct_function(int direction, pamir_int begin, pamir_int end, void *argument);
int pamir_partition_direct(pamir_partition *partition, pamir_direct_function *direct,
                           void *argument);

/* What the history told a rank (-1: the caller) after the last cycle (back 0), or after the one
 * `back` before it, up to 7: 1, 0 or -1, as above. All ranks have the same entries. Local. */
int pamir_partition_directive(pamir_partition *partition, int rank, int back, int *direction);

/* The computation of the cycle starts now. Without this call it started when the last cycle ended;
 * it leaves out what lies between, such as the border exchange. */
int pamir_cycle_begin(pamir_partition *partition);

/* Looks who has announced the end of its cycle meanwhile; `slowest` is 1 if all others have. For
 * long computations: local, and as cheap as reading a line of each rank's memory. Calling it is not
 * required. */
int pamir_cycle_test(pamir_partition *partition, int *slowest);

/* The computation of the cycle is done: announces that, waits for all ranks, and moves ranges and
 * arrays as the slowest rank decides. `changed` (may be NULL) is 1 if any range has changed.
 * Collective: a rank without items calls it as well. */
int pamir_cycle_end(pamir_partition *partition, int *changed);

/* What has happened so far, as the calling rank sees it. */
typedef struct pamir_statistics {
    pamir_int cycles;            /* that have ended */
    pamir_int moves;             /* cycles after which something moved */
    pamir_int moved_load;        /* items, or weights, that ranks gave, of all ranks */
    pamir_int fetched_bytes;     /* of arrays, by this rank */
    pamir_int released_bytes;    /* memory that it gave back after moves */
    pamir_int busy_ns;           /* by the policy's clock */
    pamir_int wait_ns;           /* for other ranks */
    pamir_int prepared_larger;   /* how often it was first */
    pamir_int prepared_smaller;  /* how often it alone was missing */
    pamir_int prepared_bytes;    /* memory made or given back by set-up operations */
    pamir_int set_up_ns;         /* what set-up operations took, the program's included */
    pamir_int hidden_ns;         /* of that, while nobody waited for this rank */
    double first_load_balance;   /* average over maximum of all ranks' busy times */
    double last_load_balance;
    pamir_int window_slots;      /* descriptors that fit into each of its injection FIFOs now */
    pamir_int cache_ways;        /* of the last-level cache that it may fill now, and how many */
    pamir_int cache_all_ways;    /*   there are; 0 where nobody divides them */
    char cache[80];              /* the same in words, or why the cache is not divided */
    pamir_int housekeeping_ns;   /* for how long housekeeping ran in this process */
    char clock[16];              /* of busy times: monotonic, undelayed or processor */
    pamir_int decided;           /* cycles in which this rank decided for all */
    pamir_int read_bytes;        /* from files, by this rank */
} pamir_statistics;
int pamir_partition_statistics(pamir_partition *partition, pamir_statistics *statistics);

/* Housekeeping in the time in which a rank waits for others: memory to give back, tables to put in
 * order, garbage to collect. In pamir_cycle_end, pamir_tasks_run, pamir_balance_sync and the calls
 * that PAMIR_BALANCE names, where the last two waits of the rank took half a millisecond or more,
 * `function(budget_ns, argument)` is called until it returns 0 for "nothing more in this wait", or
 * the time is nearly over. It should return within the budget, and the sooner the better, since
 * others may need this rank; after 1 it is called again. It may not call MPI, and no other thread
 * of the process gets into MPI meanwhile. `number` (may be NULL) is for pamir_housekeeping_remove.
 * Local. */
typedef int pamir_housekeeping_function(pamir_int budget_ns, void *argument);
int pamir_housekeeping_add(pamir_housekeeping_function *function, void *argument, pamir_int *number);
int pamir_housekeeping_remove(pamir_int number);

/* A function to give to it: memory that the program has freed goes back to the system. */
int pamir_housekeeping_trim(pamir_int budget_ns, void *argument);

/* Tasks, for jobs whose data must stay where it is: the work is done in parts, at first one a rank.
 * Where ranks wait, there are more and smaller parts, and the fastest rank gets several, which it
 * does at once on threads of its own; no data moves. A split that would take longer than it saves is
 * not made, and parts become fewer again when ranks are equally fast.
 *
 *     pamir_tasks_create(MPI_COMM_WORLD, NULL, 1, &tasks);
 *     for (...)
 *         pamir_tasks_run(tasks, work, argument, NULL);
 *     pamir_tasks_free(&tasks);
 */
typedef struct pamir_tasks_object pamir_tasks;

/* Does part `part` of `parts`, counted from 0, of the work. It is called from several threads at
 * once, and may call MPI only where the program has MPI_THREAD_MULTIPLE. */
typedef void pamir_task_function(pamir_int part, pamir_int parts, void *argument);

/* One task a rank. Collective, with the same arguments at all ranks.
 *   law      NULL, or how many more parts there are by the difference in time between ranks, as law=
 *            in policies: data-per-time (default), linear:PARTS_PER_US[+PARTS], table:NS=PARTS,...
 *   period   parts are levelled every so many cycles; 0: only when it is requested, or upon an
 *            occasion: a rank may run on more or fewer processors, or has another priority, or
 *            another job has come or ended, so that it gets much more or less of the time that it
 *            wants to run (PAMIR_BALANCE_OCCASIONS=off: none of these) */
int pamir_tasks_create(MPI_Comm comm, const char *law, int period, pamir_tasks **tasks);

/* Does the caller's parts, waits for all ranks, and levels. `changed` (may be NULL) is 1 if any rank
 * has another number of parts from now on. Collective. */
int pamir_tasks_run(pamir_tasks *tasks, pamir_task_function *work, void *argument, int *changed);

/* A task of a program's list: a function of its own, and what it costs in relation to the others (from
 * 1 on). */
typedef struct pamir_task {
    void (*work)(void *argument);
    void *argument;
    pamir_int weight;
} pamir_task;

/* Does the caller's tasks of a list, all at once on threads of their own, waits for all ranks, and
 * levels who does which: a rank that gets more done in the same time has more or heavier ones. All
 * ranks give the same list, as long as before or not; each task is done once, by the rank that
 * pamir_tasks_owner told after the last call, if the weights are the same. For tasks that may run on
 * any rank; they may call MPI as in pamir_tasks_run. `changed` (may be NULL) is 1 if any task has
 * another owner from now on. Collective. */
int pamir_tasks_run_list(pamir_tasks *tasks, const pamir_task list[], int count, int *changed);

/* The rank that does a task of the last list in the next cycle. */
int pamir_tasks_owner(pamir_tasks *tasks, int task, int *rank);

/* How many parts a rank does in the next cycle. */
int pamir_tasks_queue(pamir_tasks *tasks, int rank, pamir_int *parts);

/* Asks for levelling after the next cycle, whatever the period, for reasons that only the program
 * knows. One rank's request is enough. */
int pamir_tasks_request(pamir_tasks *tasks);

/* Ends the tasks; the pointer becomes NULL. */
int pamir_tasks_free(pamir_tasks **tasks);

#ifdef __cplusplus
}
#endif

#endif
