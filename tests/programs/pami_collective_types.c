/* Types of the program's in collective operations, by every algorithm, and what a reduction combines.
 *
 * A number stands by itself (form 0), or two of them with a gap behind each are an element of a type of the program's
 * (form 1). What is sent in one form is received in another; gaps stay as they are.
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, BLOCK = 6, NUMBERS = 2 * MOST * BLOCK, GAP = -77, UNTOUCHED = -88 };

static pami_client_t client;
static pami_context_t context;
static pami_geometry_t world;
static size_t task, tasks, failures;
static pami_endpoint_t endpoints[MOST];
static pami_type_t apart; /* two numbers, each with a gap behind it */
static int in[NUMBERS], out[NUMBERS];

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%d: %s\n", __LINE__, #condition)))
#define SAME(one, other) \
    ((one) == (other) ? (void)0 : (++failures, (void)fprintf(stderr, "%d, %s: %d is not %d\n", __LINE__, about, one, other)))

static char about[100];

static void done(pami_context_t where, void *cookie, pami_result_t result)
{
    CHECK(where == context && result == PAMI_SUCCESS);
    ++*(size_t *)cookie;
}

static void run(pami_xfer_t *xfer, pami_algorithm_t algorithm)
{
    size_t ended = 0;
    xfer->cb_done = done;
    xfer->cookie = &ended;
    xfer->algorithm = algorithm;
    pami_result_t result = PAMI_Collective(context, xfer);
    if (result != PAMI_SUCCESS) {
        char text[300];
        PAMI_Error_text(text, sizeof text);
        fprintf(stderr, "%s: %s\n", about, text);
        ++failures;
        return;
    }
    while (!ended)
        PAMI_Context_advance(context, 100);
}

static pami_type_t type(int form)
{
    return form ? apart : PAMI_TYPE_SIGNED_INT;
}

static size_t count(int form, size_t numbers)
{
    return form ? numbers / 2 : numbers;
}

static int *at(int form, int *buffer, size_t index)
{
    return form ? &buffer[2 * index] : &buffer[index];
}

static int value(size_t from, size_t to, size_t index)
{
    return (int)(from * 10000 + to * 100 + index);
}

static void clear(void)
{
    for (size_t index = 0; index < NUMBERS; ++index)
        in[index] = GAP, out[index] = index % 2 ? GAP : UNTOUCHED;
}

static void gaps_are_left(int form)
{
    for (size_t index = 1; form && index < NUMBERS; index += 2)
        SAME(out[index], GAP);
}

/* Blocks of one length. */
static void moves(pami_xfer_type_t kind, pami_algorithm_t algorithm, int from, int to, size_t root)
{
    pami_xfer_t xfer = {.cb_done = done};
    size_t here = count(from, BLOCK), there = count(to, BLOCK);
    char *sent = (char *)in, *received = (char *)out;
    clear();
    for (size_t other = 0; other < tasks; ++other)
        for (size_t index = 0; index < BLOCK; ++index)
            *at(from, in, other * BLOCK + index) = value(task, other, index);
    switch (kind) {
    case PAMI_XFER_BROADCAST:
        for (size_t index = 0; index < BLOCK; ++index)
            *at(to, out, index) = task == root ? value(root, 0, index) : UNTOUCHED;
        xfer.cmd.xfer_broadcast = (pami_broadcast_t){endpoints[root], received, type(to), there};
        break;
    case PAMI_XFER_ALLGATHER:
        xfer.cmd.xfer_allgather = (pami_allgather_t){sent, type(from), here, received, type(to), there};
        break;
    case PAMI_XFER_ALLTOALL:
        xfer.cmd.xfer_alltoall = (pami_alltoall_t){sent, type(from), here, received, type(to), there};
        break;
    case PAMI_XFER_GATHER:
        xfer.cmd.xfer_gather = (pami_gather_t){endpoints[root], sent, type(from), here, received, type(to), there};
        break;
    default:
        xfer.cmd.xfer_scatter = (pami_scatter_t){endpoints[root], sent, type(from), here, received, type(to), there};
    }
    run(&xfer, algorithm);
    int all = kind == PAMI_XFER_ALLGATHER || kind == PAMI_XFER_ALLTOALL;
    for (size_t index = 0; index < BLOCK; ++index) {
        if (kind == PAMI_XFER_BROADCAST)
            SAME(*at(to, out, index), value(root, 0, index));
        if (kind == PAMI_XFER_SCATTER)
            SAME(*at(to, out, index), value(root, task, index));
        for (size_t other = 0; other < tasks && (all || kind == PAMI_XFER_GATHER); ++other)
            SAME(*at(to, out, other * BLOCK + index),
                 !all && task != root ? UNTOUCHED + (to ? 0 : (int)index % 2 * (GAP - UNTOUCHED))
                                      : value(other, kind == PAMI_XFER_ALLTOALL ? task : 0, index));
    }
    gaps_are_left(to);
}

