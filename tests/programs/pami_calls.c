/* Every call of libpami.so, in good and in bad ways, on any number of tasks. */
#include <pami.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 0, APART = 1, LONG_HEADER = 2, NOBODY = 3, ALWAYS = 4, SHORT_HEADER = 6, LATER = 2047, CONTEXTS = 2 };
enum { LONGEST = 300000 };

static pami_client_t client;
static pami_context_t contexts[CONTEXTS];
static size_t task, tasks, failures;
static size_t arrived, bytes_wrong, with_call; /* the longest message that comes with the call */
static unsigned char pattern[LONGEST], landed[LONGEST];

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%d: %s\n", __LINE__, #condition)))
#define REFUSED(code, call)                                              \
    do {                                                                 \
        char text[300] = "";                                             \
        CHECK((call) == (code));                                         \
        CHECK(PAMI_Error_text(text, sizeof text) == strlen(text) && strlen(text) > 10); \
    } while (0)

static void advance_until(volatile size_t *count, size_t wanted)
{
    while (*count < wanted)
        PAMI_Context_advancev(contexts, CONTEXTS, 100);
}

static pami_endpoint_t endpoint(size_t to, size_t offset)
{
    pami_endpoint_t made = PAMI_ENDPOINT_NULL;
    CHECK(PAMI_Endpoint_create(client, (pami_task_t)to, offset, &made) == PAMI_SUCCESS);
    return made;
}

static void count(pami_context_t context, void *cookie, pami_result_t result)
{
    CHECK(context == contexts[0] || context == contexts[1]);
    CHECK(result == PAMI_SUCCESS);
    ++*(size_t *)cookie;
}

static void failed(pami_context_t context, void *cookie, pami_result_t result)
{
    char text[300];
    (void)context;
    CHECK(result == PAMI_ERROR || result == PAMI_INVAL);
    CHECK(PAMI_Error_text(text, sizeof text) > 10);
    ++*(size_t *)cookie;
}

static void landed_all(pami_context_t context, void *cookie, pami_result_t result)
{
    bytes_wrong += memcmp(landed, pattern, (size_t)cookie) != 0;
    count(context, &arrived, result);
}

/* Header: the data's length. Cookie: none, or one that says whether the data comes with the call. */
static const char never, always;
static void received(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                     const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    size_t wanted;
    pami_task_t from;
    CHECK(header_bytes >= sizeof wanted);
    memcpy(&wanted, header, sizeof wanted);
    CHECK(bytes == wanted);
    CHECK(PAMI_Endpoint_query(origin, &from, &wanted) == PAMI_SUCCESS && from < tasks);
    CHECK((data == NULL) == (recv != NULL));
    bool together = bytes == 0 || header_bytes + bytes <= with_call;
    CHECK((data != NULL) == (cookie ? cookie == &always : together));
    if (header_bytes > sizeof wanted)
        bytes_wrong += memcmp((const char *)header + sizeof wanted, pattern, header_bytes - sizeof wanted) != 0;
    if (data) {
        bytes_wrong += memcmp(data, pattern, bytes) != 0;
        count(context, &arrived, PAMI_SUCCESS);
        return;
    }
    memset(landed, 0xFF, bytes);
    recv->addr = landed;
    recv->type = PAMI_TYPE_BYTE;
    recv->data_fn = PAMI_DATA_COPY;
    recv->local_fn = landed_all;
    recv->cookie = (void *)bytes;
}

static void set(size_t dispatch, void *cookie, pami_dispatch_hint_t hints)
{
    pami_dispatch_callback_function function = {.p2p = received};
    for (int offset = 0; offset < CONTEXTS; ++offset)
        CHECK(PAMI_Dispatch_set(contexts[offset], dispatch, function, cookie, hints) == PAMI_SUCCESS);
}

/* All tasks meet, at context 0. What a task sends itself counts elsewhere. */
enum { OWN = 11, OWN_OR_NOT = 10 };
static size_t met, own_arrived;

