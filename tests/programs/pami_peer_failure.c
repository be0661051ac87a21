/* Task 1 of two leaves, or is killed, while task 0 waits for it in every way there is.
 *
 *     pami_peer_failure left        task 1 destroys its context at once
 *     pami_peer_failure killed      task 1 prints "process PID" and waits to be killed; task 0 outlives
 *                               the launcher's request to end by ignoring it
 *
 * Task 0 sends a message whose data is asked for, one that is acknowledged, an integer to be
 * modified, and gives room for a message of task 1's that never comes. It prints "told EVENTS" when
 * each callback has been called with an error, and ends well.
 */
#include <pami.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DATA = 1, GREETING = 2, BYTES = 1 << 20 };

static char source[BYTES], target[BYTES];
static volatile size_t greetings, offers, told, good;

static void ended(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie;
    if (result == PAMI_SUCCESS)
        ++good;
    else
        ++told;
}

static void greeted(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin, (void)recv;
    ++greetings;
}

static void offered(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin;
    *recv = (pami_recv_t){.addr = target, .type = PAMI_TYPE_BYTE, .data_fn = PAMI_DATA_COPY,
                          .local_fn = ended};
    ++offers;
}

static int set(pami_context_t context, size_t id, pami_dispatch_p2p_function function)
{
    pami_dispatch_callback_function callback = {.p2p = function};
    pami_dispatch_hint_t none = {0};
    return PAMI_Dispatch_set(context, id, callback, NULL, none) == PAMI_SUCCESS;
}

static int send(pami_context_t context, pami_endpoint_t to, size_t bytes, int local, int remote)
{
    pami_send_t message = {
        .send = {.data = {source, bytes}, .dispatch = DATA, .dest = to},
        .events = {NULL, local ? ended : NULL, remote ? ended : NULL}};
    return PAMI_Send(context, &message) == PAMI_SUCCESS;
}

static int wait_for(pami_context_t context, volatile size_t *count, size_t number)
{
    while (*count < number)
        if (PAMI_Context_advance(context, 100) == PAMI_ERROR)
            return 0;
    return 1;
}

/* Everything that waits for task 1: how many callbacks that makes, or 0. */
static size_t start_all(pami_context_t context, pami_endpoint_t to)
{
    static long number, before;
    pami_rmw_t modify = {.dest = to, .cookie = NULL, .done_fn = ended, .local = &before,
                         .remote = &number, .value = &number, .operation = PAMI_ATOMIC_FETCH_ADD,
                         .type = PAMI_TYPE_SIGNED_LONG};
    int all = send(context, to, BYTES, 1, 1) && send(context, to, 8, 0, 1) &&
              PAMI_Rmw(context, &modify) == PAMI_SUCCESS;
    return all ? 4 : 0;
}

int main(int count, char **arguments)
{
    int killed = count > 1 && strcmp(arguments[1], "killed") == 0;
    pami_client_t client;
    pami_context_t context;
    pami_endpoint_t other;
    pami_configuration_t about = {.name = PAMI_CLIENT_TASK_ID};
    if (killed)
        signal(SIGTERM, SIG_IGN);
    if (PAMI_Client_create("departed", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Client_query(client, &about, 1) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS ||
        !set(context, DATA, offered) || !set(context, GREETING, greeted))
        return 1;
    size_t task = about.value.intval;
    PAMI_Endpoint_create(client, (pami_task_t)(1 - task), 0, &other);
    if (task == 1) {
        pami_send_immediate_t greeting = {.dispatch = GREETING, .dest = other};
        if (!send(context, other, BYTES, 0, 0) ||
            PAMI_Send_immediate(context, &greeting) != PAMI_SUCCESS)
            return 1;
        if (killed) {
            printf("process %d\n", (int)getpid());
            fflush(stdout);
            for (;;)
                pause();
        }
        PAMI_Context_destroyv(&context, 1);
        PAMI_Client_destroy(&client);
        return 0;
    }
    size_t due = 1; /* the message of task 1's */
    if (!wait_for(context, &greetings, 1) || offers != 1)
        return 1;
    due += start_all(context, other);
    if (!wait_for(context, &told, due))
        return 1;
    /* And all of it again, when it has gone for long. */
    due += start_all(context, other);
    if (!wait_for(context, &told, due))
        return 1;
    printf("told %zu\n", (size_t)told);
    fflush(stdout);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return good == 0 && told == 9 ? 0 : 1;
}
