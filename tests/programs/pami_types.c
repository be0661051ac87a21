/* Types, and everything that takes them, on any number of tasks: built, queried, serialized;
 * messages, puts and gets between layouts, with and without data functions; bad calls.
 *
 * pami_shapes.h has the types, and checks every byte.
 */
#include "pami_shapes.h"

enum { MEET = 1, LEARN = 2, DATA = 3, CODE = 4, LATE = 5 };

static pami_client_t client;
static pami_context_t context;
static size_t task, tasks;
static unsigned char from[MEMORY], landed[MEMORY], shared[MEMORY];
static unsigned char *remote; /* the right neighbour's `shared` */
static pami_memregion_t own_region, remote_region;

static void advance_until(volatile size_t *count, size_t wanted)
{
    while (*count < wanted)
        PAMI_Context_advance(context, 100);
}

static pami_endpoint_t endpoint(size_t of)
{
    pami_endpoint_t made = PAMI_ENDPOINT_NULL;
    GOOD(PAMI_Endpoint_create(client, (pami_task_t)of, 0, &made));
    return made;
}

static void count(pami_context_t of, void *cookie, pami_result_t result)
{
    CHECK(of == context && result == PAMI_SUCCESS);
    ++*(size_t *)cookie;
}

static void refused(pami_context_t of, void *cookie, pami_result_t result)
{
    CHECK(of == context && result == PAMI_INVAL);
    ++*(size_t *)cookie;
}

/* What the message that is under way was packed from. */
static struct { const struct shape *shape; size_t offset; int inverted, added; } packed;

static unsigned char packed_byte(size_t at)
{
    unsigned char byte = from[place(packed.shape, packed.offset + at)];
    return packed.inverted ? (unsigned char)~byte : byte;
}

/* ---- messages ---- */

struct header { int from, to; size_t offset, bytes; int inverted, added; };
static size_t met, learned, arrived, consumed, produced;
static size_t expected; /* of the left neighbour, who sends what this task sends */

static void meeting(pami_context_t of, void *cookie, const void *header, size_t header_bytes,
                    const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)of, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes;
    (void)origin, (void)recv;
    ++met;
}

static void meet(void)
{
    static size_t meetings;
    for (size_t other = 0; other < tasks; ++other) {
        pami_send_immediate_t message = {.dispatch = MEET, .dest = endpoint(other)};
        GOOD(PAMI_Send_immediate(context, &message));
    }
    advance_until(&met, ++meetings * tasks);
}

/* Adds numbers of 4 bytes: what is there, is 0. */
static void add(void *target, void *source, size_t bytes, void *cookie)
{
    CHECK(cookie == &consumed && bytes % 4 == 0);
    consumed += bytes;
    for (size_t at = 0; at < bytes; at += 4) {
        unsigned there, more;
        memcpy(&there, (char *)target + at, 4), memcpy(&more, (char *)source + at, 4);
        there += more - 0xEEEEEEEEu;
        memcpy((char *)target + at, &there, 4);
    }
}

static void invert(void *target, void *source, size_t bytes, void *cookie)
{
    CHECK(cookie == &produced && bytes % 4 == 0);
    produced += bytes;
    for (size_t at = 0; at < bytes; ++at)
        ((unsigned char *)target)[at] = (unsigned char)~((unsigned char *)source)[at];
}

static struct header coming;

static void landed_all(pami_context_t of, void *cookie, pami_result_t result)
{
    packed.shape = &shapes[coming.from], packed.offset = 8, packed.inverted = coming.inverted;
    if (!holds(landed, &shapes[coming.to], coming.offset, coming.bytes, packed_byte)) {
        fprintf(stderr, "%zu bytes from type %d to type %d, functions %d %d\n", coming.bytes,
                coming.from, coming.to, coming.inverted, coming.added);
        ++failures;
    }
    CHECK(consumed == (coming.added ? coming.bytes : 0));
    consumed = 0;
    count(of, cookie, result);
}