/* Blocks of several lengths, the last one first. */
static size_t length(size_t from, size_t to)
{
    return 2 * ((from + to) % 3);
}

static void moves_blocks(pami_xfer_type_t kind, pami_algorithm_t algorithm, int from, int to, size_t root)
{
    static size_t sizes[4][MOST];
    static int integers[4][MOST];
    int scatters = kind == PAMI_XFER_SCATTERV || kind == PAMI_XFER_SCATTERV_INT;
    int gathers = kind == PAMI_XFER_GATHERV || kind == PAMI_XFER_GATHERV_INT;
    int exchanges = kind == PAMI_XFER_ALLTOALLV || kind == PAMI_XFER_ALLTOALLV_INT;
    pami_xfer_t xfer = {.cb_done = done};
    clear();
    for (size_t other = 0; other < tasks; ++other) {
        size_t place = (tasks - 1 - other) * BLOCK;
        size_t to_other = exchanges ? length(task, other) : length(other, 0);
        size_t from_other = exchanges ? length(other, task) : length(other, 0);
        sizes[0][other] = count(from, to_other), sizes[1][other] = count(from, place);
        sizes[2][other] = count(to, from_other), sizes[3][other] = count(to, place);
        for (int which = 0; which < 4; ++which)
            integers[which][other] = (int)sizes[which][other];
        for (size_t index = 0; index < to_other; ++index)
            *at(from, in, place + index) = value(task, other, index);
    }
    if (!scatters && !exchanges)
        for (size_t index = 0; index < length(task, 0); ++index)
            *at(from, in, index) = value(task, 0, index);
    size_t own = length(task, 0), here = count(from, own), there = count(to, own);
    char *sent = (char *)in, *received = (char *)out;
    pami_collective_t *cmd = &xfer.cmd;
    switch (kind) {
    case PAMI_XFER_ALLGATHERV:
        cmd->xfer_allgatherv = (pami_allgatherv_t){sent, type(from), here, received, type(to), sizes[2], sizes[3]};
        break;
    case PAMI_XFER_ALLGATHERV_INT:
        cmd->xfer_allgatherv_int = (pami_allgatherv_int_t){sent, type(from), (int)here, received, type(to), integers[2], integers[3]};
        break;
    case PAMI_XFER_GATHERV:
        cmd->xfer_gatherv = (pami_gatherv_t){endpoints[root], sent, type(from), here, received, type(to), sizes[2], sizes[3]};
        break;
    case PAMI_XFER_GATHERV_INT:
        cmd->xfer_gatherv_int = (pami_gatherv_int_t){endpoints[root], sent, type(from), (int)here, received, type(to), integers[2], integers[3]};
        break;
    case PAMI_XFER_SCATTERV:
        cmd->xfer_scatterv = (pami_scatterv_t){endpoints[root], sent, type(from), sizes[0], sizes[1], received, type(to), there};
        break;
    case PAMI_XFER_SCATTERV_INT:
        cmd->xfer_scatterv_int = (pami_scatterv_int_t){endpoints[root], sent, type(from), integers[0], integers[1], received, type(to), (int)there};
        break;
    case PAMI_XFER_ALLTOALLV:
        cmd->xfer_alltoallv = (pami_alltoallv_t){sent, type(from), sizes[0], sizes[1], received, type(to), sizes[2], sizes[3]};
        break;
    default:
        cmd->xfer_alltoallv_int = (pami_alltoallv_int_t){sent, type(from), integers[0], integers[1], received, type(to), integers[2], integers[3]};
    }
    run(&xfer, algorithm);
    memset(sizes, 0, sizeof sizes); /* they are the program's again, when it has ended */
    for (size_t index = 0; scatters && index < own; ++index)
        SAME(*at(to, out, index), value(root, task, index));
    if (!scatters && (!gathers || task == root))
        for (size_t other = 0; other < tasks; ++other)
            for (size_t index = 0; index < (exchanges ? length(other, task) : length(other, 0)); ++index)
                SAME(*at(to, out, (tasks - 1 - other) * BLOCK + index), value(other, exchanges ? task : 0, index));
    gaps_are_left(to);
}

