/* A process in two domains of communication: PAMIR_CLIENTS gives client "left" the tasks 2 and 0, "right" the tasks 1 to 3,
 * and "all" no list, in a job of four. Each client then does what shows its engine, FIFOs or path in the report of the driver.
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { DISPATCH = 3, LONG = 4, MANY = 5, FLOOD = 20000, LONG_BYTES = 8 << 20 };

static size_t failures, own;
static volatile size_t ended, came, sent_by, flooded;

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%zu, %d: %s\n", own, __LINE__, #condition)))

typedef struct {
    pami_client_t client;
    pami_context_t context;
    size_t task, tasks, contexts;
} domain_t;

static void done(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie;
    CHECK(result == PAMI_SUCCESS);
    ++ended;
}

static void receive(pami_context_t context, void *cookie, const void *header, size_t header_bytes, const void *data,
                    size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    size_t offset;
    pami_task_t from;
    (void)context, (void)cookie, (void)data, (void)bytes, (void)recv;
    CHECK(PAMI_Endpoint_query(origin, &from, &offset) == PAMI_SUCCESS && offset == 0);
    CHECK(header_bytes == sizeof sent_by);
    memcpy((void *)&sent_by, header, sizeof sent_by);
    CHECK(from == sent_by);
    ++came;
}

static void count(pami_context_t context, void *cookie, const void *header, size_t header_bytes, const void *data,
                  size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)origin;
    CHECK(bytes == 400 && recv == NULL);
    ++flooded;
}

static int open_domain(domain_t *domain, const char *name)
{
    char text[300];
    pami_result_t result = PAMI_Client_create(name, &domain->client, NULL, 0);
    if (result != PAMI_SUCCESS) {
        CHECK(result == PAMI_INVAL && PAMI_Error_text(text, sizeof text) > 10);
        CHECK(strstr(text, "other tasks than this one") != NULL);
        return 0;
    }
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS},
                                    {.name = PAMI_CLIENT_NUM_CONTEXTS}, {.name = PAMI_CLIENT_NUM_LOCAL_TASKS}};
    CHECK(PAMI_Client_query(domain->client, asked, 4) == PAMI_SUCCESS);
    domain->task = asked[0].value.intval, domain->tasks = asked[1].value.intval;
    domain->contexts = asked[2].value.intval;
    CHECK(asked[3].value.intval == domain->tasks);
    CHECK(PAMI_Context_createv(domain->client, NULL, 0, &domain->context, 1) == PAMI_SUCCESS);
    pami_dispatch_callback_function fn = {.p2p = receive};
    CHECK(PAMI_Dispatch_set(domain->context, DISPATCH, fn, NULL, (pami_dispatch_hint_t){0}) == PAMI_SUCCESS);
    fn.p2p = count;
    CHECK(PAMI_Dispatch_set(domain->context, MANY, fn, NULL, (pami_dispatch_hint_t){0}) == PAMI_SUCCESS);
    return 1;
}

/* A sum of all, and a message to the next. */
static void talk(domain_t *domain)
{
    pami_geometry_t world;
    long in = 1L << domain->task, out = 0;
    pami_xfer_t xfer = {.cb_done = done};
    CHECK(PAMI_Geometry_world(domain->client, &world) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_algorithms_query(world, PAMI_XFER_ALLREDUCE, &xfer.algorithm, NULL, 1, NULL, NULL, 0) == PAMI_SUCCESS);
    xfer.cmd.xfer_allreduce = (pami_allreduce_t){(char *)&in, PAMI_TYPE_SIGNED_LONG, 1, (char *)&out,
                                                 PAMI_TYPE_SIGNED_LONG, 1, PAMI_DATA_SUM, NULL, 1};
    ended = came = 0;
    CHECK(PAMI_Collective(domain->context, &xfer) == PAMI_SUCCESS);
    while (ended == 0)
        PAMI_Context_advance(domain->context, 100);
    CHECK(out == (1L << domain->tasks) - 1);
    pami_send_immediate_t message = {.header = {&domain->task, sizeof domain->task}, .dispatch = DISPATCH};
    pami_task_t next = (pami_task_t)((domain->task + 1) % domain->tasks);
    CHECK(PAMI_Endpoint_create(domain->client, next, 0, &message.dest) == PAMI_SUCCESS);
    CHECK(PAMI_Endpoint_create(domain->client, (pami_task_t)domain->tasks, 0, &message.dest) == PAMI_INVAL);
    CHECK(PAMI_Send_immediate(domain->context, &message) == PAMI_SUCCESS);
    while (came == 0)
        PAMI_Context_advance(domain->context, 100);
    CHECK(sent_by == (domain->task + domain->tasks - 1) % domain->tasks);
}

/* More messages than fit the lane, before anybody looks. */
static void flood(domain_t *domain)
{
    static char data[400];
    pami_send_immediate_t message = {.data = {data, sizeof data}, .dispatch = MANY};
    pami_task_t next = (pami_task_t)((domain->task + 1) % domain->tasks);
    CHECK(PAMI_Endpoint_create(domain->client, next, 0, &message.dest) == PAMI_SUCCESS);
    for (int number = 0; number < FLOOD; ++number)
        CHECK(PAMI_Send_immediate(domain->context, &message) == PAMI_SUCCESS);
    while (flooded < FLOOD)
        PAMI_Context_advance(domain->context, 100);
}

