/* What collective operations of libpami.so do beside moving data: data functions on all types,
 * several operations at once, active-message collectives, attributes, refused calls, and members
 * that leave. On any number of tasks.
 */
#include <complex.h>
#include <limits.h>
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16, LONG = 100000, CHAIN = 200, HERE = 3, THERE = 4, NOWHERE = 5 };

static pami_client_t client;
static pami_context_t contexts[2];
static pami_geometry_t world;
static size_t task, tasks, failures;
static pami_endpoint_t first[MOST]; /* of each task */

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
        PAMI_Context_advancev(contexts, 2, 100);
}

static void done(pami_context_t context, void *cookie, pami_result_t result)
{
    CHECK(context == contexts[0] || context == contexts[1]);
    CHECK(result == PAMI_SUCCESS);
    ++*(size_t *)cookie;
}

static pami_algorithm_t algorithm(pami_geometry_t geometry, pami_xfer_type_t kind)
{
    pami_algorithm_t found = PAMI_ALGORITHM_NULL;
    CHECK(PAMI_Geometry_algorithms_query(geometry, kind, &found, NULL, 1, NULL, NULL, 0) ==
          PAMI_SUCCESS);
    return found;
}

static size_t ended;

static void run(pami_xfer_t *xfer, pami_xfer_type_t kind)
{
    ended = 0;
    xfer->cb_done = done;
    xfer->cookie = &ended;
    xfer->algorithm = algorithm(world, kind);
    CHECK(PAMI_Collective(contexts[0], xfer) == PAMI_SUCCESS);
    CHECK(ended == 0); /* only an advance tells */
    advance_until(&ended, 1);
}

static void barrier(void)
{
    pami_xfer_t xfer = {0};
    run(&xfer, PAMI_XFER_BARRIER);
}

/* ---- data functions ---------------------------------------------------------------------- */

static void combine(const void *from, void *to, pami_type_t type, pami_data_function op)
{
    pami_xfer_t xfer = {.cmd.xfer_allreduce = {(char *)from, type, 1, to, type, 1, op, NULL, 0}};
    run(&xfer, PAMI_XFER_ALLREDUCE);
}

/* The same on a number type: two operands are enough to see what a function does, so the others
 * have what changes nothing. */
#define NUMBERS(ctype, ptype)                                                             \
    do {                                                                                  \
        ctype mine, all;                                                                  \
        size_t total = tasks * (tasks + 1) / 2, product = 1;                              \
        for (size_t index = 1; index <= tasks; ++index)                                   \
            product *= index;                                                             \
        mine = (ctype)(task + 1);                                                         \
        combine(&mine, &all, ptype, PAMI_DATA_SUM), CHECK(all == (ctype)total);           \
        combine(&mine, &all, ptype, PAMI_DATA_PROD), CHECK(all == (ctype)product);        \
        combine(&mine, &all, ptype, PAMI_DATA_MAX), CHECK(all == (ctype)tasks);           \
        combine(&mine, &all, ptype, PAMI_DATA_MIN), CHECK(all == 1);                      \
        combine(&mine, &all, ptype, PAMI_DATA_COPY), CHECK(all == 1);                     \
        combine(&mine, &all, ptype, PAMI_DATA_NOOP), CHECK(all == (ctype)tasks);          \
    } while (0)
#define TRUTHS(ctype, ptype)                                                              \
    do {                                                                                  \
        ctype all, one = task == 0 ? 0 : 8;                                               \
        combine(&one, &all, ptype, PAMI_DATA_LAND), CHECK(all == 0);                      \
        combine(&one, &all, ptype, PAMI_DATA_LOR), CHECK(all == (tasks > 1));             \
        combine(&one, &all, ptype, PAMI_DATA_LXOR), CHECK(all == (ctype)((tasks - 1) % 2));        \
    } while (0)