static void received(pami_context_t of, void *cookie, const void *header, size_t header_bytes,
                     const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)origin, (void)cookie;
    CHECK(header_bytes >= sizeof coming);
    memcpy(&coming, header, sizeof coming);
    CHECK(bytes == coming.bytes);
    const struct shape *shape = &shapes[coming.to];
    pami_data_function function = coming.added ? add : PAMI_DATA_COPY;
    memset(landed, UNTOUCHED, MEMORY);
    if (data) {
        GOOD(PAMI_Type_transform_data((void *)(uintptr_t)data, PAMI_TYPE_BYTE, 0, landed, shape->type,
                                      coming.offset, bytes, function, &consumed));
        landed_all(of, &arrived, PAMI_SUCCESS);
        return;
    }
    *recv = (pami_recv_t){.addr = landed, .type = shape->type, .offset = coming.offset,
                          .data_fn = function, .data_cookie = &consumed,
                          .local_fn = landed_all, .cookie = &arrived};
}

static void send(struct header about, size_t header_bytes, size_t dispatch)
{
    static unsigned char header[20000];
    memcpy(header, &about, sizeof about);
    size_t local = 0, far = 0;
    produced = 0;
    pami_send_typed_t message = {
        .send = {.header = {header, header_bytes}, .data = {from, about.bytes},
                 .dispatch = dispatch, .dest = endpoint((task + 1) % tasks)},
        .events = {&local, count, NULL},
        .typed = {shapes[about.from].type, 8, about.inverted ? invert : PAMI_DATA_COPY, &produced}};
    GOOD(PAMI_Send_typed(context, &message));
    advance_until(&local, 1);
    advance_until(&arrived, ++expected);
    meet(); /* there is one place to land in */
    message.events = (pami_send_event_t){&far, NULL, count};
    GOOD(PAMI_Send_typed(context, &message));
    advance_until(&far, 1);
    advance_until(&arrived, ++expected);
    CHECK(produced == (about.inverted ? 2 * about.bytes : 0));
    meet();
}

static const size_t lengths[] = {0, 1, 8, 40, 1000, 9000, 69999};

static void messages(void)
{
    for (int one = 0; one < SHAPES; ++one)
        for (int other = 0; other < SHAPES; ++other)
            for (size_t number = 0; number < sizeof lengths / sizeof *lengths; ++number) {
                struct header about = {one, other, 4, lengths[number], 0, 0};
                if ((one == COLUMN || other == COLUMN || number % 2 == 0) && one + other != 0)
                    send(about, sizeof about, number % 2 ? DATA : LATE);
            }
    for (size_t number = 0; number < sizeof lengths / sizeof *lengths; ++number)
        for (int functions = 1; functions < 4; ++functions) {
            struct header about = {WORDS, functions & 2 ? WORDS : IRREGULAR, 4, lengths[number] / 4 * 4,
                                   functions & 1, functions >> 1};
            send(about, sizeof about, DATA);
            about.to = functions & 2 ? LONG : PLAIN; /* blocks of other lengths, atoms as well */
            send(about, sizeof about, LATE);
        }
    /* A header that is longer than any packet. */
    send((struct header){NESTED, COLUMN, 4, 5000, 0, 0}, 20000, DATA);
    send((struct header){WORDS, WORDS, 4, 5000, 1, 1}, 20000, LATE);
}

/* A type travels, and is received into by whoever got it. */
static pami_type_t travelled;

static void code_came(pami_context_t of, void *cookie, const void *header, size_t header_bytes,
                      const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)of, (void)cookie, (void)header, (void)header_bytes, (void)origin, (void)recv;
    GOOD(PAMI_Type_deserialize(&travelled, (void *)(uintptr_t)data, bytes));
    ++learned;
}

static void travel(void)
{
    void *code = NULL, *again = NULL;
    size_t bytes = 0, same = 0;
    GOOD(PAMI_Type_serialize(shapes[NESTED].type, &code, &bytes));
    GOOD(PAMI_Type_serialize(shapes[NESTED].type, &again, &same));
    CHECK(code == again && bytes == same && bytes > 8);
    pami_send_immediate_t message = {.dispatch = CODE, .data = {code, bytes},
                                     .dest = endpoint((task + 1) % tasks)};
    GOOD(PAMI_Send_immediate(context, &message));
    advance_until(&learned, 2);
    meet();
    pami_type_t kept = shapes[NESTED].type;
    shapes[NESTED].type = travelled;
    send((struct header){NESTED, NESTED, 4, 9000, 0, 0}, sizeof(struct header), DATA);
    GOOD(PAMI_Type_destroy(&travelled));
    shapes[NESTED].type = kept;
    unsigned char copy[256];
    CHECK(bytes < sizeof copy);
    for (size_t cut = 0; cut < bytes; ++cut)
        REFUSED(PAMI_INVAL, PAMI_Type_deserialize(&travelled, code, cut));
    memcpy(copy, code, bytes);
    for (size_t at = 0; at < bytes; ++at) { /* anything may come of it, but no crash */
        copy[at] ^= 0x55;
        if (PAMI_Type_deserialize(&travelled, copy, bytes) == PAMI_SUCCESS)
            GOOD(PAMI_Type_destroy(&travelled));
        copy[at] ^= 0x55;
    }
}