static int sum(size_t ranks, size_t index)
{
    int all = 0;
    for (size_t rank = 0; rank < ranks; ++rank)
        all += value(rank, 3, index) - 500;
    return all;
}

/* The result's type is that of the numbers, or bytes where they stand by themselves (form 2). */
static void reduces(pami_xfer_type_t kind, pami_algorithm_t algorithm, int from, int to, size_t root)
{
    static size_t lengths[MOST];
    pami_xfer_t xfer = {.cb_done = done};
    size_t whole = kind == PAMI_XFER_REDUCE_SCATTER ? tasks * BLOCK : BLOCK, here = count(from, whole);
    int stored = to == 2 ? 0 : to;
    pami_type_t result = to == 2 ? PAMI_TYPE_BYTE : type(to);
    size_t there = to == 2 ? BLOCK * sizeof(int) : count(to, BLOCK);
    char *sent = (char *)in, *received = (char *)out;
    pami_data_function op = PAMI_DATA_SUM;
    clear();
    for (size_t index = 0; index < whole; ++index)
        *at(from, in, index) = value(task, 3, index) - 500;
    for (size_t rank = 0; rank < tasks; ++rank)
        lengths[rank] = there;
    switch (kind) {
    case PAMI_XFER_ALLREDUCE:
        xfer.cmd.xfer_allreduce = (pami_allreduce_t){sent, type(from), here, received, result, there, op, NULL, 1};
        break;
    case PAMI_XFER_REDUCE:
        xfer.cmd.xfer_reduce = (pami_reduce_t){endpoints[root], sent, type(from), here, received, result, there, op, NULL, 1};
        break;
    case PAMI_XFER_SCAN:
        xfer.cmd.xfer_scan = (pami_scan_t){sent, type(from), here, received, result, there, op, NULL, root == 1};
        break;
    default:
        xfer.cmd.xfer_reduce_scatter = (pami_reduce_scatter_t){sent, type(from), here, received, result, lengths, op, NULL, 1};
    }
    run(&xfer, algorithm);
    for (size_t index = 0; index < BLOCK; ++index) {
        int number = *at(stored, out, index);
        if (kind == PAMI_XFER_ALLREDUCE || (kind == PAMI_XFER_REDUCE && task == root))
            SAME(number, sum(tasks, index));
        if (kind == PAMI_XFER_SCAN && !(root == 1 && task == 0))
            SAME(number, sum(task + (root != 1), index));
        if (kind == PAMI_XFER_REDUCE_SCATTER)
            SAME(number, sum(tasks, task * BLOCK + index));
    }
    gaps_are_left(stored);
}

static void by_every_algorithm(pami_xfer_type_t kind)
{
    size_t counts[2];
    pami_algorithm_t lists[2][24];
    pami_metadata_t described[2][24];
    CHECK(PAMI_Geometry_algorithms_num(world, kind, counts) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_algorithms_query(world, kind, lists[0], described[0], counts[0], lists[1],
                                         described[1], counts[1]) == PAMI_SUCCESS);
    int reduction = kind == PAMI_XFER_ALLREDUCE || kind == PAMI_XFER_REDUCE || kind == PAMI_XFER_SCAN ||
                    kind == PAMI_XFER_REDUCE_SCATTER;
    int blocks = kind == PAMI_XFER_ALLGATHERV || kind == PAMI_XFER_ALLGATHERV_INT || kind == PAMI_XFER_GATHERV ||
                 kind == PAMI_XFER_GATHERV_INT || kind == PAMI_XFER_SCATTERV || kind == PAMI_XFER_SCATTERV_INT ||
                 kind == PAMI_XFER_ALLTOALLV || kind == PAMI_XFER_ALLTOALLV_INT;
    for (int list = 0; list < 2; ++list)
        for (size_t index = 0; index < counts[list]; ++index)
            for (int form = 0; form < (reduction ? 6 : 4); ++form)
                for (size_t root = 0; root < tasks && root < 2; ++root) {
                    int from = form % 2, to = form / 2;
                    const pami_metadata_t *metadata = &described[list][index];
                    CHECK(!metadata->check_correct.values.contigsflags && !metadata->check_correct.values.contigrflags);
                    snprintf(about, sizeof about, "%s, %d to %d, root %zu", metadata->name, from, to, root);
                    if (reduction)
                        reduces(kind, lists[list][index], from, to, root);
                    else if (blocks)
                        moves_blocks(kind, lists[list][index], from, to, root);
                    else
                        moves(kind, lists[list][index], from, to, root);
                }
}