#define BITS(ctype, ptype)                                                                \
    do {                                                                                  \
        ctype all, mine = (ctype)(1u << task | 64u);                                      \
        combine(&mine, &all, ptype, PAMI_DATA_BAND), CHECK(all == (tasks > 1 ? 64 : 65)); \
        combine(&mine, &all, ptype, PAMI_DATA_BOR), CHECK(all == (ctype)((1u << tasks) - 1 + 64)); \
        combine(&mine, &all, ptype, PAMI_DATA_BXOR);                                      \
        CHECK(all == (ctype)((1u << tasks) - 1 + (tasks % 2 ? 64 : 0)));                  \
    } while (0)
#define INTEGER(ctype, ptype) \
    NUMBERS(ctype, ptype);    \
    TRUTHS(ctype, ptype);     \
    BITS(ctype, ptype)
#define LOCATIONS(vtype, itype, ptype)                                                    \
    do {                                                                                  \
        struct {                                                                          \
            vtype value;                                                                  \
            itype index;                                                                  \
        } mine = {(vtype)(task / 2), (itype)task}, all;                                   \
        combine(&mine, &all, ptype, PAMI_DATA_MAXLOC);                                    \
        CHECK(all.value == (vtype)((tasks - 1) / 2) && all.index == (itype)((tasks - 1) / 2 * 2)); \
        combine(&mine, &all, ptype, PAMI_DATA_MINLOC);                                    \
        CHECK(all.value == 0 && all.index == 0);                                          \
    } while (0)

static void data_functions(void)
{
    INTEGER(unsigned char, PAMI_TYPE_BYTE);
    INTEGER(signed char, PAMI_TYPE_SIGNED_CHAR);
    INTEGER(unsigned char, PAMI_TYPE_UNSIGNED_CHAR);
    INTEGER(short, PAMI_TYPE_SIGNED_SHORT);
    INTEGER(unsigned short, PAMI_TYPE_UNSIGNED_SHORT);
    INTEGER(int, PAMI_TYPE_SIGNED_INT);
    INTEGER(unsigned, PAMI_TYPE_UNSIGNED_INT);
    INTEGER(long, PAMI_TYPE_SIGNED_LONG);
    INTEGER(unsigned long, PAMI_TYPE_UNSIGNED_LONG);
    INTEGER(long long, PAMI_TYPE_SIGNED_LONG_LONG);
    INTEGER(unsigned long long, PAMI_TYPE_UNSIGNED_LONG_LONG);
    NUMBERS(float, PAMI_TYPE_FLOAT);
    NUMBERS(double, PAMI_TYPE_DOUBLE);
    NUMBERS(long double, PAMI_TYPE_LONG_DOUBLE);
    TRUTHS(uint8_t, PAMI_TYPE_LOGICAL1);
    TRUTHS(uint16_t, PAMI_TYPE_LOGICAL2);
    TRUTHS(uint32_t, PAMI_TYPE_LOGICAL4);
    TRUTHS(uint64_t, PAMI_TYPE_LOGICAL8);
    LOCATIONS(int, int, PAMI_TYPE_LOC_2INT);
    LOCATIONS(float, float, PAMI_TYPE_LOC_2FLOAT);
    LOCATIONS(double, double, PAMI_TYPE_LOC_2DOUBLE);
    LOCATIONS(short, int, PAMI_TYPE_LOC_SHORT_INT);
    LOCATIONS(float, int, PAMI_TYPE_LOC_FLOAT_INT);
    LOCATIONS(double, int, PAMI_TYPE_LOC_DOUBLE_INT);
    LOCATIONS(long, int, PAMI_TYPE_LOC_LONG_INT);
    LOCATIONS(long double, int, PAMI_TYPE_LOC_LONGDOUBLE_INT);
    float complex turned, turn = I;
    combine(&turn, &turned, PAMI_TYPE_SINGLE_COMPLEX, PAMI_DATA_PROD);
    float complex expected = 1;
    for (size_t index = 0; index < tasks; ++index)
        expected *= I;
    CHECK(turned == expected);
    double complex one = 1 + (double)task * I, all;
    combine(&one, &all, PAMI_TYPE_DOUBLE_COMPLEX, PAMI_DATA_SUM);
    CHECK(all == (double)tasks + (double)(tasks * (tasks - 1) / 2) * I);
}

/* ---- several at once --------------------------------------------------------------------- */