static void meeting(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin, (void)recv;
    ++*(size_t *)cookie;
}

static void meet(void)
{
    static size_t meetings;
    pami_send_immediate_t message = {.dispatch = LATER};
    for (size_t other = 0; other < tasks; ++other) {
        message.dest = endpoint(other, 0);
        CHECK(PAMI_Send_immediate(contexts[0], &message) == PAMI_SUCCESS);
    }
    advance_until(&met, ++meetings * tasks);
}

static void clients_and_contexts(void)
{
    pami_configuration_t all[15];
    pami_client_t other = PAMI_CLIENT_NULL;
    pami_context_t none = PAMI_CONTEXT_NULL, many[17];
    for (int index = 0; index < 15; ++index)
        all[index].name = (pami_attribute_name_t)(PAMI_CLIENT_CLOCK_MHZ + index);
    CHECK(PAMI_Client_query(client, all, 15) == PAMI_SUCCESS);
    CHECK(all[1].value.intval == 1 && all[2].value.intval >= 1 && all[4].value.intval > 0);
    CHECK(all[3].value.intval == sizeof(pami_memregion_t));
    const char *here = getenv("MPI_LOCALNRANKS");
    size_t local_tasks = here ? (size_t)atoi(here) : tasks, is_local = 0;
    for (size_t index = 0; index < local_tasks; ++index)
        is_local += all[7].value.intarray[index] == task;
    CHECK(all[6].value.intval == local_tasks && is_local == 1);
    CHECK(all[8].value.intval >= CONTEXTS && strlen(all[9].value.chararray) > 0);
    CHECK(all[12].value.doubleval > 0 && all[13].value.intval == 1);
    REFUSED(PAMI_INVAL, PAMI_Client_update(client, all, 1));
    all[0].name = PAMI_ATTRIBUTE_NAME_EXT;
    REFUSED(PAMI_INVAL, PAMI_Client_query(client, all, 1));
    REFUSED(PAMI_INVAL, PAMI_Client_create("calls", &other, NULL, 0));
    REFUSED(PAMI_INVAL, PAMI_Client_create("", &other, NULL, 0));
    REFUSED(PAMI_INVAL, PAMI_Client_create(NULL, &other, NULL, 0));
    REFUSED(PAMI_INVAL, PAMI_Client_destroy(&client)); /* it has contexts */
    REFUSED(PAMI_INVAL, PAMI_Client_destroy(&other));
    REFUSED(PAMI_INVAL, PAMI_Context_createv(client, NULL, 0, many, 17));
    REFUSED(PAMI_INVAL, PAMI_Context_createv(other, NULL, 0, many, 1));
    REFUSED(PAMI_INVAL, PAMI_Context_advance(none, 1));
    REFUSED(PAMI_INVAL, PAMI_Context_lock(none));
    REFUSED(PAMI_INVAL, PAMI_Context_unlock(contexts[0]));

    pami_configuration_t highest = {.name = PAMI_CONTEXT_DISPATCH_ID_MAX};
    CHECK(PAMI_Context_query(contexts[0], &highest, 1) == PAMI_SUCCESS);
    CHECK(highest.value.intval == LATER);
    REFUSED(PAMI_INVAL, PAMI_Context_update(contexts[0], &highest, 1));
    pami_configuration_t sizes[] = {{.name = PAMI_DISPATCH_RECV_IMMEDIATE_MAX},
                                    {.name = PAMI_DISPATCH_SEND_IMMEDIATE_MAX}};
    CHECK(PAMI_Dispatch_query(contexts[0], WHOLE, sizes, 2) == PAMI_SUCCESS);
    CHECK(sizes[0].value.intval == 512 && sizes[1].value.intval == 512);
    REFUSED(PAMI_INVAL, PAMI_Dispatch_query(contexts[0], WHOLE, &highest, 1));
    REFUSED(PAMI_INVAL, PAMI_Dispatch_update(contexts[0], WHOLE, sizes, 1));

    CHECK(PAMI_Context_lock(contexts[0]) == PAMI_SUCCESS);
    CHECK(PAMI_Context_trylock(contexts[0]) == PAMI_EAGAIN);
    CHECK(PAMI_Context_trylock_advancev(contexts, 1, 3) == PAMI_EAGAIN);
    CHECK(PAMI_Context_unlock(contexts[0]) == PAMI_SUCCESS);
    CHECK(PAMI_Wtimebase(client) > 0 && PAMI_Wtime(client) > 0);

    pami_extension_t extension;
    REFUSED(PAMI_UNIMPL, PAMI_Extension_open(client, "EXT_none", &extension));
    CHECK(PAMI_Extension_open(client, "EXT_pamir", &extension) == PAMI_SUCCESS);
    CHECK(strchr(PAMI_Extension_symbol(extension, "version"), '.') != NULL);
    CHECK(PAMI_Extension_symbol(extension, "nothing") == NULL);
    pami_result_t (*wait)(pami_context_t, unsigned long long);
    *(void **)&wait = PAMI_Extension_symbol(extension, "wait");
    double begin = PAMI_Wtime(client);
    CHECK(wait(contexts[0], 5000000) == PAMI_SUCCESS && PAMI_Wtime(client) - begin < 30);
    CHECK(PAMI_Extension_close(extension) == PAMI_SUCCESS);
}

