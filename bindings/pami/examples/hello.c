/* Every task greets task 0, which counts them.
 *
 *     mpicc hello.c -lpami -o hello && mpiexec -n 4 ./hello
 */
#include <pami.h>
#include <stdio.h>

enum { GREETING = 1 };

static void greeted(pami_context_t context, void *count, const void *name, size_t name_bytes,
                    const void *data, size_t data_bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)data, (void)data_bytes, (void)origin, (void)recv;
    printf("hello from %.*s\n", (int)name_bytes, (const char *)name);
    ++*(size_t *)count;
}

int main(void)
{
    pami_client_t client;
    pami_context_t context;
    if (PAMI_Client_create("hello", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS) {
        char text[200];
        PAMI_Error_text(text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    size_t task = asked[0].value.intval, tasks = asked[1].value.intval, count = 0;

    pami_dispatch_callback_function function = {.p2p = greeted};
    PAMI_Dispatch_set(context, GREETING, function, &count, (pami_dispatch_hint_t){0});

    char name[32];
    size_t bytes = (size_t)snprintf(name, sizeof name, "task %zu of %zu", task, tasks);
    pami_send_immediate_t greeting = {.dispatch = GREETING, .header = {name, bytes}};
    PAMI_Endpoint_create(client, 0, 0, &greeting.dest);
    PAMI_Send_immediate(context, &greeting);

    while (task == 0 && count < tasks)
        PAMI_Context_advance(context, 1000);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return 0;
}