static int sent[LONG], summed[LONG], spread[LONG];
static size_t links;

static void next_link(pami_context_t context, void *cookie, pami_result_t result)
{
    CHECK(result == PAMI_SUCCESS);
    if (++links == CHAIN)
        return;
    pami_xfer_t xfer = {.cb_done = next_link, .cookie = cookie, .algorithm = *(size_t *)cookie};
    CHECK(PAMI_Collective(context, &xfer) == PAMI_SUCCESS);
}

static void several_at_once(void)
{
    pami_algorithm_t barriers = algorithm(world, PAMI_XFER_BARRIER);
    pami_xfer_t xfer = {.cb_done = next_link, .cookie = &barriers, .algorithm = barriers};
    CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
    links = 0;
    advance_until(&links, CHAIN);

    for (size_t round = 0; round < 20; ++round) {
        int few[3] = {(int)task, 1, -1}, most[3] = {0, 0, 0};
        pami_type_t type = PAMI_TYPE_SIGNED_INT;
        ended = 0;
        for (size_t index = 0; index < LONG; ++index) {
            sent[index] = (int)(task + index + round);
            spread[index] = task == round % tasks ? (int)(index ^ round) : -1;
        }
        pami_xfer_t all[] = {
            {.algorithm = algorithm(world, PAMI_XFER_ALLREDUCE),
             .cmd.xfer_allreduce = {(char *)sent, type, LONG, (char *)summed, type, LONG,
                                    PAMI_DATA_SUM, NULL, 0}},
            {.algorithm = algorithm(world, PAMI_XFER_BROADCAST),
             .cmd.xfer_broadcast = {first[round % tasks], (char *)spread, type, LONG}},
            {.algorithm = barriers},
            {.algorithm = algorithm(world, PAMI_XFER_ALLREDUCE),
             .cmd.xfer_allreduce = {(char *)few, type, 3, (char *)most, type, 3, PAMI_DATA_MAX, NULL,
                                    0}},
        };
        size_t operations = sizeof all / sizeof *all;
        for (size_t index = 0; index < operations; ++index) {
            all[index].cb_done = done;
            all[index].cookie = &ended;
            CHECK(PAMI_Collective(contexts[0], &all[index]) == PAMI_SUCCESS);
            if (index % 2 == task % 2)
                PAMI_Context_advance(contexts[0], 3);
        }
        memset(all, 0xFF, sizeof all); /* it is the program's again */
        advance_until(&ended, operations);
        size_t wrong = most[0] != (int)tasks - 1 || most[1] != 1 || most[2] != -1;
        for (size_t index = 0; index < LONG; ++index) {
            size_t sum = tasks * (index + round) + tasks * (tasks - 1) / 2;
            wrong += summed[index] != (int)sum || spread[index] != (int)(index ^ round);
        }
        CHECK(wrong == 0);
    }
    CHECK(ended == 4);
}

/* ---- active-message collectives ----------------------------------------------------------- */

static int landed[LONG], answers[MOST * LONG], answer[LONG];
static size_t received, asked, answered, elements;
static size_t expected_answers; /* where this task has asked */

static void have(pami_context_t context, void *cookie, pami_result_t result)
{
    size_t from = (size_t)cookie, wrong = 0;
    done(context, &received, result);
    for (size_t index = 0; index < elements; ++index)
        wrong += landed[index] != (int)(from * 1000 + index);
    CHECK(wrong == 0);
}

/* Header: who sends, and to whom (or to all). */
static void receive(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                    const void *pipe, size_t bytes, pami_endpoint_t origin, pami_geometry_t geometry,
                    pami_recv_t *recv)
{
    const size_t *words = header;
    CHECK(context == contexts[0] && cookie == &received && geometry == world);
    CHECK(header_bytes == 16 && pipe == NULL && bytes == elements * sizeof(int));
    CHECK(words[0] < tasks && origin == first[words[0]]);
    CHECK(words[1] == task || words[1] == tasks);
    *recv = (pami_recv_t){(void *)words[0], have, landed, PAMI_TYPE_SIGNED_INT, 0, PAMI_DATA_COPY, NULL};
}