static void messages(void)
{
    static const size_t sizes[] = {0, 1, 48, 504, 505, 1000, 1015, 8000, 8192, 20000, 65536, LONGEST};
    size_t local = 0, remote = 0, sends = 0, right = (task + 1) % tasks;
    for (size_t number = 0; number < sizeof sizes / sizeof *sizes; ++number)
        for (size_t dispatch = WHOLE; dispatch <= APART; ++dispatch) {
            size_t bytes = sizes[number];
            pami_send_t message = {.send = {.header = {&bytes, sizeof bytes},
                                            .data = {pattern, bytes},
                                            .dispatch = dispatch,
                                            .dest = endpoint(right, number % CONTEXTS)},
                                   .events = {&local, count, NULL}};
            CHECK(PAMI_Send(contexts[dispatch], &message) == PAMI_SUCCESS);
            message.events = (pami_send_event_t){&remote, NULL, count};
            advance_until(&arrived, ++sends);
            CHECK(PAMI_Send(contexts[dispatch], &message) == PAMI_SUCCESS);
            advance_until(&arrived, ++sends);
            advance_until(&local, sends / 2);
            advance_until(&remote, sends / 2);
            if (sizeof bytes + bytes <= with_call) {
                CHECK(PAMI_Send_immediate(contexts[dispatch], &message.send) == PAMI_SUCCESS);
                advance_until(&arrived, sends + 1);
                --arrived;
            }
            meet(); /* there is one place to land in */
        }
    /* What a task sends itself is received by an advance too. */
    for (size_t bytes = 0; bytes <= 300; bytes += 100) {
        pami_send_t message = {.send = {.header = {&bytes, sizeof bytes}, .data = {pattern, bytes},
                                        .dispatch = WHOLE, .dest = endpoint(task, 0)}};
        CHECK(PAMI_Send(contexts[0], &message) == PAMI_SUCCESS);
        CHECK(PAMI_Send_immediate(contexts[0], &message.send) == PAMI_SUCCESS);
        CHECK(arrived == sends);
        advance_until(&arrived, sends += 2);
    }
    meet();
    /* A program that wants all with the call gets what fits a packet. */
    for (size_t bytes = 0; bytes <= 2000; bytes += 500) {
        pami_send_t message = {.send = {.header = {&bytes, sizeof bytes}, .data = {pattern, bytes},
                                        .dispatch = ALWAYS, .dest = endpoint(right, 0)}};
        CHECK(PAMI_Send(contexts[0], &message) == PAMI_SUCCESS);
        advance_until(&arrived, ++sends);
    }
    meet();
    /* One context is advanced, which waits for what comes from where the last came. */
    for (size_t round = 0; round < 600; ++round) {
        size_t bytes = 503 + round % 3;
        pami_send_t message = {.send = {.header = {&bytes, sizeof bytes}, .data = {pattern, bytes},
                                        .dispatch = WHOLE, .dest = endpoint(right, 0)}};
        CHECK(PAMI_Send(contexts[0], &message) == PAMI_SUCCESS);
        for (++sends; *(volatile size_t *)&arrived < sends;)
            PAMI_Context_advance(contexts[0], 1000);
    }
    meet();
    /* A header that is longer than any packet. */
    static unsigned char header[50000];
    size_t zero = 0;
    memcpy(header, &zero, sizeof zero);
    memcpy(header + sizeof zero, pattern, sizeof header - sizeof zero);
    local = remote = 0;
    for (size_t bytes = 0; bytes <= 20000; bytes += 10000) {
        memcpy(header, &bytes, sizeof bytes);
        pami_send_t message = {.send = {.header = {header, sizeof header},
                                        .data = {pattern, bytes},
                                        .dispatch = LONG_HEADER,
                                        .dest = endpoint(right, 0)},
                               .events = {&local, count, count}};
        CHECK(PAMI_Send(contexts[1], &message) == PAMI_SUCCESS);
        advance_until(&local, bytes / 5000 + 2);
        advance_until(&arrived, ++sends);
        meet();
    }
    CHECK(bytes_wrong == 0);
}