static pami_algorithm_t first(pami_xfer_type_t kind)
{
    pami_algorithm_t algorithm = PAMI_ALGORITHM_NULL;
    CHECK(PAMI_Geometry_algorithms_query(world, kind, &algorithm, NULL, 1, NULL, NULL, 0) == PAMI_SUCCESS);
    return algorithm;
}

/* What cannot be combined as it is said is refused before anything moves. */
static void refusals(void)
{
    pami_type_t bytes, byte = PAMI_TYPE_BYTE, number = PAMI_TYPE_SIGNED_INT;
    CHECK(PAMI_Type_create(&bytes) == PAMI_SUCCESS);
    CHECK(PAMI_Type_add_simple(bytes, 4, 0, 2, 8) == PAMI_SUCCESS);
    char *sent = (char *)in, *received = (char *)out;
    pami_allreduce_t wrong[] = {
        {sent, number, 2, received, PAMI_TYPE_FLOAT, 2, PAMI_DATA_SUM, NULL, 1},
        {sent, number, 2, received, PAMI_TYPE_UNSIGNED_INT, 2, PAMI_DATA_MAX, NULL, 1},
        {sent, byte, 8, received, number, 2, PAMI_DATA_SUM, NULL, 1},
        {sent, number, 2, received, byte, 7, PAMI_DATA_SUM, NULL, 1},
        {PAMI_IN_PLACE, number, 2, received, byte, 7, PAMI_DATA_SUM, NULL, 1},
        {sent, bytes, 1, received, byte, 8, PAMI_DATA_SUM, NULL, 1}, /* not complete */
        {sent, bytes, 1, received, byte, 8, PAMI_DATA_SUM, NULL, 1}, /* nobody knows what it is made of */
        {sent, PAMI_TYPE_DOUBLE, 1, received, byte, 8, PAMI_DATA_BOR, NULL, 1},
        {sent, PAMI_TYPE_NULL, 2, received, number, 2, PAMI_DATA_SUM, NULL, 1},
    };
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; ++index) {
        char text[300] = "";
        pami_xfer_t xfer = {.cb_done = done, .algorithm = first(PAMI_XFER_ALLREDUCE)};
        xfer.cmd.xfer_allreduce = wrong[index];
        snprintf(about, sizeof about, "refusal %zu", index);
        SAME((int)PAMI_Collective(context, &xfer), (int)PAMI_INVAL);
        CHECK(PAMI_Error_text(text, sizeof text) > 10);
        if (index == 5)
            CHECK(PAMI_Type_complete(bytes, 4) == PAMI_SUCCESS);
    }
    /* Other names of the same numbers, and what is in place under the name of bytes. */
    long one[2] = {300, -300}, all[2] = {0, 0};
    pami_xfer_t xfer = {.cmd.xfer_allreduce = {(char *)one, PAMI_TYPE_SIGNED_LONG, 2, (char *)all,
                                               PAMI_TYPE_SIGNED_LONG_LONG, 2, PAMI_DATA_SUM, NULL, 1}};
    run(&xfer, first(PAMI_XFER_ALLREDUCE));
    CHECK(all[0] == 300 * (long)tasks && all[1] == -300 * (long)tasks);
    xfer.cmd.xfer_allreduce = (pami_allreduce_t){PAMI_IN_PLACE, PAMI_TYPE_SIGNED_LONG, 2, (char *)one, byte, 16,
                                                 PAMI_DATA_SUM, NULL, 1};
    run(&xfer, first(PAMI_XFER_ALLREDUCE));
    CHECK(one[0] == 300 * (long)tasks && one[1] == -300 * (long)tasks);
    /* The type may go as soon as the call has returned. */
    int pair[4] = {task == 0 ? 5 : 0, GAP, task == 0 ? 6 : 0, GAP};
    size_t ended = 0;
    xfer = (pami_xfer_t){.cb_done = done, .cookie = &ended, .algorithm = first(PAMI_XFER_BROADCAST),
                         .cmd.xfer_broadcast = {endpoints[0], (char *)pair, bytes, 1}};
    CHECK(PAMI_Collective(context, &xfer) == PAMI_SUCCESS);
    CHECK(PAMI_Type_destroy(&bytes) == PAMI_SUCCESS);
    while (!ended)
        PAMI_Context_advance(context, 100);
    CHECK(pair[0] == 5 && pair[1] == GAP && pair[2] == 6 && pair[3] == GAP);
}

