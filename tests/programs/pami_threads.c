/* Four threads share the contexts of a task: each posts, sends under the lock, and advances
 * whichever context is free. Work runs and messages come exactly once. Then two threads have a
 * context each, without a lock, and both contexts of all tasks sum together. */
#include <pami.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 500, CONTEXTS = 2, MESSAGE = 1 };

static pami_client_t client;
static pami_context_t contexts[CONTEXTS];
static size_t task, tasks;
static atomic_size_t came, worked, failures;
static size_t unlocked[CONTEXTS]; /* touched under the context's lock only */

static void arrived(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)header, (void)header_bytes, (void)data, (void)bytes, (void)origin;
    (void)recv;
    ++*(size_t *)cookie;
    atomic_fetch_add(&came, 1);
}

static pami_result_t work(pami_context_t context, void *cookie)
{
    (void)context;
    ++*(size_t *)cookie;
    atomic_fetch_add(&worked, 1);
    return PAMI_SUCCESS;
}

static void *run(void *cookie)
{
    size_t thread = (size_t)cookie;
    static pami_work_t storage[THREADS][ROUNDS];
    for (size_t round = 0; round < ROUNDS; ++round) {
        size_t offset = (thread + round) % CONTEXTS;
        if (PAMI_Context_post(contexts[offset], &storage[thread][round], work, &unlocked[offset]))
            atomic_fetch_add(&failures, 1);
        pami_send_immediate_t message = {.dispatch = MESSAGE};
        PAMI_Endpoint_create(client, (pami_task_t)((task + 1) % tasks), offset, &message.dest);
        PAMI_Context_lock(contexts[offset]);
        if (PAMI_Send_immediate(contexts[offset], &message))
            atomic_fetch_add(&failures, 1);
        PAMI_Context_unlock(contexts[offset]);
        PAMI_Context_trylock_advancev(contexts, CONTEXTS, 1);
    }
    while (came < THREADS * ROUNDS || worked < THREADS * ROUNDS)
        PAMI_Context_trylock_advancev(contexts, CONTEXTS, 10);
    return NULL;
}

static pami_geometry_t everybody;
static pami_algorithm_t summing;

static void ended(pami_context_t context, void *flag, pami_result_t result)
{
    (void)context;
    if (result != PAMI_SUCCESS)
        atomic_fetch_add(&failures, 1);
    *(volatile int *)flag = 1;
}

static void *sum(void *cookie)
{
    size_t offset = (size_t)cookie, members = CONTEXTS * tasks;
    for (size_t round = 0; round < ROUNDS; ++round) {
        volatile int flag = 0;
        size_t mine = task * CONTEXTS + offset + round, all = 0;
        pami_type_t type = PAMI_TYPE_UNSIGNED_LONG;
        pami_xfer_t xfer = {.cb_done = ended, .cookie = (void *)&flag, .algorithm = summing,
                            .cmd.xfer_allreduce = {(char *)&mine, type, 1, (char *)&all, type, 1,
                                                   PAMI_DATA_SUM, NULL, 1}};
        if (PAMI_Collective(contexts[offset], &xfer))
            atomic_fetch_add(&failures, 1);
        while (!flag)
            PAMI_Context_advance(contexts[offset], 100);
        if (all != members * (members - 1) / 2 + members * round)
            atomic_fetch_add(&failures, 1);
    }
    return NULL;
}

static void sum_together(void)
{
    pthread_t threads[CONTEXTS];
    volatile int flag = 0;
    pami_geometry_range_t range = {0, (pami_task_t)(tasks - 1)};
    PAMI_Geometry_create_taskrange(client, PAMI_ALL_CONTEXTS, NULL, 0, &everybody, PAMI_GEOMETRY_NULL,
                                   1, &range, 1, contexts[1], ended, (void *)&flag);
    while (!flag)
        PAMI_Context_advancev(contexts, CONTEXTS, 100);
    PAMI_Geometry_algorithms_query(everybody, PAMI_XFER_ALLREDUCE, &summing, NULL, 1, NULL, NULL, 0);
    for (size_t offset = 0; offset < CONTEXTS; ++offset)
        pthread_create(&threads[offset], NULL, sum, (void *)offset);
    for (size_t offset = 0; offset < CONTEXTS; ++offset)
        pthread_join(threads[offset], NULL);
}

int main(void)
{
    pthread_t threads[THREADS];
    if (PAMI_Client_create("threads", &client, NULL, 0) ||
        PAMI_Context_createv(client, NULL, 0, contexts, CONTEXTS))
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    task = asked[0].value.intval, tasks = asked[1].value.intval;
    pami_dispatch_callback_function function = {.p2p = arrived};
    for (size_t offset = 0; offset < CONTEXTS; ++offset)
        PAMI_Dispatch_set(contexts[offset], MESSAGE, function, &unlocked[offset],
                          (pami_dispatch_hint_t){0});
    for (size_t thread = 0; thread < THREADS; ++thread)
        pthread_create(&threads[thread], NULL, run, (void *)thread);
    for (size_t thread = 0; thread < THREADS; ++thread)
        pthread_join(threads[thread], NULL);
    sum_together();
    size_t counted = unlocked[0] + unlocked[1];
    int good = failures == 0 && counted == 2 * THREADS * ROUNDS && came == THREADS * ROUNDS;
    printf("task %zu: %s\n", task, good ? "all once" : "wrong");
    PAMI_Context_destroyv(contexts, CONTEXTS);
    PAMI_Client_destroy(&client);
    return !good;
}
