/* Tasks send, put and fence in a ring until somebody ends them.
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

int main(void)
{
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
