/* Messages that come before PAMI_Dispatch_set: they are kept in their order, given to the function that is set, and only
 * then acknowledged; more than is kept waits on its way. The same for active-message collectives.
 *
 * Each task sends from its second context to the first one of its right neighbour.
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { ORDERED = 3, FLOODED = 4, LARGEST = 1 << 20, FLOOD = 9000, FLOOD_BYTES = 1000 / 2 };

static pami_client_t client;
static pami_context_t contexts[2];
static size_t task, tasks, failures;
static size_t arrived, landed, sent, flooded, met;
static const size_t sizes[] = {0, 8, 40, 300, 5000, 40000, LARGEST, 16};
enum { MESSAGES = sizeof sizes / sizeof *sizes };
static unsigned char pattern[LARGEST], got[MESSAGES][LARGEST];

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%d: %s\n", __LINE__, #condition)))

static void advance(size_t turns)
{
    for (size_t turn = 0; turn < turns; ++turn) {
        pami_result_t result = PAMI_Context_advancev(contexts, 2, 1);
        CHECK(result == PAMI_SUCCESS || result == PAMI_EAGAIN);
    }
}

static void advance_until(volatile size_t *count, size_t wanted)
{
    while (*count < wanted)
        advance(1);
}

static void tell(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context;
    CHECK(result == PAMI_SUCCESS);
    ++*(size_t *)cookie;
}

/* Those of task 0 and of all others meet, by messages of a barrier. */
static void barrier(pami_geometry_t world)
{
    size_t counts[2], wanted = met + 1;
    pami_algorithm_t algorithm[40];
    CHECK(PAMI_Geometry_algorithms_num(world, PAMI_XFER_BARRIER, counts) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_algorithms_query(world, PAMI_XFER_BARRIER, algorithm, NULL, 1, NULL, NULL, 0) == PAMI_SUCCESS);
    pami_xfer_t xfer = {.cb_done = tell, .cookie = &met, .algorithm = algorithm[0]};
    CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
    advance_until(&met, wanted);
}

static void receive(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)origin;
    size_t number = 0;
    CHECK(header_bytes == sizeof number);
    memcpy(&number, header, sizeof number);
    CHECK(number == arrived && bytes == sizes[number % MESSAGES]);
    ++arrived;
    if (!recv) {
        memcpy(got[number % MESSAGES], data, bytes);
        ++landed;
    } else {
        *recv = (pami_recv_t){.cookie = &landed, .local_fn = tell, .addr = got[number % MESSAGES],
                              .type = PAMI_TYPE_BYTE, .data_fn = PAMI_DATA_COPY};
    }
}

static void count(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                  const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header_bytes, (void)origin;
    size_t number;
    memcpy(&number, header, sizeof number);
    CHECK(number == flooded && bytes == FLOOD_BYTES - sizeof number && recv == NULL);
    CHECK(memcmp(data, pattern, bytes) == 0);
    ++flooded;
}

static void set(pami_context_t context, size_t dispatch, pami_dispatch_p2p_function function)
{
    pami_dispatch_callback_function fn = {.p2p = function};
    pami_dispatch_hint_t none = {0};
    CHECK(PAMI_Dispatch_set(context, dispatch, fn, NULL, none) == PAMI_SUCCESS);
}

static void send(size_t number, pami_endpoint_t right)
{
    size_t bytes = sizes[number % MESSAGES];
    pami_send_t message = {.send = {.header = {&number, sizeof number}, .data = {pattern, bytes},
                                    .dispatch = ORDERED, .dest = right},
                           .events = {&sent, NULL, tell}};
    if (bytes < 400 && number % 2 == 0) {
        CHECK(PAMI_Send_immediate(contexts[1], &message.send) == PAMI_SUCCESS);
        ++sent;
    } else {
        CHECK(PAMI_Send(contexts[1], &message) == PAMI_SUCCESS);
    }
}