/* ---- puts and gets ---- */

static void learn(pami_context_t of, void *cookie, const void *header, size_t header_bytes,
                  const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)of, (void)cookie, (void)header_bytes, (void)bytes, (void)origin, (void)recv;
    memcpy(&remote, header, sizeof remote);
    memcpy(&remote_region, data, sizeof remote_region);
    ++learned;
}

static void tell_addresses(void)
{
    unsigned char *own = shared;
    size_t granted;
    GOOD(PAMI_Memregion_create(context, shared, MEMORY, &granted, &own_region));
    pami_send_immediate_t message = {.header = {&own, sizeof own}, .dispatch = LEARN,
                                     .data = {&own_region, sizeof own_region},
                                     .dest = endpoint((task + tasks - 1) % tasks)};
    meet(); /* everybody is ready to learn */
    GOOD(PAMI_Send_immediate(context, &message));
    advance_until(&learned, 1);
    meet();
}

static unsigned char shared_byte(size_t at)
{
    return from[place(packed.shape, at)];
}

static void transfer(const struct shape *here, const struct shape *there, size_t bytes, int regions)
{
    pami_memregion_t local_region;
    size_t granted, done = 0, far = 0;
    pami_rma_t rma = {.dest = endpoint((task + 1) % tasks), .bytes = bytes, .cookie = &done,
                      .done_fn = count};
    memset(shared, UNTOUCHED, MEMORY);
    memset(landed, UNTOUCHED, MEMORY);
    packed.shape = here;
    meet();
    pami_rma_typed_t types = {here->type, there->type};
    if (regions) {
        GOOD(PAMI_Memregion_create(context, from, MEMORY, &granted, &local_region));
        pami_rput_typed_t put = {.rma = rma, .rdma = {{&local_region, 0}, {&remote_region, 0}},
                                 .type = types};
        GOOD(PAMI_Rput_typed(context, &put));
        put.rma.cookie = &far, put.rma.done_fn = NULL, put.put.rdone_fn = count;
        GOOD(PAMI_Rput_typed(context, &put));
        advance_until(&far, 1);
        GOOD(PAMI_Memregion_destroy(context, &local_region));
    } else {
        pami_put_typed_t put = {.rma = rma, .addr = {from, remote}, .type = types};
        GOOD(PAMI_Put_typed(context, &put));
        put.rma.cookie = &far, put.rma.done_fn = NULL, put.put.rdone_fn = count;
        GOOD(PAMI_Put_typed(context, &put));
        advance_until(&far, 1);
    }
    advance_until(&done, 1);
    meet();
    CHECK(holds(shared, there, 0, bytes, shared_byte));
    if (regions) {
        GOOD(PAMI_Memregion_create(context, landed, MEMORY, &granted, &local_region));
        pami_rget_typed_t get = {.rma = rma, .rdma = {{&local_region, 0}, {&remote_region, 0}},
                                 .type = types};
        GOOD(PAMI_Rget_typed(context, &get));
    } else {
        pami_get_typed_t get = {.rma = rma, .addr = {landed, remote}, .type = types};
        GOOD(PAMI_Get_typed(context, &get));
    }
    advance_until(&done, 2);
    CHECK(holds(landed, here, 0, bytes, shared_byte));
    if (regions)
        GOOD(PAMI_Memregion_destroy(context, &local_region));
    meet();
}

static void transfers(void)
{
    for (int one = 0; one < SHAPES; ++one)
        for (int other = 0; other < SHAPES; ++other)
            for (size_t number = 1; number < sizeof lengths / sizeof *lengths; ++number)
                if ((one + other + number) % 2)
                    transfer(&shapes[one], &shapes[other], lengths[number], number % 3 == 0);
}

