/* Pairs of tasks send messages of growing length back and forth; callbacks say when they have
 * come and gone. A task without a partner plays with itself.
 *
 *     mpicc ping_pong.c -lpami -o ping_pong && mpiexec -n 2 ./ping_pong
 */
#include <pami.h>
#include <stdio.h>

enum { BALL = 2, LONGEST = 1 << 20 };

static char sent[LONGEST], received[LONGEST];
static int departed, arrived;

static void done(pami_context_t context, void *flag, pami_result_t result)
{
    (void)context;
    if (result != PAMI_SUCCESS)
        exit(1);
    ++*(int *)flag;
}

static void caught(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                   const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)cookie, (void)header, (void)header_bytes, (void)origin;
    if (data != NULL) { /* all of it is here */
        PAMI_DATA_COPY(received, (void *)data, bytes, NULL);
        done(context, &arrived, PAMI_SUCCESS);
    } else { /* it comes to where we say */
        recv->addr = received;
        recv->type = PAMI_TYPE_BYTE;
        recv->data_fn = PAMI_DATA_COPY;
        recv->local_fn = done;
        recv->cookie = &arrived;
    }
}

int main(void)
{
    pami_client_t client;
    pami_context_t context;
    if (PAMI_Client_create("ping-pong", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    size_t task = asked[0].value.intval, partner = task ^ 1;
    if (partner >= asked[1].value.intval)
        partner = task;

    pami_dispatch_callback_function function = {.p2p = caught};
    PAMI_Dispatch_set(context, BALL, function, NULL, (pami_dispatch_hint_t){0});
    for (size_t bytes = 1; bytes <= LONGEST; bytes *= 4) {
        sent[bytes - 1] = (char)bytes + 1;
        pami_send_t ball = {.send = {.data = {sent, bytes}, .dispatch = BALL},
                            .events = {&departed, done, NULL}};
        PAMI_Endpoint_create(client, (pami_task_t)partner, 0, &ball.send.dest);
        departed = 0;
        if (task <= partner)
            PAMI_Send(context, &ball);
        while (arrived == 0)
            PAMI_Context_advance(context, 1000);
        arrived = 0;
        if (task > partner)
            PAMI_Send(context, &ball);
        while (departed == 0)
            PAMI_Context_advance(context, 1000);
        if (received[bytes - 1] != (char)bytes + 1)
            return 1;
    }
    printf("task %zu: played\n", task);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return 0;
}
