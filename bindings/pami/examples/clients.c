/* Two clients of one process, a solver and its monitor, each with contexts of its own: equal task
 * and context numbers, and no message of one ever comes to the other.
 *
 *     mpicc clients.c -lpami -o clients && mpiexec -n 2 ./clients
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 1, CONTEXTS = 2 };

struct user {
    const char *name;
    pami_client_t client;
    pami_context_t contexts[CONTEXTS];
    size_t heard, wrong;
};

static void heard(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                  const void *data, size_t data_bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    struct user *user = cookie;
    (void)context, (void)data, (void)data_bytes, (void)origin, (void)recv;
    user->wrong += header_bytes != strlen(user->name) || memcmp(header, user->name, header_bytes);
    ++user->heard;
}

int main(void)
{
    struct user users[] = {{.name = "solver"}, {.name = "monitor"}};
    pami_configuration_t asked = {.name = PAMI_CLIENT_NUM_TASKS};
    pami_dispatch_callback_function function = {.p2p = heard};
    for (struct user *user = users; user < users + 2; ++user) {
        if (PAMI_Client_create(user->name, &user->client, NULL, 0) != PAMI_SUCCESS ||
            PAMI_Context_createv(user->client, NULL, 0, user->contexts, CONTEXTS) != PAMI_SUCCESS)
            return 1;
        for (int offset = 0; offset < CONTEXTS; ++offset)
            PAMI_Dispatch_set(user->contexts[offset], WORD, function, user,
                              (pami_dispatch_hint_t){0});
    }
    PAMI_Client_query(users[0].client, &asked, 1);
    size_t tasks = asked.value.intval, expected = tasks * CONTEXTS * CONTEXTS;

    /* From every context to every context of every task, its own among them. */
    for (struct user *user = users; user < users + 2; ++user)
        for (size_t pair = 0; pair < expected; ++pair) {
            pami_send_immediate_t word = {.dispatch = WORD,
                                          .header = {(void *)user->name, strlen(user->name)}};
            PAMI_Endpoint_create(user->client, (pami_task_t)(pair / CONTEXTS / CONTEXTS),
                                 pair / CONTEXTS % CONTEXTS, &word.dest);
            PAMI_Send_immediate(user->contexts[pair % CONTEXTS], &word);
        }
    for (struct user *user = users; user < users + 2; ++user) {
        while (user->heard < expected)
            PAMI_Context_advancev(user->contexts, CONTEXTS, 1000);
        printf("%s: %zu words, %zu wrong\n", user->name, user->heard, user->wrong);
        PAMI_Context_destroyv(user->contexts, CONTEXTS);
        PAMI_Client_destroy(&user->client);
    }
    return users[0].wrong + users[1].wrong != 0;
}