static char outgoing[LONG_BYTES], incoming[LONG_BYTES];

static void take_long(pami_context_t context, void *cookie, const void *header, size_t header_bytes, const void *data,
                      size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)origin;
    CHECK(data == NULL && bytes == LONG_BYTES);
    *recv = (pami_recv_t){.addr = incoming, .type = PAMI_TYPE_BYTE, .data_fn = PAMI_DATA_COPY, .local_fn = done};
}

/* A message that is longer than the lane. */
static void send_long(domain_t *domain)
{
    pami_dispatch_callback_function fn = {.p2p = take_long};
    CHECK(PAMI_Dispatch_set(domain->context, LONG, fn, NULL, (pami_dispatch_hint_t){0}) == PAMI_SUCCESS);
    memset(outgoing, (int)own + 1, sizeof outgoing);
    ended = 0;
    pami_send_t message = {.send = {.data = {outgoing, sizeof outgoing}, .dispatch = LONG}, .events = {NULL, done, NULL}};
    CHECK(PAMI_Endpoint_create(domain->client, (pami_task_t)(1 - domain->task), 0, &message.send.dest) == PAMI_SUCCESS);
    CHECK(PAMI_Send(domain->context, &message) == PAMI_SUCCESS);
    while (ended < 2) /* the own one has gone, the other's has come */
        PAMI_Context_advance(domain->context, 100);
    size_t other = own == 0 ? 2 : 0;
    CHECK(incoming[0] == (char)(other + 1) && incoming[LONG_BYTES - 1] == (char)(other + 1));
}

/* A put into the memory of the next. */
static void put(domain_t *domain)
{
    static char *places[8];
    char *place = incoming;
    pami_geometry_t world;
    pami_xfer_t xfer = {.cb_done = done};
    CHECK(PAMI_Geometry_world(domain->client, &world) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_algorithms_query(world, PAMI_XFER_ALLGATHER, &xfer.algorithm, NULL, 1, NULL, NULL, 0) == PAMI_SUCCESS);
    xfer.cmd.xfer_allgather = (pami_allgather_t){(char *)&place, PAMI_TYPE_BYTE, sizeof place, (char *)places,
                                                 PAMI_TYPE_BYTE, sizeof place};
    memset(outgoing, (int)own + 11, sizeof outgoing);
    memset(incoming, 0, sizeof incoming);
    for (int time = 0; time < 2; ++time) {
        ended = 0;
        CHECK(PAMI_Collective(domain->context, &xfer) == PAMI_SUCCESS);
        while (ended == 0)
            PAMI_Context_advance(domain->context, 100);
        if (time > 0) /* all puts are done */
            break;
        size_t next = (domain->task + 1) % domain->tasks;
        pami_put_simple_t parameters = {.rma = {.bytes = 1 << 20, .cookie = NULL, .done_fn = NULL},
                                        .addr = {outgoing, places[next]},
                                        .put = {.rdone_fn = done}};
        CHECK(PAMI_Endpoint_create(domain->client, (pami_task_t)next, 0, &parameters.rma.dest) == PAMI_SUCCESS);
        ended = 0;
        CHECK(PAMI_Put(domain->context, &parameters) == PAMI_SUCCESS);
        while (ended == 0)
            PAMI_Context_advance(domain->context, 100);
    }
    size_t before = own == 1 ? 3 : own - 1;
    CHECK(incoming[0] == (char)(before + 11) && incoming[(1 << 20) - 1] == (char)(before + 11) && incoming[1 << 20] == 0);
}

static void close_domain(domain_t *domain)
{
    CHECK(PAMI_Context_destroyv(&domain->context, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&domain->client) == PAMI_SUCCESS);
}

int main(void)
{
    domain_t all = {0}, left = {0}, right = {0};
    CHECK(open_domain(&all, "all") && all.tasks == 4);
    own = all.task;
    int in_left = open_domain(&left, "left"), in_right = open_domain(&right, "right");
    CHECK(in_left == (own == 2 || own == 0) && in_right == (own >= 1));
    CHECK(!in_left || (left.tasks == 2 && left.task == (own == 0) && left.contexts == 2));
    CHECK(!in_right || (right.tasks == 3 && right.task == own - 1 && right.contexts == 1));
    for (int round = 0; round < 3; ++round) {
        talk(&all);
        if (in_left)
            talk(&left);
        if (in_right)
            talk(&right);
    }
    if (in_right) {
        flood(&right);
        put(&right);
        close_domain(&right);
    }
    if (in_left)
        send_long(&left);
    if (in_left)
        close_domain(&left);
    talk(&all);
    close_domain(&all);
    printf("task %zu in %d domains: %zu failures\n", own, 1 + in_left + in_right, failures);
    return failures != 0;
}
