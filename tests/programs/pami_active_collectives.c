/* Active-message collectives: whose functions run, with what, and who is told when. On any number of tasks.
 */
#include "pami_world.h"

enum { LONG = 100000, HERE = 3, THERE = 4 };

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

int main(void)
{
    begin();
    if (tasks > MOST)
        return 1;
    active_messages();
    active_failures();
    return finish();
}