static void refusals(void)
{
    size_t told = 0;
    static char big[1 << 20];
    pami_send_immediate_t message = {.dispatch = WHOLE, .data = {big, sizeof big}, .dest = endpoint(task, 0)};
    REFUSED(PAMI_INVAL, PAMI_Send_immediate(contexts[0], &message)); /* longer than a packet */
    message.data.iov_len = 8;
    message.dispatch = LATER + 1;
    REFUSED(PAMI_INVAL, PAMI_Send_immediate(contexts[0], &message));
    message.dispatch = 77; /* not set */
    REFUSED(PAMI_INVAL, PAMI_Send_immediate(contexts[0], &message));
    message.dispatch = SHORT_HEADER;
    message.header = (struct iovec){big, 513}; /* longer than a dispatch function gets with its call */
    pami_send_t with_header = {.send = message};
    REFUSED(PAMI_INVAL, PAMI_Send(contexts[0], &with_header));
    message.header.iov_len = 0;
    message.dispatch = WHOLE;
    message.dest = PAMI_ENDPOINT_NULL;
    REFUSED(PAMI_INVAL, PAMI_Send_immediate(contexts[0], &message));
    REFUSED(PAMI_INVAL, PAMI_Send_immediate(contexts[0], NULL));
    message.data = (struct iovec){NULL, 8};
    REFUSED(PAMI_INVAL, PAMI_Send_immediate(contexts[0], &message));
    REFUSED(PAMI_INVAL, PAMI_Endpoint_create(client, (pami_task_t)tasks, 0, &message.dest));
    REFUSED(PAMI_INVAL, PAMI_Endpoint_create(client, 0, 1000, &message.dest));

    pami_dispatch_callback_function function = {.p2p = received}, nothing = {.p2p = NULL};
    pami_dispatch_hint_t none = {0}, hints = {.consistency = PAMI_HINT_ENABLE, .long_header = PAMI_HINT_ENABLE};
    REFUSED(PAMI_INVAL, PAMI_Dispatch_set(contexts[0], 5, nothing, NULL, none));
    REFUSED(PAMI_INVAL, PAMI_Dispatch_set(contexts[0], LATER + 1, function, NULL, none));
    REFUSED(PAMI_INVAL, PAMI_Dispatch_set(contexts[0], 5, function, NULL, hints));

    /* Nobody receives it yet: it is kept, and its origin is told when somebody does. */
    static size_t found;
    function.p2p = meeting;
    CHECK(PAMI_Dispatch_set(contexts[0], NOBODY, function, NULL, none) == PAMI_SUCCESS);
    pami_send_t early = {.send = {.dispatch = NOBODY, .dest = endpoint(task, 1)},
                         .events = {&told, NULL, count}};
    CHECK(PAMI_Send(contexts[0], &early) == PAMI_SUCCESS);
    CHECK(PAMI_Send_immediate(contexts[0], &early.send) == PAMI_SUCCESS);
    for (size_t turn = 0; turn < 100; ++turn)
        CHECK(PAMI_Context_advancev(contexts, CONTEXTS, 1) != PAMI_ERROR);
    CHECK(told == 0);
    CHECK(PAMI_Dispatch_set(contexts[1], NOBODY, function, &found, none) == PAMI_SUCCESS);
    CHECK(found == 0);
    advance_until(&found, 2);
    advance_until(&told, 1);
    told = 0;

    pami_put_simple_t put = {.rma = {.dest = endpoint(task, 1), .cookie = &told, .done_fn = failed},
                             .addr = {big, big + 100}};
    REFUSED(PAMI_INVAL, PAMI_Put(contexts[0], &put)); /* no bytes */
    put.rma.bytes = 8;
    put.addr.remote = NULL;
    REFUSED(PAMI_INVAL, PAMI_Put(contexts[0], &put));
    pami_memregion_t region, gone = {0};
    size_t granted;
    CHECK(PAMI_Memregion_create(contexts[0], big, 100, &granted, &region) == PAMI_SUCCESS);
    CHECK(granted == 100);
    pami_rput_simple_t rput = {.rma = put.rma, .rdma = {{&region, 96}, {&region, 0}}};
    REFUSED(PAMI_INVAL, PAMI_Rput(contexts[0], &rput)); /* beyond the local one */
    rput.rdma.remote.mr = &gone;
    REFUSED(PAMI_INVAL, PAMI_Rput(contexts[0], &rput));
    rput.rdma = (pami_rdma_t){{&region, 0}, {&region, 96}};
    told = 0;
    CHECK(PAMI_Rput(contexts[0], &rput) == PAMI_SUCCESS); /* beyond the remote one */
    advance_until(&told, 1);
    CHECK(PAMI_Memregion_destroy(contexts[0], &region) == PAMI_SUCCESS);
    REFUSED(PAMI_INVAL, PAMI_Memregion_destroy(contexts[0], &region));

    pami_rmw_t rmw = {.dest = endpoint(task, 0), .remote = big, .value = big, .local = big,
                      .operation = PAMI_ATOMIC_ADD, .type = PAMI_TYPE_BYTE};
    REFUSED(PAMI_INVAL, PAMI_Rmw(contexts[0], &rmw));
    rmw.type = PAMI_TYPE_SIGNED_INT;
    rmw.operation = PAMI_ATOMIC_COMPARE;
    REFUSED(PAMI_INVAL, PAMI_Rmw(contexts[0], &rmw));

    REFUSED(PAMI_INVAL, PAMI_Fence_all(contexts[0], count, &told));
    REFUSED(PAMI_INVAL, PAMI_Fence_end(contexts[0]));
    CHECK(PAMI_Fence_begin(contexts[0]) == PAMI_SUCCESS);
    REFUSED(PAMI_INVAL, PAMI_Fence_begin(contexts[0]));
    CHECK(PAMI_Fence_end(contexts[0]) == PAMI_SUCCESS);

    pami_endpoint_t own = endpoint(task, 0), other = endpoint(task, 1);
    REFUSED(PAMI_INVAL, PAMI_Purge(contexts[0], &own, 1));
    CHECK(PAMI_Purge(contexts[0], &other, 1) == PAMI_SUCCESS);
    pami_send_immediate_t closed = {.dispatch = OWN, .dest = other};
    REFUSED(PAMI_SHUTDOWN, PAMI_Send_immediate(contexts[0], &closed));
    CHECK(PAMI_Resume(contexts[0], &other, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Send_immediate(contexts[0], &closed) == PAMI_SUCCESS);
    advance_until(&own_arrived, 1);
    own_arrived = 0;
}

/* The lane to a context that does not advance fills. */
static void queues(void)
{
    pami_dispatch_callback_function function = {.p2p = meeting};
    pami_dispatch_hint_t hints = {.queue_immediate = PAMI_HINT_DISABLE};
    for (int offset = 0; offset < CONTEXTS; ++offset)
        CHECK(PAMI_Dispatch_set(contexts[offset], OWN_OR_NOT, function, &own_arrived, hints) == PAMI_SUCCESS);
    pami_send_immediate_t message = {.dispatch = OWN_OR_NOT, .data = {pattern, 400}, .dest = endpoint(task, 1)};
    size_t sent = 0;
    pami_result_t result;
    while ((result = PAMI_Send_immediate(contexts[0], &message)) == PAMI_SUCCESS)
        ++sent;
    CHECK(result == PAMI_EAGAIN && sent > 1);
    message.dispatch = OWN; /* this one may wait */
    for (int number = 0; number < 100; ++number)
        CHECK(PAMI_Send_immediate(contexts[0], &message) == PAMI_SUCCESS);
    advance_until(&own_arrived, sent + 100);
}

static pami_result_t thrice(pami_context_t context, void *cookie)
{
    size_t *calls = cookie;
    CHECK(context == contexts[1]);
    return ++*calls < 3 ? PAMI_EAGAIN : PAMI_SUCCESS;
}

static void *post(void *cookie)
{
    static pami_work_t work;
    CHECK(PAMI_Context_post(contexts[1], &work, thrice, cookie) == PAMI_SUCCESS);
    return NULL;
}

static void posts(void)
{
    size_t calls = 0;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, post, &calls) == 0);
    pthread_join(thread, NULL);
    CHECK(calls == 0);
    advance_until(&calls, 3);
    PAMI_Context_advance(contexts[1], 5);
    CHECK(calls == 3);
    REFUSED(PAMI_INVAL, PAMI_Context_post(contexts[1], NULL, NULL, NULL));
}

