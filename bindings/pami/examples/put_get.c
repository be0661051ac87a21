/* Every task puts a number into its right neighbour's memory region, adds one to a counter of task
 * 0, and gets the number back. The regions are made known by messages.
 *
 *     mpicc put_get.c -lpami -o put_get && mpiexec -n 4 ./put_get
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { ADDRESSES = 3, FAREWELL = 4, MOST = 1024 };

struct addresses {
    pami_memregion_t region;
    void *counter;
};

static struct addresses known[MOST];
static size_t heard, farewells;

static void learned(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t data_bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)data, (void)data_bytes, (void)recv;
    pami_task_t task;
    size_t offset;
    PAMI_Endpoint_query(origin, &task, &offset);
    memcpy(&known[task], header, header_bytes);
    ++heard;
}

/* Apart from the addresses: a neighbour may say it before another one's address is here. */
static void taken_leave(pami_context_t context, void *cookie, const void *header,
                        size_t header_bytes, const void *data, size_t data_bytes,
                        pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)data_bytes;
    (void)origin, (void)recv;
    ++farewells;
}

static void done(pami_context_t context, void *flag, pami_result_t result)
{
    (void)context;
    if (result != PAMI_SUCCESS)
        exit(1);
    *(int *)flag = 1;
}

int main(void)
{
    pami_client_t client;
    pami_context_t context;
    if (PAMI_Client_create("put and get", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    size_t task = asked[0].value.intval, tasks = asked[1].value.intval, granted;
    size_t right = (task + 1) % tasks;

    long mine[3] = {(long)task + 100, -1, -1}, counter = 0; /* to put, put here, got back */
    struct addresses own = {.counter = &counter};
    PAMI_Memregion_create(context, mine, sizeof mine, &granted, &own.region);
    pami_dispatch_callback_function function = {.p2p = learned};
    PAMI_Dispatch_set(context, ADDRESSES, function, NULL, (pami_dispatch_hint_t){0});
    function.p2p = taken_leave;
    PAMI_Dispatch_set(context, FAREWELL, function, NULL, (pami_dispatch_hint_t){0});
    pami_send_immediate_t message = {.dispatch = ADDRESSES, .header = {&own, sizeof own}};
    for (size_t other = 0; other < tasks; ++other) {
        PAMI_Endpoint_create(client, (pami_task_t)other, 0, &message.dest);
        PAMI_Send_immediate(context, &message);
    }
    while (heard < tasks)
        PAMI_Context_advance(context, 1000);

    int put_done = 0, get_done = 0, add_done = 0;
    pami_rput_simple_t put = {.rma = {.bytes = sizeof(long), .cookie = &put_done},
                              .rdma = {{&own.region, 0}, {&known[right].region, sizeof(long)}},
                              .put = {done}};
    PAMI_Endpoint_create(client, (pami_task_t)right, 0, &put.rma.dest);
    if (PAMI_Rput(context, &put) != PAMI_SUCCESS)
        return 1;
    while (!put_done)
        PAMI_Context_advance(context, 1000);

    pami_rget_simple_t get = {
        .rma = {.dest = put.rma.dest, .bytes = sizeof(long), .cookie = &get_done, .done_fn = done},
        .rdma = {{&own.region, 2 * sizeof(long)}, {&known[right].region, sizeof(long)}}};
    if (PAMI_Rget(context, &get) != PAMI_SUCCESS)
        return 1;
    while (!get_done)
        PAMI_Context_advance(context, 1000);

    long one = 1;
    pami_rmw_t add = {.cookie = &add_done, .done_fn = done, .remote = known[0].counter,
                      .value = &one, .operation = PAMI_ATOMIC_ADD, .type = PAMI_TYPE_SIGNED_LONG};
    PAMI_Endpoint_create(client, 0, 0, &add.dest);
    if (PAMI_Rmw(context, &add) != PAMI_SUCCESS)
        return 1;
    while (!add_done || (task == 0 && *(volatile long *)&counter < (long)tasks))
        PAMI_Context_advance(context, 1000);

    /* All have told each other that they need nothing more. */
    message.dispatch = FAREWELL;
    for (size_t other = 0; other < tasks; ++other) {
        PAMI_Endpoint_create(client, (pami_task_t)other, 0, &message.dest);
        PAMI_Send_immediate(context, &message);
    }
    while (farewells < tasks)
        PAMI_Context_advance(context, 1000);
    long left = (long)((task + tasks - 1) % tasks) + 100;
    int good = mine[2] == mine[0] && *(volatile long *)&mine[1] == left;
    printf("task %zu: %s\n", task, good ? "put and got" : "wrong");
    PAMI_Memregion_destroy(context, &own.region);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return !good;
}