/* Where this task has asked, all is there when its own part is told. */
static void gave(pami_context_t context, void *cookie, pami_result_t result)
{
    size_t missing = 0;
    done(context, cookie, result);
    for (size_t index = 0; index < expected_answers; ++index)
        missing += answers[index] == -1;
    CHECK(missing == 0);
}

/* The own member has named somebody else. */
static void not_told(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie, (void)result;
    CHECK(!"cb_done is called");
}

static void start(pami_xfer_t *xfer, pami_xfer_type_t kind, size_t expected)
{
    expected_answers = expected;
    memset(answers, -1, sizeof answers);
    xfer->cb_done = not_told;
    xfer->algorithm = algorithm(world, kind);
    CHECK(PAMI_Collective(contexts[0], xfer) == PAMI_SUCCESS);
}

static void give(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 size_t bytes, pami_endpoint_t origin, pami_geometry_t geometry, pami_recv_t *send)
{
    const size_t *words = header;
    CHECK(context == contexts[0] && cookie == &asked && geometry == world);
    CHECK(header_bytes == 16 && bytes == elements * sizeof(int) && origin == first[words[0]]);
    for (size_t index = 0; index < elements; ++index)
        answer[index] = (int)(task * 1000 + index);
    ++asked;
    *send = (pami_recv_t){&answered, gave, answer, PAMI_TYPE_SIGNED_INT, 0, PAMI_DATA_COPY, NULL};
}

static void add(void *target, void *source, size_t bytes, void *cookie)
{
    for (size_t index = 0; index < bytes / sizeof(int); ++index)
        ((int *)target)[index] += ((int *)source)[index];
    ++*(size_t *)cookie;
}

static void give_sum(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                     size_t bytes, pami_endpoint_t origin, pami_geometry_t geometry,
                     pami_data_function *op, pami_recv_t *send)
{
    const size_t *words = header;
    give(context, cookie, header, header_bytes, bytes, origin, geometry, send);
    *op = words[0] % 2 ? add : PAMI_DATA_SUM;
}

static void set(pami_xfer_type_t kind, pami_dispatch_callback_function function, void *cookie)
{
    CHECK(PAMI_AMCollective_dispatch_set(contexts[0], algorithm(world, kind), HERE, function, cookie,
                                         (pami_collective_hint_t){0}) == PAMI_SUCCESS);
}

static void active_messages(void)
{
    static const size_t lengths[] = {0, 1, 500, LONG};
    static int blocks[MOST * LONG];
    pami_dispatch_callback_function function = {.ambroadcast = receive};
    set(PAMI_XFER_AMBROADCAST, function, &received);
    set(PAMI_XFER_AMSCATTER, function, &received);
    function.amgather = give;
    set(PAMI_XFER_AMGATHER, function, &asked);
    function.amreduce = give_sum;
    set(PAMI_XFER_AMREDUCE, function, &asked);
    barrier();
    for (size_t round = 0; round < 4 * tasks; ++round) {
        size_t root = round % tasks, adds = 0, headers[MOST][2];
        pami_type_t type = PAMI_TYPE_SIGNED_INT;
        elements = lengths[round / tasks];
        received = asked = answered = 0;
        for (size_t index = 0; index < tasks; ++index)
            headers[index][0] = root, headers[index][1] = index;
        for (size_t index = 0; index < tasks * elements; ++index)
            blocks[index] = (int)(task * 1000 + index % elements);
        barrier(); /* all know the length */
        if (task == root) {
            size_t to_all[2] = {root, tasks};
            pami_xfer_t xfer = {
                .cmd.xfer_ambroadcast = {HERE, to_all, 16, blocks, type, elements}};
            run(&xfer, PAMI_XFER_AMBROADCAST);
            CHECK(received == 0); /* the origin has the data */
            received = 1;
        }
        advance_until(&received, 1);
        barrier();
        if (task == root) {
            pami_xfer_t xfer = {.cmd.xfer_amscatter = {HERE, headers, 16, blocks, type, elements}};
            start(&xfer, PAMI_XFER_AMSCATTER, 0);
        }
        advance_until(&received, 2);
        if (task == root) {
            pami_xfer_t xfer = {.cmd.xfer_amgather = {HERE, headers, 16, answers, type, elements}};
            start(&xfer, PAMI_XFER_AMGATHER, tasks * elements);
        }
        advance_until(&answered, 1);
        if (task == root) {
            size_t wrong = 0;
            for (size_t from = 0; from < tasks; ++from)
                for (size_t index = 0; index < elements; ++index)
                    wrong += answers[from * elements + index] != (int)(from * 1000 + index);
            CHECK(wrong == 0);
        }
        expected_answers = 0;
        if (task == root) {
            size_t bytes = elements * sizeof(int); /* the answers say what they are made of */
            pami_xfer_t xfer = {.cmd.xfer_amreduce = {HERE, headers[0], 16, answers, PAMI_TYPE_BYTE,
                                                      bytes, &adds, 1}};
            start(&xfer, PAMI_XFER_AMREDUCE, elements);
        }
        advance_until(&answered, 2);
        if (task == root) {
            size_t wrong = 0;
            for (size_t index = 0; index < elements; ++index)
                wrong += answers[index] != (int)(tasks * (tasks - 1) / 2 * 1000 + tasks * index);
            CHECK(wrong == 0);
            CHECK(adds == (root % 2 && elements ? tasks - 1 : 0));
        }
        expected_answers = 0;
        CHECK(received == 2 && asked == 2 && answered == 2);
        barrier();
    }
}