/* Addresses of task 0, told to everybody: tasks started alike need not lie alike. */
static struct shared {
    unsigned char memory[LONGEST];
    unsigned counter;
    unsigned long long wide;
} shared;
static struct shared *remote_shared;
static size_t learned;

static void learn(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                  const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)context, (void)cookie, (void)data, (void)bytes, (void)origin, (void)recv;
    memcpy(&remote_shared, header, header_bytes);
    ++learned;
}

static void transfers(void)
{
    pami_dispatch_callback_function function = {.p2p = learn};
    CHECK(PAMI_Dispatch_set(contexts[0], 20, function, NULL, (pami_dispatch_hint_t){0}) == PAMI_SUCCESS);
    struct shared *own = &shared;
    pami_send_immediate_t message = {.dispatch = 20, .header = {&own, sizeof own},
                                     .dest = endpoint((task + tasks - 1) % tasks, 0)};
    meet(); /* everybody is ready to learn */
    CHECK(PAMI_Send_immediate(contexts[0], &message) == PAMI_SUCCESS);
    advance_until(&learned, 1);
    size_t done = 0, remote = 0, right = (task + 1) % tasks;
    for (size_t bytes = 1; bytes <= LONGEST; bytes *= 8) {
        pami_put_simple_t put = {.rma = {.dest = endpoint(right, 1), .bytes = bytes, .cookie = &done, .done_fn = count},
                                 .addr = {pattern, remote_shared->memory}};
        done = 0;
        CHECK(PAMI_Put(contexts[1], &put) == PAMI_SUCCESS);
        put.rma.cookie = &remote;
        put.rma.done_fn = NULL;
        put.put.rdone_fn = count;
        remote = 0;
        CHECK(PAMI_Put(contexts[1], &put) == PAMI_SUCCESS);
        advance_until(&remote, 1);
        advance_until(&done, 1);
        memset(landed, 0, bytes);
        pami_get_simple_t get = {.rma = {.dest = put.rma.dest, .bytes = bytes, .cookie = &done, .done_fn = count},
                                 .addr = {landed, remote_shared->memory}};
        CHECK(PAMI_Get(contexts[0], &get) == PAMI_SUCCESS);
        advance_until(&done, 2);
        CHECK(memcmp(landed, pattern, bytes) == 0);
    }
    meet();
    CHECK(memcmp(shared.memory, pattern, 1) == 0);
}