/* A geometry that was told that data lies together takes no type with gaps, and others as before. */
static void without_gaps(void)
{
    static size_t counts[MOST], places[MOST];
    pami_configuration_t gaps = {.name = PAMI_GEOMETRY_NONCONTIG, .value.intval = 0};
    for (int time = 0; time < 2; ++time) {
        size_t told = 0;
        CHECK(PAMI_Geometry_update(world, &gaps, 1, context, done, &told) == PAMI_SUCCESS);
        while (!told)
            PAMI_Context_advance(context, 100);
        pami_xfer_t xfer = {.algorithm = first(PAMI_XFER_BROADCAST),
                            .cmd.xfer_broadcast = {endpoints[0], (char *)in, apart, 1}};
        if (gaps.value.intval == 0) {
            CHECK(PAMI_Collective(context, &xfer) == PAMI_INVAL);
            xfer.algorithm = first(PAMI_XFER_ALLREDUCE);
            xfer.cmd.xfer_allreduce = (pami_allreduce_t){(char *)in, PAMI_TYPE_SIGNED_INT, 2, (char *)out, apart, 1,
                                                         PAMI_DATA_SUM, NULL, 1};
            CHECK(PAMI_Collective(context, &xfer) == PAMI_INVAL);
            xfer.algorithm = first(PAMI_XFER_ALLTOALLV);
            xfer.cmd.xfer_alltoallv = (pami_alltoallv_t){(char *)in, PAMI_TYPE_SIGNED_INT, counts, places,
                                                         (char *)out, apart, counts, places};
            CHECK(PAMI_Collective(context, &xfer) == PAMI_INVAL);
            xfer.algorithm = first(PAMI_XFER_BROADCAST);
            xfer.cmd.xfer_broadcast = (pami_broadcast_t){endpoints[0], (char *)in, PAMI_TYPE_SIGNED_INT, 2};
        }
        run(&xfer, xfer.algorithm);
        CHECK(PAMI_Geometry_query(world, &gaps, 1) == PAMI_SUCCESS && gaps.value.intval == (size_t)time);
        gaps.value.intval = 1;
    }
}

int main(void)
{
    CHECK(PAMI_Client_create("types", &client, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(client, NULL, 0, &context, 1) == PAMI_SUCCESS);
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    CHECK(PAMI_Client_query(client, asked, 2) == PAMI_SUCCESS);
    task = asked[0].value.intval, tasks = asked[1].value.intval;
    if (tasks > MOST)
        return 1;
    for (size_t other = 0; other < tasks; ++other)
        CHECK(PAMI_Endpoint_create(client, (pami_task_t)other, 0, &endpoints[other]) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_world(client, &world) == PAMI_SUCCESS);
    CHECK(PAMI_Type_create(&apart) == PAMI_SUCCESS);
    CHECK(PAMI_Type_add_typed(apart, PAMI_TYPE_SIGNED_INT, 0, 2, 8) == PAMI_SUCCESS);
    CHECK(PAMI_Type_complete(apart, 4) == PAMI_SUCCESS);
    for (int kind = PAMI_XFER_BROADCAST; kind <= PAMI_XFER_REDUCE_SCATTER; ++kind)
        if (kind != PAMI_XFER_BARRIER)
            by_every_algorithm((pami_xfer_type_t)kind);
    refusals();
    without_gaps();
    CHECK(PAMI_Type_destroy(&apart) == PAMI_SUCCESS);
    CHECK(PAMI_Context_destroyv(&context, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