static void not_done(pami_context_t context, void *cookie, pami_result_t result)
{
    char text[300];
    CHECK(context == contexts[0] && result == PAMI_ERROR);
    CHECK(PAMI_Error_text(text, sizeof text) > 10);
    ++*(size_t *)cookie;
}

/* Members without an answer are errors of the one that asks. */
static void give_nothing(pami_context_t context, void *cookie, const void *header,
                         size_t header_bytes, size_t bytes, pami_endpoint_t origin,
                         pami_geometry_t geometry, pami_recv_t *send)
{
    (void)context, (void)cookie, (void)header, (void)header_bytes, (void)bytes, (void)origin;
    (void)geometry, (void)send;
}

static void active_failures(void)
{
    pami_dispatch_callback_function function = {.amgather = give_nothing};
    pami_algorithm_t gather = algorithm(world, PAMI_XFER_AMGATHER);
    pami_collective_hint_t hint = {0};
    CHECK(PAMI_AMCollective_dispatch_set(contexts[0], gather, THERE, function, NULL, hint) ==
          PAMI_SUCCESS);
    int first_answer[MOST];
    pami_xfer_t xfer = {.cb_done = not_done, .cookie = &ended, .algorithm = gather,
                        .cmd.xfer_amgather = {THERE, NULL, 0, first_answer, PAMI_TYPE_SIGNED_INT, 1}};
    ended = 0;
    if (task == 0) {
        CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
        advance_until(&ended, 1);
    }
    xfer.cmd.xfer_amgather.dispatch = THERE + 1; /* not set */
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], &xfer));
    barrier();
    pami_algorithm_t barriers = algorithm(world, PAMI_XFER_BARRIER);
    REFUSED(PAMI_INVAL, PAMI_AMCollective_dispatch_set(contexts[0], barriers, HERE, function, NULL, hint));
    REFUSED(PAMI_INVAL, PAMI_AMCollective_dispatch_set(contexts[0], gather, 4000, function, NULL, hint));
    function.amgather = NULL;
    REFUSED(PAMI_INVAL, PAMI_AMCollective_dispatch_set(contexts[0], gather, HERE, function, NULL, hint));
    xfer.cmd.xfer_amgather = (pami_amgather_t){HERE, NULL, 8, first_answer, PAMI_TYPE_BYTE, 1};
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], &xfer));
    xfer.cmd.xfer_amgather.headerlen = 1 << 20;
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], &xfer));
}

/* ---- refused calls ------------------------------------------------------------------------ */