static void atomics(void)
{
    unsigned value = 5, test = 0, before = 99;
    size_t done = 0;
    pami_rmw_t rmw = {.dest = endpoint((task + 1) % tasks, 0), .cookie = &done, .done_fn = count,
                      .local = &before, .remote = &remote_shared->counter, .value = &value,
                      .test = &test, .type = PAMI_TYPE_UNSIGNED_INT};
    static const struct { pami_atomic_t operation; unsigned value, test, fetched; } steps[] = {
        {PAMI_ATOMIC_SET, 5, 0, 99},       {PAMI_ATOMIC_FETCH, 0, 0, 5},
        {PAMI_ATOMIC_FETCH_ADD, 10, 0, 5}, {PAMI_ATOMIC_FETCH_OR, 16, 0, 15},
        {PAMI_ATOMIC_FETCH_AND, 24, 0, 31}, {PAMI_ATOMIC_FETCH_XOR, 3, 0, 24},
        {PAMI_ATOMIC_FETCH_COMPARE_SET, 7, 0, 27}, {PAMI_ATOMIC_FETCH_COMPARE_SET, 7, 27, 27},
        {PAMI_ATOMIC_COMPARE_ADD, 1, 7, 27}, {PAMI_ATOMIC_FETCH_COMPARE_OR, 1, 8, 8},
        {PAMI_ATOMIC_FETCH_COMPARE_AND, 1, 9, 9}, {PAMI_ATOMIC_FETCH_COMPARE_XOR, 1, 1, 1},
        {PAMI_ATOMIC_FETCH_SET, ~0u, 0, 0}, {PAMI_ATOMIC_FETCH_ADD, 2, 0, ~0u},
        {PAMI_ATOMIC_FETCH_SET, 0, 0, 1},
    };
    for (size_t step = 0; step < sizeof steps / sizeof *steps; ++step) {
        rmw.operation = steps[step].operation;
        value = steps[step].value, test = steps[step].test;
        CHECK(PAMI_Rmw(contexts[0], &rmw) == PAMI_SUCCESS);
        advance_until(&done, step + 1);
        if (before != steps[step].fetched)
            fprintf(stderr, "step %zu fetched %u\n", step, before), ++failures;
    }
    const pami_type_t wide[] = {PAMI_TYPE_SIGNED_LONG, PAMI_TYPE_UNSIGNED_LONG,
                                PAMI_TYPE_SIGNED_LONG_LONG, PAMI_TYPE_UNSIGNED_LONG_LONG};
    unsigned long long more = 1ull << 40, was = 0;
    rmw.remote = &remote_shared->wide, rmw.value = &more, rmw.local = &was;
    rmw.operation = PAMI_ATOMIC_FETCH_ADD;
    for (unsigned number = 0; number < 4; ++number) {
        rmw.type = wide[number];
        done = 0;
        CHECK(PAMI_Rmw(contexts[1], &rmw) == PAMI_SUCCESS);
        advance_until(&done, 1);
        CHECK(was == number * more);
    }
    meet();
}