/* ---- what is refused, and what goes on all the same ---- */

static void bad_types(void)
{
    pami_type_t type, gone, unfinished;
    pami_configuration_t asked = {.name = PAMI_TYPE_ATOM_SIZE};
    void *code;
    size_t bytes;
    unsigned char other[64];
    REFUSED(PAMI_INVAL, PAMI_Type_create(NULL));
    GOOD(PAMI_Type_create(&type));
    gone = type;
    GOOD(PAMI_Type_destroy(&type));
    CHECK(type == PAMI_TYPE_NULL);
    GOOD(PAMI_Type_create(&unfinished));
    GOOD(PAMI_Type_add_simple(unfinished, 12, 0, 2, 100));
    const pami_type_t bad[] = {gone, PAMI_TYPE_NULL, unfinished, (pami_type_t)-1};
    for (int index = 0; index < 4; ++index) {
        REFUSED(PAMI_INVAL, PAMI_Type_query(bad[index], &asked, 1));
        REFUSED(PAMI_INVAL, PAMI_Type_serialize(bad[index], &code, &bytes));
        REFUSED(PAMI_INVAL, PAMI_Type_transform_data(from, bad[index], 0, other, PAMI_TYPE_BYTE, 0, 8,
                                                     PAMI_DATA_COPY, NULL));
        REFUSED(PAMI_INVAL, PAMI_Type_transform_data(from, PAMI_TYPE_BYTE, 0, other, bad[index], 0, 8,
                                                     PAMI_DATA_COPY, NULL));
        REFUSED(PAMI_INVAL, PAMI_Type_add_typed(unfinished, bad[index], 0, 1, 8));
        pami_send_typed_t message = {.send = {.data = {from, 8}, .dispatch = DATA, .dest = endpoint(task)},
                                     .typed = {bad[index], 0, PAMI_DATA_COPY, NULL}};
        REFUSED(PAMI_INVAL, PAMI_Send_typed(context, &message));
        pami_rma_t rma = {.dest = endpoint(task), .bytes = 8};
        pami_put_typed_t put = {.rma = rma, .addr = {from, other}, .type = {PAMI_TYPE_BYTE, bad[index]}};
        pami_get_typed_t get = {.rma = rma, .addr = {other, from}, .type = {bad[index], PAMI_TYPE_BYTE}};
        REFUSED(PAMI_INVAL, PAMI_Put_typed(context, &put));
        REFUSED(PAMI_INVAL, PAMI_Get_typed(context, &get));
        pami_rma_mr_t place_of = {&own_region, 0};
        pami_rput_typed_t rput = {.rma = rma, .rdma = {place_of, place_of}, .type = {bad[index], bad[index]}};
        pami_rget_typed_t rget = {.rma = rma, .rdma = {place_of, place_of}, .type = {bad[index], bad[index]}};
        REFUSED(PAMI_INVAL, PAMI_Rput_typed(context, &rput));
        REFUSED(PAMI_INVAL, PAMI_Rget_typed(context, &rget));
    }
    REFUSED(PAMI_INVAL, PAMI_Type_add_simple(gone, 1, 0, 1, 1));
    REFUSED(PAMI_INVAL, PAMI_Type_complete(gone, 1));
    REFUSED(PAMI_INVAL, PAMI_Type_destroy(&gone));
    REFUSED(PAMI_INVAL, PAMI_Type_destroy(NULL));
    pami_type_t byte = PAMI_TYPE_BYTE;
    REFUSED(PAMI_INVAL, PAMI_Type_destroy(&byte));
    REFUSED(PAMI_INVAL, PAMI_Type_add_simple(byte, 1, 0, 1, 1));
    REFUSED(PAMI_INVAL, PAMI_Type_add_simple(unfinished, (size_t)-1, 0, 1, 1));
    REFUSED(PAMI_INVAL, PAMI_Type_complete(unfinished, 0));
    REFUSED(PAMI_INVAL, PAMI_Type_complete(unfinished, 5));
    REFUSED(PAMI_INVAL, PAMI_Type_complete(unfinished, 256));
    GOOD(PAMI_Type_complete(unfinished, 6));
    GOOD(PAMI_Type_query(unfinished, &asked, 1));
    CHECK(asked.value.intval == 6);
    asked.name = PAMI_CLIENT_TASK_ID;
    REFUSED(PAMI_INVAL, PAMI_Type_query(unfinished, &asked, 1));
    REFUSED(PAMI_INVAL, PAMI_Type_complete(unfinished, 6));
    REFUSED(PAMI_INVAL, PAMI_Type_add_simple(unfinished, 1, 0, 1, 1));
    REFUSED(PAMI_INVAL, PAMI_Type_serialize(unfinished, NULL, &bytes));
    REFUSED(PAMI_INVAL, PAMI_Type_deserialize(NULL, other, 64));
    REFUSED(PAMI_INVAL, PAMI_Type_deserialize(&type, other, 0));
    GOOD(PAMI_Type_destroy(&unfinished));
    pami_configuration_t most = {.name = PAMI_DISPATCH_ATOM_SIZE_MAX};
    GOOD(PAMI_Dispatch_query(context, DATA, &most, 1));
    CHECK(most.value.intval == PAMI_TYPE_ATOM_SIZE_STATIC);
}