static void geometries_refused(void)
{
    pami_geometry_t made = NULL, none = PAMI_GEOMETRY_NULL, own = NULL;
    pami_task_t self = (pami_task_t)task, twice[] = {self, self}, beyond[] = {self, 5000};
    pami_geometry_range_t reversed = {3, 2};
    pami_client_t other;
    pami_context_t foreign;
    size_t told = 0, lengths[2];
#define MAKE(where, parent, id, list, count) \
    PAMI_Geometry_create_tasklist(client, 0, NULL, 0, where, parent, id, list, count, contexts[0], done, &told)
    CHECK(MAKE(&own, none, 40, &self, 1) == PAMI_SUCCESS);
    advance_until(&told, 1);
    REFUSED(PAMI_INVAL, MAKE(&made, none, 40, &self, 1));
    REFUSED(PAMI_INVAL, MAKE(&made, none, 0, &self, 1));
    REFUSED(PAMI_INVAL, MAKE(&made, none, 41, twice, 2));
    REFUSED(PAMI_INVAL, MAKE(&made, none, 41, beyond, 2));
    REFUSED(PAMI_INVAL, MAKE(&made, none, 41, NULL, 1));
    REFUSED(PAMI_INVAL, MAKE(&made, none, 41, &self, 0));
    REFUSED(PAMI_INVAL, MAKE(NULL, none, 41, &self, 1));
    if (tasks > 1) {
        pami_task_t stranger = (pami_task_t)((task + 1) % tasks);
        REFUSED(PAMI_INVAL, MAKE(&made, none, 41, &stranger, 1));
        beyond[1] = stranger;
        REFUSED(PAMI_INVAL, MAKE(&made, own, 41, beyond, 2));
    }
    REFUSED(PAMI_INVAL,
            PAMI_Geometry_create_taskrange(client, 0, NULL, 0, &made, none, 41, &reversed, 1,
                                           contexts[0], done, &told));
    REFUSED(PAMI_INVAL, PAMI_Geometry_create_tasklist(client, 77, NULL, 0, &made, none, 41, &self, 1,
                                                      contexts[0], done, &told));
    pami_configuration_t wrong = {.name = PAMI_CLIENT_TASK_ID};
    REFUSED(PAMI_INVAL, PAMI_Geometry_create_tasklist(client, 0, &wrong, 1, &made, none, 41, &self, 1,
                                                      contexts[0], done, &told));
    CHECK(PAMI_Client_create("foreign", &other, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(other, NULL, 0, &foreign, 1) == PAMI_SUCCESS);
    REFUSED(PAMI_INVAL, PAMI_Geometry_create_tasklist(client, 0, NULL, 0, &made, none, 41, &self, 1,
                                                      foreign, done, &told));
    REFUSED(PAMI_INVAL, PAMI_Geometry_destroy(other, &own, foreign, done, &told));
    pami_xfer_t xfer = {.algorithm = algorithm(world, PAMI_XFER_BARRIER)};
    REFUSED(PAMI_INVAL, PAMI_Collective(foreign, &xfer));
    CHECK(PAMI_Context_destroyv(&foreign, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&other) == PAMI_SUCCESS);
    CHECK(made == NULL && told == 1);

    REFUSED(PAMI_INVAL, PAMI_Geometry_destroy(client, &world, contexts[0], done, &told));
    REFUSED(PAMI_INVAL, PAMI_Geometry_world(client, NULL));
    REFUSED(PAMI_INVAL, PAMI_Geometry_world(NULL, &made));
    REFUSED(PAMI_INVAL, PAMI_Geometry_algorithms_num(none, PAMI_XFER_BARRIER, lengths));
    REFUSED(PAMI_INVAL, PAMI_Geometry_algorithms_num(own, PAMI_XFER_COUNT, lengths));
    REFUSED(PAMI_INVAL, PAMI_Geometry_algorithms_num(own, PAMI_XFER_BARRIER, NULL));
    pami_algorithm_t many[50], kept = algorithm(own, PAMI_XFER_BARRIER);
    REFUSED(PAMI_INVAL, PAMI_Geometry_algorithms_query(own, PAMI_XFER_BARRIER, many, NULL, 50, NULL,
                                                       NULL, 0));

    /* With 0 one algorithm is left. */
    pami_configuration_t plain[] = {{.name = PAMI_GEOMETRY_OPTIMIZE, .value.intval = 0},
                                    {.name = PAMI_GEOMETRY_MEMORY_OPTIMIZE, .value.intval = 2}};
    CHECK(PAMI_Geometry_update(own, plain, 2, contexts[0], done, &told) == PAMI_SUCCESS);
    CHECK(told == 1);
    advance_until(&told, 2);
    plain[0].value.intval = plain[1].value.intval = 9;
    CHECK(PAMI_Geometry_query(own, plain, 2) == PAMI_SUCCESS);
    CHECK(plain[0].value.intval == 0 && plain[1].value.intval == 2);
    CHECK(PAMI_Geometry_algorithms_num(own, PAMI_XFER_REDUCE, lengths) == PAMI_SUCCESS);
    CHECK(lengths[0] == 1 && lengths[1] == 0);
    REFUSED(PAMI_INVAL, PAMI_Geometry_query(own, &wrong, 1));
    REFUSED(PAMI_INVAL, PAMI_Geometry_update(own, &wrong, 1, contexts[0], done, &told));

    /* Not while an operation is under way, and then its id is free. */
    pami_geometry_t copy = own;
    ended = 0;
    xfer = (pami_xfer_t){.cb_done = done, .cookie = &ended, .algorithm = kept};
    CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
    REFUSED(PAMI_EAGAIN, PAMI_Geometry_destroy(client, &own, contexts[0], done, &told));
    REFUSED(PAMI_EAGAIN, PAMI_Context_destroyv(contexts, 1));
    advance_until(&ended, 1);
    CHECK(PAMI_Geometry_destroy(client, &own, contexts[1], done, &told) == PAMI_SUCCESS);
    CHECK(own == PAMI_GEOMETRY_NULL && told == 2);
    advance_until(&told, 3);
    REFUSED(PAMI_INVAL, PAMI_Geometry_destroy(client, &copy, contexts[0], done, &told));
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], &xfer));
    CHECK(MAKE(&own, none, 40, &self, 1) == PAMI_SUCCESS);
    advance_until(&told, 4);
    CHECK(PAMI_Geometry_destroy(client, &own, contexts[1], NULL, NULL) == PAMI_SUCCESS);
}

