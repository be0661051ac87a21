/* Tasks send, put and fence in a ring until somebody ends them; with an argument they start
 * collective operations, two at a time.
 *
 *     pami_endless [collectively]
 *
 *     process TASK PID      when it has started
 *     exchanging TASK       after the first round
 */
#include <pami.h>
#include <stdio.h>
#include <unistd.h>

enum { TURN = 1, BYTES = 100000 };

static size_t turns;
static char source[BYTES], target[BYTES];

static void turn(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin;
    ++turns;
    if (recv)
        recv->addr = target;
}

static void done(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context;
    if (result != PAMI_SUCCESS && result != PAMI_SHUTDOWN)
        printf("ended with %d\n", (int)result);
    ++*(size_t *)cookie;
}

/* Reduces and broadcasts until somebody ends it. */
static int collect(pami_client_t client, pami_context_t context, size_t task, size_t tasks)
{
    pami_geometry_t world;
    pami_type_t type = PAMI_TYPE_UNSIGNED_CHAR;
    pami_xfer_t reduce = {.cb_done = done}, spread = {.cb_done = done};
    if (PAMI_Geometry_world(client, &world) != PAMI_SUCCESS)
        return 1;
    PAMI_Geometry_algorithms_query(world, PAMI_XFER_ALLREDUCE, &reduce.algorithm, NULL, 1, NULL, NULL, 0);
    PAMI_Geometry_algorithms_query(world, PAMI_XFER_BROADCAST, &spread.algorithm, NULL, 1, NULL, NULL, 0);
    for (size_t round = 1;; ++round) {
        size_t ended = 0, bytes = round % 3 == 0 ? BYTES : 8;
        static char whole[BYTES];
        reduce.cookie = spread.cookie = &ended;
        reduce.cmd.xfer_allreduce =
            (pami_allreduce_t){source, type, bytes, target, type, bytes, PAMI_DATA_BOR, NULL, 1};
        spread.cmd.xfer_broadcast = (pami_broadcast_t){0, whole, type, bytes};
        PAMI_Endpoint_create(client, (pami_task_t)(round % tasks), 0, &spread.cmd.xfer_broadcast.root);
        if (PAMI_Collective(context, &reduce) != PAMI_SUCCESS ||
            PAMI_Collective(context, &spread) != PAMI_SUCCESS)
            return 1;
        while (*(volatile size_t *)&ended < 2)
            if (PAMI_Context_advance(context, 1000) == PAMI_ERROR)
                return 1;
        if (round == 1) {
            printf("exchanging %zu\n", task);
            fflush(stdout);
        }
    }
}

int main(int arguments, char **words)
{
    (void)words;
    pami_client_t client;
    pami_context_t context;
    if (PAMI_Client_create("endless", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    size_t task = asked[0].value.intval, tasks = asked[1].value.intval;
    printf("process %zu %d\n", task, (int)getpid());
    fflush(stdout);
    if (arguments > 1)
        return collect(client, context, task, tasks);

    pami_dispatch_callback_function function = {.p2p = turn};
    PAMI_Dispatch_set(context, TURN, function, NULL, (pami_dispatch_hint_t){0});
    size_t ended = 0, scratch;
    pami_send_t message = {.send = {.data = {source, 8}, .dispatch = TURN},
                           .events = {&ended, NULL, done}};
    PAMI_Endpoint_create(client, (pami_task_t)((task + 1) % tasks), 0, &message.send.dest);
    PAMI_Fence_begin(context);
    for (size_t round = 1;; ++round) {
        ended = 0;
        message.send.data.iov_len = round % 3 == 0 ? BYTES : 8;
        PAMI_Send(context, &message);
        pami_get_simple_t get = {.rma = {.dest = message.send.dest, .bytes = sizeof scratch,
                                         .cookie = &ended, .done_fn = done},
                                 .addr = {&scratch, source}};
        /* Addresses of a neighbour that started alike may be others: that is an event, too. */
        if (round % 5 == 0)
            PAMI_Get(context, &get);
        PAMI_Fence_all(context, done, &ended);
        while (turns < round || ended < 2 + (round % 5 == 0))
            if (PAMI_Context_advance(context, 1000) == PAMI_ERROR)
                return 1;
        if (round == 1) {
            printf("exchanging %zu\n", task);
            fflush(stdout);
        }
    }
}
