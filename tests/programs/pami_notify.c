/* Puts and gets that tell the other task: each task puts a number into its right neighbour, which hears of it by its
 * advance alone, and gets a block from its left one, which hears that it has been read. Sizes: one word, and what the
 * kernel or the engine moves.
 *
 *     mpiexec -n 4 pami_notify [MESSAGES]
 */
#include <pami.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUT = 1, READ = 2, ADDRESS = 3, LONG = 300000, MOST_TASKS = 64 };

static unsigned char window[MOST_TASKS][LONG], source[LONG], sink[LONG];
struct heard {
    size_t count;
    pamir_notice_t last;
};
static struct heard puts_heard, reads_heard;
static void *windows[MOST_TASKS], *sources[MOST_TASKS];
static size_t addresses, wrong;

static void check(int right, int line)
{
    if (!right) {
        fprintf(stderr, "line %d: wrong\n", line);
        ++wrong;
    }
}
#define CHECK(right) check((right), __LINE__)

static void heard(pami_context_t context, void *by, const void *header, size_t header_bytes, const void *data,
                  size_t data_bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    pami_task_t task;
    size_t offset;
    struct heard *here = by;
    (void)context, (void)data;
    CHECK(header_bytes == sizeof here->last && data_bytes == 0 && recv == NULL);
    memcpy(&here->last, header, sizeof here->last);
    PAMI_Endpoint_query(origin, &task, &offset);
    CHECK(here->last.word >> 32 == task);
    ++here->count;
}

static void learned(pami_context_t context, void *cookie, const void *header, size_t header_bytes, const void *data,
                    size_t data_bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    pami_task_t task;
    size_t offset;
    void *both[2];
    (void)context, (void)cookie, (void)header_bytes, (void)data, (void)data_bytes, (void)recv;
    PAMI_Endpoint_query(origin, &task, &offset);
    memcpy(both, header, sizeof both);
    windows[task] = both[0];
    sources[task] = both[1];
    ++addresses;
}

static void done(pami_context_t context, void *count, pami_result_t result)
{
    (void)context;
    CHECK(result == PAMI_SUCCESS);
    ++*(size_t *)count;
}

static void advance_until(pami_context_t context, const size_t *count, size_t least)
{
    while (*count < least)
        PAMI_Context_advance(context, 100);
}

int main(int argc, char **argv)
{
    pami_client_t client;
    pami_context_t context;
    pami_extension_t extension;
    size_t messages = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    if (PAMI_Client_create("notify", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS ||
        PAMI_Extension_open(client, "EXT_pamir", &extension) != PAMI_SUCCESS)
        return 1;
    pamir_put_notify_fn put_notify = (pamir_put_notify_fn)PAMI_Extension_symbol(extension, "put_notify");
    pamir_get_notify_fn get_notify = (pamir_get_notify_fn)PAMI_Extension_symbol(extension, "get_notify");
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    size_t task = asked[0].value.intval, tasks = asked[1].value.intval;
    size_t right = (task + 1) % tasks, left = (task + tasks - 1) % tasks;
    pami_dispatch_hint_t none = {0};
    PAMI_Dispatch_set(context, PUT, (pami_dispatch_callback_function){.p2p = heard}, &puts_heard, none);
    PAMI_Dispatch_set(context, READ, (pami_dispatch_callback_function){.p2p = heard}, &reads_heard, none);
    PAMI_Dispatch_set(context, ADDRESS, (pami_dispatch_callback_function){.p2p = learned}, NULL, none);
    for (size_t to = 0; to < tasks; ++to) {
        void *both[2] = {window, source};
        pami_send_immediate_t hello = {.header = {both, sizeof both}, .dispatch = ADDRESS};
        PAMI_Endpoint_create(client, to, 0, &hello.dest);
        CHECK(PAMI_Send_immediate(context, &hello) == PAMI_SUCCESS);
    }
    memset(source, (int)task + 1, sizeof source);
    advance_until(context, &addresses, tasks);
    for (size_t at = 0; at < messages; ++at) {
        size_t bytes = at % 3 == 0 ? sizeof at : at % 3 == 1 ? 5000 : LONG;
        size_t put_done = 0, get_done = 0;
        pami_put_simple_t put = {.rma = {.bytes = bytes, .cookie = &put_done, .done_fn = done},
                                 .addr = {source, (char *)windows[right] + task * LONG}};
        pami_get_simple_t get = {.rma = {.bytes = bytes, .cookie = &get_done, .done_fn = done},
                                 .addr = {sink, sources[left]}};
        PAMI_Endpoint_create(client, right, 0, &put.rma.dest);
        PAMI_Endpoint_create(client, left, 0, &get.rma.dest);
        CHECK(put_notify(context, &put, PUT, (uint64_t)task << 32 | at) == PAMI_SUCCESS);
        advance_until(context, &puts_heard.count, at + 1);
        pamir_notice_t last = puts_heard.last;
        CHECK(last.word == ((uint64_t)left << 32 | at) && last.bytes == bytes && last.address == window[left]);
        CHECK(window[left][0] == left + 1 && window[left][bytes - 1] == left + 1);
        window[left][0] = window[left][bytes - 1] = 0;
        advance_until(context, &put_done, 1);
        CHECK(get_notify(context, &get, READ, (uint64_t)task << 32 | at) == PAMI_SUCCESS);
        advance_until(context, &get_done, 1);
        CHECK(sink[0] == left + 1 && sink[bytes - 1] == left + 1);
        advance_until(context, &reads_heard.count, at + 1);
        last = reads_heard.last;
        CHECK(last.word == ((uint64_t)right << 32 | at) && last.bytes == bytes && last.address == source);
        sink[0] = sink[bytes - 1] = 0;
    }
    CHECK(put_notify(context, NULL, PUT, 0) == PAMI_INVAL);
    CHECK(put_notify(context, NULL, 1 << 20, 0) == PAMI_INVAL);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    printf("task %zu of %zu: %zu failures\n", task, tasks, wrong);
    return wrong != 0;
}