static void operations_refused(void)
{
    int word = 0, negative = -1, nought = 0;
    char *here = (char *)&word;
    pami_type_t type = PAMI_TYPE_SIGNED_INT;
    pami_xfer_t xfer = {.cb_done = done, .cookie = &ended};
#define TRY(kind, member, ...)                                \
    xfer.algorithm = algorithm(world, kind);                  \
    xfer.cmd.member = (__typeof__(xfer.cmd.member))__VA_ARGS__; \
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], &xfer))
    pami_algorithm_t none[] = {PAMI_ALGORITHM_NULL, 0, 12345, (size_t)9999 << 16};
    for (size_t index = 0; index < sizeof none / sizeof *none; ++index) {
        xfer.algorithm = none[index];
        REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], &xfer));
    }
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[0], NULL));
    REFUSED(PAMI_INVAL, PAMI_Collective(NULL, &xfer));
    xfer.algorithm = algorithm(world, PAMI_XFER_BARRIER);
    REFUSED(PAMI_INVAL, PAMI_Collective(contexts[1], &xfer)); /* the world has context 0 */
    pami_endpoint_t outside;
    PAMI_Endpoint_create(client, 0, 1, &outside);
    TRY(PAMI_XFER_BROADCAST, xfer_broadcast, {outside, here, type, 1});
    TRY(PAMI_XFER_BROADCAST, xfer_broadcast, {first[0], here, PAMI_TYPE_NULL, 1});
    TRY(PAMI_XFER_BROADCAST, xfer_broadcast, {first[0], NULL, type, 1});
    TRY(PAMI_XFER_BROADCAST, xfer_broadcast, {first[0], here, type, (size_t)-1});
    TRY(PAMI_XFER_ALLGATHER, xfer_allgather, {here, type, 1, here, type, 2});
    TRY(PAMI_XFER_ALLREDUCE, xfer_allreduce, {here, type, 1, here, type, 1, NULL, NULL, 0});
    TRY(PAMI_XFER_ALLREDUCE, xfer_allreduce,
        {here, PAMI_TYPE_FLOAT, 1, here, PAMI_TYPE_FLOAT, 1, PAMI_DATA_BOR, NULL, 0});
    TRY(PAMI_XFER_ALLREDUCE, xfer_allreduce, {here, type, 1, here, type, 0, PAMI_DATA_SUM, NULL, 0});
    int *counts = &negative, *places = &nought;
    if (tasks == 1) {
        TRY(PAMI_XFER_ALLGATHERV_INT, xfer_allgatherv_int, {here, type, 1, here, type, counts, places});
        TRY(PAMI_XFER_ALLGATHERV_INT, xfer_allgatherv_int, {here, type, 1, here, type, places, places});
    }
    TRY(PAMI_XFER_ALLGATHERV_INT, xfer_allgatherv_int, {here, type, 1, here, type, NULL, places});
    if (task > 0) { /* a list is the root's */
        TRY(PAMI_XFER_GATHERV_INT, xfer_gatherv_int, {first[0], here, type, -1, NULL, type, NULL, NULL});
    }
    barrier(); /* nothing of that was counted */
}

