/* Every task sends numbers to task 0, which has them added to what is there as they come
 * (PAMI_DATA_SUM in pami_recv_t), one after another and every other one; also the greater ones
 * (PAMI_DATA_MAX). Messages of one packet, of several, and those whose data is asked for.
 *
 * Task 0 prints "added" when all sums are right; the others end when they are told to.
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { ADD = 1, DONE = 2, MOST = 200000, ROUNDS = 3 };

struct about {
    size_t count;
    int apart, greater;
};

static double numbers[MOST], sums[2 * MOST];
static volatile size_t arrived, done, sent;
static size_t tasks, task, failures;
static pami_type_t every_other;

static void received(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie;
    failures += result != PAMI_SUCCESS;
    ++arrived;
}

static void gone(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie;
    failures += result != PAMI_SUCCESS;
    ++sent;
}

static void add(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header_bytes, (void)bytes, (void)origin;
    struct about about;
    memcpy(&about, header, sizeof about);
    if (data) { /* the hints forbid it */
        ++failures;
        return;
    }
    *recv = (pami_recv_t){.addr = sums, .type = about.apart ? every_other : PAMI_TYPE_DOUBLE,
                          .data_fn = about.greater ? PAMI_DATA_MAX : PAMI_DATA_SUM,
                          .local_fn = received};
}

static void told(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin, (void)recv;
    ++done;
}

static void wait_for(pami_context_t context, volatile size_t *count, size_t number)
{
    while (*count < number)
        PAMI_Context_advance(context, 100);
}

static void check(struct about about)
{
    size_t stride = about.apart ? 2 : 1;
    for (size_t at = 0; at < about.count * stride; ++at) {
        double come = (double)(at / stride), all = (double)tasks * come + (double)(tasks * (tasks - 1)) / 2;
        double greatest = come + (double)(tasks - 1);
        double expected = at % stride != 0 ? 0.5 : about.greater ? greatest : 0.5 + all;
        failures += sums[at] != expected;
    }
}

int main(void)
{
    static const size_t counts[] = {4, 3000, MOST};
    pami_client_t client;
    pami_context_t context;
    pami_endpoint_t root;
    pami_configuration_t about[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    pami_dispatch_callback_function adding = {.p2p = add}, telling = {.p2p = told};
    pami_dispatch_hint_t late = {.recv_immediate = PAMI_HINT_DISABLE}, none = {0};
    if (PAMI_Client_create("accumulate", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Client_query(client, about, 2) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS ||
        PAMI_Dispatch_set(context, ADD, adding, NULL, late) != PAMI_SUCCESS ||
        PAMI_Dispatch_set(context, DONE, telling, NULL, none) != PAMI_SUCCESS ||
        PAMI_Type_create(&every_other) != PAMI_SUCCESS ||
        PAMI_Type_add_typed(every_other, PAMI_TYPE_DOUBLE, 0, MOST, 16) != PAMI_SUCCESS ||
        PAMI_Type_complete(every_other, 8) != PAMI_SUCCESS)
        return 1;
    task = about[0].value.intval, tasks = about[1].value.intval;
    PAMI_Endpoint_create(client, 0, 0, &root);
    for (size_t at = 0; at < MOST; ++at)
        numbers[at] = (double)(at + task);
    for (size_t round = 0; round < ROUNDS * 4; ++round) {
        struct about message = {counts[round / 4], round & 1, round >> 1 & 1};
        if (task == 0)
            for (size_t at = 0; at < 2 * MOST; ++at)
                sums[at] = message.greater && at % (message.apart ? 2 : 1) == 0 ? -1 : 0.5;
        pami_send_t send = {.send = {.header = {&message, sizeof message},
                                     .data = {numbers, message.count * sizeof *numbers},
                                     .dispatch = ADD, .dest = root},
                            .events = {NULL, gone, NULL}};
        failures += PAMI_Send(context, &send) != PAMI_SUCCESS;
        wait_for(context, &sent, round + 1);
        if (task == 0) {
            wait_for(context, &arrived, tasks * (round + 1));
            check(message);
            for (size_t other = 1; other < tasks; ++other) {
                pami_send_immediate_t next = {.dispatch = DONE};
                PAMI_Endpoint_create(client, (pami_task_t)other, 0, &next.dest);
                failures += PAMI_Send_immediate(context, &next) != PAMI_SUCCESS;
            }
        } else {
            wait_for(context, &done, round + 1);
        }
    }
    /* Where data is sent from, nothing can be combined; bytes and structures have no elements. */
    pami_send_typed_t wrong = {.send = {.data = {numbers, 8}, .dispatch = ADD, .dest = root},
                               .typed = {PAMI_TYPE_DOUBLE, 0, PAMI_DATA_SUM, NULL}};
    failures += PAMI_Send_typed(context, &wrong) != PAMI_INVAL;
    failures += PAMI_Type_transform_data(numbers, PAMI_TYPE_DOUBLE, 0, sums, PAMI_TYPE_DOUBLE, 0, 8,
                                         PAMI_DATA_BAND, NULL) != PAMI_INVAL;
    if (task == 0 && failures == 0)
        printf("added\n");
    PAMI_Type_destroy(&every_other);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return failures != 0;
}