static void bad_transfers(void)
{
    pami_type_t empty;
    size_t done = 0;
    GOOD(PAMI_Type_create(&empty));
    GOOD(PAMI_Type_complete(empty, 1));
    pami_rma_t rma = {.dest = endpoint(task), .bytes = 64, .cookie = &done, .done_fn = refused};
    pami_put_typed_t put = {.rma = rma, .addr = {from, shared}, .type = {PAMI_TYPE_BYTE, empty}};
    REFUSED(PAMI_INVAL, PAMI_Put_typed(context, &put));
    put.type = (pami_rma_typed_t){empty, PAMI_TYPE_BYTE};
    REFUSED(PAMI_INVAL, PAMI_Put_typed(context, &put));
    put.type.local = shapes[COLUMN].type;
    put.rma.bytes = 0;
    REFUSED(PAMI_INVAL, PAMI_Put_typed(context, &put));
    put.rma.bytes = (size_t)-1;
    REFUSED(PAMI_INVAL, PAMI_Put_typed(context, &put));
    put.rma.bytes = 8;
    put.addr.remote = NULL;
    REFUSED(PAMI_INVAL, PAMI_Put_typed(context, &put));
    REFUSED(PAMI_INVAL, PAMI_Put_typed(context, NULL));
    REFUSED(PAMI_INVAL, PAMI_Get_typed(context, NULL));
    REFUSED(PAMI_INVAL, PAMI_Rput_typed(context, NULL));
    REFUSED(PAMI_INVAL, PAMI_Rget_typed(context, NULL));
    REFUSED(PAMI_INVAL, PAMI_Send_typed(context, NULL));

    /* One byte too many for the region: 64 bytes of IRREGULAR reach less than they would whole. */
    pami_memregion_t small;
    size_t granted, reach = 0;
    for (size_t at = 0; at < 64; ++at)
        if (place(&shapes[IRREGULAR], at) >= (long)reach)
            reach = (size_t)place(&shapes[IRREGULAR], at) + 1;
    GOOD(PAMI_Memregion_create(context, shared, reach, &granted, &small));
    pami_rput_typed_t rput = {.rma = rma, .rdma = {{&small, 1}, {&small, 0}},
                              .type = {shapes[IRREGULAR].type, PAMI_TYPE_BYTE}};
    REFUSED(PAMI_INVAL, PAMI_Rput_typed(context, &rput));
    rput.rdma = (pami_rdma_t){{&own_region, 0}, {&small, 1}};
    rput.type = (pami_rma_typed_t){PAMI_TYPE_BYTE, shapes[IRREGULAR].type};
    GOOD(PAMI_Rput_typed(context, &rput));
    advance_until(&done, 1);
    rput.rdma.local.offset = 5000;
    rput.rdma.remote.offset = 0;
    rput.rma.done_fn = count;
    GOOD(PAMI_Rput_typed(context, &rput));
    advance_until(&done, 2);
    GOOD(PAMI_Memregion_destroy(context, &small));

    /* A data function gets whole atoms, or nothing. */
    pami_send_typed_t message = {.send = {.data = {from, 6}, .dispatch = DATA, .dest = endpoint(task)},
                                 .typed = {shapes[WORDS].type, 0, invert, &produced}};
    REFUSED(PAMI_INVAL, PAMI_Send_typed(context, &message));
    message.send.data.iov_len = 8;
    message.typed.offset = 2;
    REFUSED(PAMI_INVAL, PAMI_Send_typed(context, &message));
    message.send.data.iov_base = NULL;
    REFUSED(PAMI_INVAL, PAMI_Send_typed(context, &message));
    GOOD(PAMI_Type_destroy(&empty));
}