/* Members that do not agree are told, and the others go on. */
static void told_length(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context;
    CHECK(result == (task == 0 ? PAMI_SUCCESS : PAMI_INVAL));
    ++*(size_t *)cookie;
}

static void lengths_that_differ(void)
{
    static char buffer[100];
    pami_xfer_t xfer = {.cb_done = told_length, .cookie = &ended,
                        .algorithm = algorithm(world, PAMI_XFER_BROADCAST)};
    xfer.cmd.xfer_broadcast =
        (pami_broadcast_t){first[0], buffer, PAMI_TYPE_BYTE, task == 0 ? 10 : 11 + task};
    ended = 0;
    CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
    advance_until(&ended, 1);
    barrier();
}

/* ---- a member that leaves ----------------------------------------------------------------- */

static void left_alone(pami_context_t context, void *cookie, pami_result_t result)
{
    char text[300];
    (void)context;
    CHECK(result == PAMI_SHUTDOWN && PAMI_Error_text(text, sizeof text) > 10);
    ++*(size_t *)cookie;
}

static void a_member_leaves(void)
{
    pami_client_t leaving;
    pami_context_t context;
    pami_geometry_t everybody;
    size_t met = 0;
    CHECK(PAMI_Client_create("leaving", &leaving, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(leaving, NULL, 0, &context, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_world(leaving, &everybody) == PAMI_SUCCESS);
    pami_xfer_t xfer = {.cb_done = left_alone, .cookie = &met,
                        .algorithm = algorithm(everybody, PAMI_XFER_BARRIER)};
    if (task != tasks - 1) {
        CHECK(PAMI_Collective(context, &xfer) == PAMI_SUCCESS);
        while (met == 0)
            PAMI_Context_advance(context, 1000);
    }
    CHECK(PAMI_Context_destroyv(&context, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&leaving) == PAMI_SUCCESS);
    barrier();
}

int main(void)
{
    CHECK(PAMI_Client_create("collectives", &client, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(client, NULL, 0, contexts, 2) == PAMI_SUCCESS);
    pami_configuration_t query[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    CHECK(PAMI_Client_query(client, query, 2) == PAMI_SUCCESS);
    task = query[0].value.intval, tasks = query[1].value.intval;
    if (tasks > 6) /* the bits of a byte end */
        return 1;
    for (size_t index = 0; index < tasks; ++index)
        CHECK(PAMI_Endpoint_create(client, (pami_task_t)index, 0, &first[index]) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_world(client, &world) == PAMI_SUCCESS);
    data_functions();
    several_at_once();
    active_messages();
    active_failures();
    geometries_refused();
    operations_refused();
    lengths_that_differ();
    a_member_leaves();
    CHECK(PAMI_Context_destroyv(contexts, 2) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