static void fences(void)
{
    size_t fenced = 0, bytes = 20000;
    arrived = 0;
    CHECK(PAMI_Fence_begin(contexts[0]) == PAMI_SUCCESS);
    for (int number = 0; number < 10; ++number) {
        pami_send_t message = {.send = {.header = {&bytes, sizeof bytes}, .data = {pattern, bytes},
                                        .dispatch = WHOLE, .dest = endpoint(task, 1)}};
        CHECK(PAMI_Send(contexts[0], &message) == PAMI_SUCCESS);
    }
    CHECK(PAMI_Fence_endpoint(contexts[0], count, &fenced, endpoint(task, 1)) == PAMI_SUCCESS);
    advance_until(&fenced, 1);
    CHECK(arrived == 10);
    CHECK(PAMI_Fence_all(contexts[0], count, &fenced) == PAMI_SUCCESS);
    advance_until(&fenced, 2);
    CHECK(PAMI_Fence_end(contexts[0]) == PAMI_SUCCESS);
    meet();
}

int main(void)
{
    for (size_t index = 0; index < LONGEST; ++index)
        pattern[index] = (unsigned char)(index * 31 + index / 251);
    CHECK(PAMI_Client_create("calls", &client, NULL, 0) == PAMI_SUCCESS);
    if (PAMI_Context_createv(client, NULL, 0, contexts, CONTEXTS) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    CHECK(PAMI_Client_query(client, asked, 2) == PAMI_SUCCESS);
    task = asked[0].value.intval, tasks = asked[1].value.intval;
    set(WHOLE, NULL, (pami_dispatch_hint_t){0});
    set(APART, (void *)&never, (pami_dispatch_hint_t){.recv_immediate = PAMI_HINT_DISABLE});
    set(LONG_HEADER, NULL, (pami_dispatch_hint_t){0});
    set(SHORT_HEADER, NULL, (pami_dispatch_hint_t){.long_header = PAMI_HINT_DISABLE});
    set(ALWAYS, (void *)&always, (pami_dispatch_hint_t){.recv_immediate = PAMI_HINT_ENABLE});
    pami_configuration_t together = {.name = PAMI_DISPATCH_RECV_IMMEDIATE_MAX};
    CHECK(PAMI_Dispatch_query(contexts[0], WHOLE, &together, 1) == PAMI_SUCCESS);
    with_call = together.value.intval;
    pami_dispatch_callback_function function = {.p2p = meeting};
    for (int offset = 0; offset < CONTEXTS; ++offset) {
        PAMI_Dispatch_set(contexts[offset], LATER, function, &met, (pami_dispatch_hint_t){0});
        PAMI_Dispatch_set(contexts[offset], OWN, function, &own_arrived, (pami_dispatch_hint_t){0});
    }
    meet();
    clients_and_contexts();
    messages();
    posts();
    refusals();
    queues();
    meet();
    transfers();
    atomics();
    fences();
    /* What is no list of contexts, nor the address of a client. */
    REFUSED(PAMI_INVAL, PAMI_Context_destroyv((pami_context_t *)contexts[0], 1));
    REFUSED(PAMI_INVAL, PAMI_Client_destroy((pami_client_t *)client));
    pami_context_t copy = contexts[0];
    pami_client_t of = client;
    CHECK(PAMI_Context_destroyv(contexts, CONTEXTS) == PAMI_SUCCESS);
    CHECK(contexts[0] == PAMI_CONTEXT_NULL);
    REFUSED(PAMI_INVAL, PAMI_Context_advance(copy, 1));
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS && client == PAMI_CLIENT_NULL);
    REFUSED(PAMI_INVAL, PAMI_Client_destroy(&of));
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