static void ordered(pami_geometry_t world, pami_endpoint_t right)
{
    set(contexts[1], ORDERED, receive);
    size_t immediate = 0;
    for (size_t number = 0; number < MESSAGES; ++number) {
        send(number, right);
        immediate += sizes[number] < 400 && number % 2 == 0;
    }
    advance(200);
    barrier(world); /* so whatever has been sent has come, unless it is asked for */
    advance(200);
    CHECK(arrived == 0 && sent == immediate);
    barrier(world);
    set(contexts[0], ORDERED, receive);
    CHECK(arrived == 0); /* functions are called by an advance */
    for (size_t number = MESSAGES; number < 3 * MESSAGES; ++number) {
        advance_until(&landed, number - MESSAGES + 1); /* its buffer is used again */
        send(number, right);
    }
    advance_until(&landed, 3 * MESSAGES);
    advance_until(&sent, 3 * MESSAGES);
    CHECK(arrived == 3 * MESSAGES);
    for (size_t number = 0; number < MESSAGES; ++number)
        CHECK(memcmp(got[number], pattern, sizes[number]) == 0);
    barrier(world);
}

/* More than is kept: the rest waits at its origin, and comes in order. */
static void flood(pami_geometry_t world, pami_endpoint_t right)
{
    set(contexts[1], FLOODED, count);
    for (size_t number = 0; number < FLOOD; ++number) {
        pami_send_immediate_t message = {.header = {&number, sizeof number},
                                         .data = {pattern, FLOOD_BYTES - sizeof number},
                                         .dispatch = FLOODED, .dest = right};
        CHECK(PAMI_Send_immediate(contexts[1], &message) == PAMI_SUCCESS);
        if (number % 50 == 0)
            advance(5);
    }
    advance(2000);
    CHECK(flooded == 0);
    set(contexts[0], FLOODED, count);
    advance_until(&flooded, FLOOD);
    advance(100);
    CHECK(flooded == FLOOD);
    barrier(world);
}

static size_t told, taken;
static int number_of_all;

static void take(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_geometry_t geometry,
                 pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)data, (void)origin, (void)geometry;
    CHECK(header_bytes == 3 && memcmp(header, "all", 3) == 0 && bytes == sizeof number_of_all);
    *recv = (pami_recv_t){.cookie = &taken, .local_fn = tell, .addr = &number_of_all,
                          .type = PAMI_TYPE_BYTE, .data_fn = PAMI_DATA_COPY};
}

static void collectively(pami_geometry_t world)
{
    pami_algorithm_t algorithm[4];
    CHECK(PAMI_Geometry_algorithms_query(world, PAMI_XFER_AMBROADCAST, algorithm, NULL, 1, NULL, NULL, 0) == PAMI_SUCCESS);
    int number = 42;
    if (task == 0) {
        pami_xfer_t xfer = {.cb_done = tell, .cookie = &told, .algorithm = algorithm[0]};
        xfer.cmd.xfer_ambroadcast =
            (pami_ambroadcast_t){5, "all", 3, &number, PAMI_TYPE_SIGNED_INT, 1};
        CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS && told == 0);
    }
    barrier(world);
    advance(200);
    CHECK(taken == 0 && told == (task == 0 && tasks == 1));
    barrier(world);
    if (task > 0) {
        pami_dispatch_callback_function fn = {.ambroadcast = take};
        pami_collective_hint_t none = {0};
        CHECK(PAMI_AMCollective_dispatch_set(contexts[0], algorithm[0], 5, fn, NULL, none) == PAMI_SUCCESS);
        advance_until(&taken, 1);
        CHECK(number_of_all == 42);
    } else {
        advance_until(&told, 1);
        CHECK(taken == 0); /* the origin has the data */
    }
    barrier(world);
}

int main(void)
{
    CHECK(PAMI_Client_create("early", &client, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(client, NULL, 0, contexts, 2) == PAMI_SUCCESS);
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    CHECK(PAMI_Client_query(client, asked, 2) == PAMI_SUCCESS);
    task = asked[0].value.intval, tasks = asked[1].value.intval;
    pami_geometry_t world;
    CHECK(PAMI_Geometry_world(client, &world) == PAMI_SUCCESS);
    pami_endpoint_t right;
    CHECK(PAMI_Endpoint_create(client, (pami_task_t)((task + 1) % tasks), 0, &right) == PAMI_SUCCESS);
    for (size_t index = 0; index < LARGEST; ++index)
        pattern[index] = (unsigned char)(index * 7 + index / 251);
    ordered(world, right);
    flood(world, right);
    collectively(world);
    CHECK(PAMI_Context_destroyv(contexts, 2) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
