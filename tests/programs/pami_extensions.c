/* Extensions of IBM's library, contexts beyond four, and a client's name that is used again. */
#include <pami.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CONTEXTS = 6, DISPATCH = 9, MESSAGES = 50 };

typedef void (*called)(pami_context_t context, void *cookie);

static pami_client_t client;
static pami_context_t contexts[CONTEXTS];
static size_t task, tasks, failures;
static volatile size_t came, calls;
static pthread_t sender, receiver;

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%d: %s\n", __LINE__, #condition)))

static void *symbol(pami_extension_t extension, const char *name)
{
    void *found = PAMI_Extension_symbol(extension, name);
    CHECK(found != NULL);
    return found;
}

static void receive(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)origin, (void)recv;
    receiver = pthread_self();
    came += bytes == 8;
}

static void advance(pami_context_t context, void *cookie)
{
    CHECK(cookie == &calls);
    ++calls;
    PAMI_Context_lock(context);
    PAMI_Context_advance(context, 1);
    PAMI_Context_unlock(context);
}

/* Messages come while the program does not advance. */
static void progress(called function)
{
    pami_result_t (*enrol)(pami_context_t, called, called, called, void *);
    pami_result_t (*enable)(pami_context_t, int), (*disable)(pami_context_t, int);
    pami_extension_t extension;
    CHECK(PAMI_Extension_open(NULL, "EXT_async_progress", &extension) == PAMI_SUCCESS);
    *(void **)&enrol = symbol(extension, "register");
    *(void **)&enable = symbol(extension, "enable");
    *(void **)&disable = symbol(extension, "disable");
    pami_context_t last = contexts[CONTEXTS - 1];
    CHECK(enrol(last, function, NULL, NULL, (void *)&calls) == PAMI_SUCCESS);
    CHECK(enable(last, 7) == PAMI_UNIMPL);
    CHECK(enable(last, 0) == PAMI_SUCCESS);

    char data[8] = "message";
    pami_send_immediate_t message = {.data = {data, sizeof data}, .dispatch = DISPATCH};
    CHECK(PAMI_Endpoint_create(client, (pami_task_t)((task + 1) % tasks), CONTEXTS - 1, &message.dest) == PAMI_SUCCESS);
    came = 0;
    for (size_t number = 0; number < MESSAGES; ++number)
        CHECK(PAMI_Send_immediate(contexts[0], &message) == PAMI_SUCCESS);
    for (int wait = 0; wait < 20000 && came < MESSAGES; ++wait)
        usleep(1000);
    CHECK(came == MESSAGES && !pthread_equal(receiver, sender));
    CHECK(disable(last, 0) == PAMI_SUCCESS);
    size_t before = calls;
    usleep(20000);
    CHECK(calls == before && (calls > 0) == (function != NULL));
    CHECK(PAMI_Extension_close(extension) == PAMI_SUCCESS);
}

static void try_extension(void)
{
    struct {
        size_t line;
        char func[128];
    } place = {0, ""};
    void (*foo)(void), (*bar)(void *);
    pami_extension_t extension;
    CHECK(PAMI_Extension_open(client, "EXT_test_extension", &extension) == PAMI_SUCCESS);
    *(void **)&foo = symbol(extension, "foo");
    *(void **)&bar = symbol(extension, "bar");
    foo();
    bar(&place);
    CHECK(place.line > 0 && strcmp(place.func, "bar") == 0);
    CHECK(PAMI_Extension_symbol(extension, "baz") == NULL);
    CHECK(PAMI_Extension_close(extension) == PAMI_SUCCESS);
}

static size_t met;

static void meet(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie;
    CHECK(result == PAMI_SUCCESS);
    ++met;
}

static void barrier(void)
{
    pami_geometry_t world;
    pami_xfer_t xfer = {.cb_done = meet};
    CHECK(PAMI_Geometry_world(client, &world) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_algorithms_query(world, PAMI_XFER_BARRIER, &xfer.algorithm, NULL, 1, NULL, NULL, 0) == PAMI_SUCCESS);
    met = 0;
    CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
    while (met == 0)
        PAMI_Context_advance(contexts[0], 100);
}

int main(void)
{
    sender = pthread_self();
    for (int time = 0; time < 20; ++time) { /* more often than there are places for clients */
        pami_client_t twice;
        pami_configuration_t constant = {.name = PAMI_CLIENT_CONST_CONTEXTS, .value.intval = 1};
        CHECK(PAMI_Client_create("again", &client, NULL, 0) == PAMI_SUCCESS);
        CHECK(PAMI_Client_create("again", &twice, NULL, 0) == PAMI_INVAL); /* it is in use */
        pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS},
                                        {.name = PAMI_CLIENT_NUM_CONTEXTS}};
        CHECK(PAMI_Client_query(client, asked, 3) == PAMI_SUCCESS);
        task = asked[0].value.intval, tasks = asked[1].value.intval;
        CHECK(asked[2].value.intval >= CONTEXTS);
        CHECK(PAMI_Context_createv(client, &constant, 1, contexts, CONTEXTS) == PAMI_SUCCESS);
        pami_dispatch_callback_function fn = {.p2p = receive};
        pami_dispatch_hint_t hints = {.remote_async_progress = PAMI_HINT_ENABLE, .use_shmem = PAMI_HINT_DISABLE,
                                      .use_rdma = PAMI_HINT_ENABLE};
        for (size_t offset = 0; offset < CONTEXTS; ++offset)
            CHECK(PAMI_Dispatch_set(contexts[offset], DISPATCH, fn, NULL, hints) == PAMI_SUCCESS);
        barrier();
        if (time == 0) {
            try_extension();
            progress(NULL);
            barrier();
            progress(advance);
        }
        barrier();
        CHECK(PAMI_Context_destroyv(contexts, CONTEXTS) == PAMI_SUCCESS);
        CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    }
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