/* A receiver with a type that is none is told; the origin has sent all the same. */
static size_t told;

static void takes_no_type(pami_context_t of, void *cookie, const void *header, size_t header_bytes,
                          const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)of, (void)header, (void)header_bytes, (void)data, (void)bytes, (void)origin;
    *recv = (pami_recv_t){.addr = landed, .type = cookie, .local_fn = refused, .cookie = &told};
}

static void bad_receives(void)
{
    pami_type_t unfinished, type;
    GOOD(PAMI_Type_create(&unfinished));
    const pami_type_t bad[] = {unfinished, (pami_type_t)12345};
    pami_dispatch_callback_function function = {.p2p = takes_no_type};
    for (size_t index = 0; index < 2; ++index) {
        GOOD(PAMI_Dispatch_set(context, 10 + index, function, bad[index],
                               (pami_dispatch_hint_t){.recv_immediate = PAMI_HINT_DISABLE}));
        for (size_t bytes = 8; bytes < 100000; bytes *= 100) {
            size_t local = 0;
            pami_send_t message = {.send = {.data = {from, bytes}, .dispatch = 10 + index, .dest = endpoint(task)},
                                   .events = {&local, count, NULL}};
            told = 0;
            GOOD(PAMI_Send(context, &message));
            advance_until(&local, 1);
            advance_until(&told, 1);
        }
    }
    GOOD(PAMI_Type_destroy(&unfinished));
    /* A type may go while what it describes is under way. */
    meet();
    struct header about = {COLUMN, PLAIN, 0, 69999, 0, 0};
    GOOD(PAMI_Type_create(&type));
    GOOD(PAMI_Type_add_typed(type, shapes[COLUMN].type, 0, 1, 40));
    GOOD(PAMI_Type_complete(type, 1));
    pami_send_typed_t message = {.send = {.header = {&about, sizeof about}, .data = {from, about.bytes},
                                          .dispatch = DATA, .dest = endpoint((task + 1) % tasks)},
                                 .typed = {type, 8, NULL, NULL}};
    GOOD(PAMI_Send_typed(context, &message));
    GOOD(PAMI_Type_destroy(&type));
    advance_until(&arrived, ++expected);
    meet();
}

static void set(size_t dispatch, pami_dispatch_p2p_function receive, pami_dispatch_hint_t hints)
{
    pami_dispatch_callback_function function = {.p2p = receive};
    GOOD(PAMI_Dispatch_set(context, dispatch, function, NULL, hints));
}

int main(void)
{
    for (size_t index = 0; index < MEMORY; ++index)
        from[index] = (unsigned char)(index * 31 + index / 251);
    GOOD(PAMI_Client_create("types", &client, NULL, 0));
    if (PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    GOOD(PAMI_Client_query(client, asked, 2));
    task = asked[0].value.intval, tasks = asked[1].value.intval;
    set(MEET, meeting, (pami_dispatch_hint_t){0});
    set(LEARN, learn, (pami_dispatch_hint_t){0});
    set(CODE, code_came, (pami_dispatch_hint_t){0});
    set(DATA, received, (pami_dispatch_hint_t){0});
    set(LATE, received, (pami_dispatch_hint_t){.recv_immediate = PAMI_HINT_DISABLE});
    meet();
    make_shapes();
    tell_addresses();
    bad_types();
    messages();
    travel();
    transfers();
    bad_transfers();
    bad_receives();
    for (int index = COLUMN; index < SHAPES; ++index)
        GOOD(PAMI_Type_destroy(&shapes[index].type));
    GOOD(PAMI_Context_destroyv(&context, 1));
    GOOD(PAMI_Client_destroy(&client));
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
