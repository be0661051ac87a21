/* Geometries and collective operations of libpami.so: every kind, by every algorithm, on any number
 * of tasks, with one endpoint a task and with two.
 *
 * A group is a geometry with the members that this task has in it; each of them starts operations in
 * its own context, with buffers of its own.
 */
#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { CONTEXTS = 2, MOST = 16, LONGEST = 20000, ELEMENTS = MOST * LONGEST };
enum { WORLD, BACKWARDS, EVEN, ALL, ENDPOINTS, GROUPS };

typedef unsigned element;
typedef unsigned long long pair; /* x -> high * x + low */

struct group {
    pami_geometry_t geometry;
    size_t size, locals, rank[CONTEXTS];
    pami_context_t context[CONTEXTS];
    pami_endpoint_t endpoint[MOST];
};

static pami_client_t client;
static pami_context_t contexts[CONTEXTS];
static size_t task, tasks, failures, ended;
static pami_result_t expected = PAMI_SUCCESS;
static struct group groups[GROUPS];
static element in[CONTEXTS][ELEMENTS], out[CONTEXTS][ELEMENTS];

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

static void done(pami_context_t context, void *cookie, pami_result_t result)
{
    CHECK(context == contexts[0] || context == contexts[1]);
    CHECK(result == expected);
    ++*(size_t *)cookie;
}

static pami_endpoint_t endpoint(size_t to, size_t offset)
{
    pami_endpoint_t made = PAMI_ENDPOINT_NULL;
    CHECK(PAMI_Endpoint_create(client, (pami_task_t)to, offset, &made) == PAMI_SUCCESS);
    return made;
}

/* ---- groups ----------------------------------------------------------------------------- */

static void add(struct group *group, size_t to, size_t offset)
{
    if (to == task) {
        group->rank[group->locals] = group->size;
        group->context[group->locals++] = contexts[offset];
    }
    group->endpoint[group->size++] = endpoint(to, offset);
}

/* Every group's members in the order of ranks; all tasks make all groups that they are in. */
static void make_groups(void)
{
    size_t made = 0, wanted = 0;
    pami_task_t list[MOST];
    for (size_t index = 0; index < tasks; ++index) {
        add(&groups[WORLD], index, 0);
        add(&groups[BACKWARDS], tasks - 1 - index, 1);
        if (index % 2 == 0)
            add(&groups[EVEN], index, 0);
        add(&groups[ALL], index, 0);
        add(&groups[ALL], index, 1);
        list[index] = (pami_task_t)(tasks - 1 - index);
    }
    for (size_t index = 0; index < tasks; ++index) /* offsets change places from task to task */
        for (size_t which = 0; which < CONTEXTS; ++which)
            add(&groups[ENDPOINTS], tasks - 1 - index, (which + index) % CONTEXTS);

    pami_geometry_t world, nothing = PAMI_GEOMETRY_NULL;
    CHECK(PAMI_Geometry_world(client, &groups[WORLD].geometry) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_world(client, &world) == PAMI_SUCCESS && world == groups[WORLD].geometry);
    pami_configuration_t plain = {.name = PAMI_GEOMETRY_OPTIMIZE, .value.intval = 1};
    CHECK(PAMI_Geometry_create_tasklist(client, 1, &plain, 1, &groups[BACKWARDS].geometry, nothing,
                                        7, list, tasks, contexts[0], done, &made) == PAMI_SUCCESS);
    advance_until(&made, ++wanted);
    memset(list, 0xFF, sizeof list); /* it is the program's again */

    /* The parent's tasks all call; those with odd numbers make nothing. */
    pami_geometry_range_t even[MOST];
    for (size_t index = 0; index < (tasks + 1) / 2; ++index)
        even[index] = (pami_geometry_range_t){(pami_task_t)(2 * index), (pami_task_t)(2 * index)};
    pami_geometry_t *where = task % 2 == 0 ? &groups[EVEN].geometry : NULL;
    CHECK(PAMI_Geometry_create_taskrange(client, 0, NULL, 0, where, world, 8, even, (tasks + 1) / 2,
                                         contexts[1], done, &made) == PAMI_SUCCESS);
    advance_until(&made, ++wanted);

    pami_geometry_range_t whole = {0, (pami_task_t)(tasks - 1)};
    CHECK(PAMI_Geometry_create_taskrange(client, PAMI_ALL_CONTEXTS, NULL, 0, &groups[ALL].geometry,
                                         nothing, 9, &whole, 1, contexts[1], done,
                                         &made) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_create_endpointlist(client, NULL, 0, &groups[ENDPOINTS].geometry, 10,
                                            groups[ENDPOINTS].endpoint, groups[ENDPOINTS].size,
                                            contexts[0], done, &made) == PAMI_SUCCESS);
    advance_until(&made, wanted += 2);
}

/* ---- one operation ---------------------------------------------------------------------- */

static pami_xfer_t xfer[CONTEXTS]; /* of each local member */

static void start(struct group *group, pami_algorithm_t algorithm)
{
    for (size_t local = 0; local < group->locals; ++local) {
        xfer[local].cb_done = done;
        xfer[local].cookie = &ended;
        xfer[local].algorithm = algorithm;
        CHECK(PAMI_Collective(group->context[local], &xfer[local]) == PAMI_SUCCESS);
    }
}

static void run(struct group *group, pami_algorithm_t algorithm)
{
    ended = 0;
    start(group, algorithm);
    advance_until(&ended, group->locals);
    CHECK(ended == group->locals);
}

static element value(size_t rank, size_t index)
{
    return (element)(rank * 1000003 + index * 31 + 1);
}

static element sum(size_t ranks, size_t index)
{
    element total = 0;
    for (size_t rank = 0; rank < ranks; ++rank)
        total += value(rank, index);
    return total;
}

/* Elements of a rank's block where blocks have any lengths, and where the block begins. */
static size_t length(size_t rank, size_t count)
{
    return rank % 3 == 1 ? 0 : count / (rank + 1);
}
static size_t offset_of(size_t rank, size_t count, size_t size)
{
    return (size - 1 - rank) * count; /* backwards, with gaps */
}

static void fill(struct group *group, size_t elements)
{
    for (size_t local = 0; local < group->locals; ++local)
        for (size_t index = 0; index < elements; ++index) {
            in[local][index] = value(group->rank[local], index);
            out[local][index] = 0xDEADBEEF;
        }
}

#define SAME(given, wanted)                                                              \
    do {                                                                                 \
        if ((given) != (wanted)) {                                                       \
            ++failures;                                                                  \
            fprintf(stderr, "%d: task %zu: %u is not %u (%s)\n", __LINE__, task, (given), \
                    (wanted), about);                                                    \
            return;                                                                      \
        }                                                                                \
    } while (0)
static char about[200];

static void moves(struct group *group, pami_xfer_type_t kind, pami_algorithm_t algorithm,
                  size_t count, size_t root, int in_place)
{
    size_t size = group->size;
    pami_type_t type = PAMI_TYPE_UNSIGNED_INT;
    pami_endpoint_t at = group->endpoint[root];
    fill(group, size * count);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local];
        char *from = (char *)in[local], *to = (char *)out[local];
        int here = in_place && (kind == PAMI_XFER_ALLGATHER || kind == PAMI_XFER_ALLTOALL ||
                                (rank == root && kind != PAMI_XFER_BROADCAST));
        char *sent = here ? PAMI_IN_PLACE : from, *taken = to;
        pami_collective_t *cmd = &xfer[local].cmd;
        if (here && kind == PAMI_XFER_ALLTOALL)
            memcpy(to, from, size * count * sizeof(element));
        else if (here)
            memcpy(to + rank * count * sizeof(element), from, count * sizeof(element));
        switch (kind) {
        case PAMI_XFER_BROADCAST:
            cmd->xfer_broadcast = (pami_broadcast_t){at, from, type, count};
            break;
        case PAMI_XFER_ALLGATHER:
            cmd->xfer_allgather = (pami_allgather_t){sent, type, count, to, type, count};
            break;
        case PAMI_XFER_ALLTOALL:
            cmd->xfer_alltoall = (pami_alltoall_t){sent, type, count, to, type, count};
            break;
        case PAMI_XFER_GATHER:
            cmd->xfer_gather = (pami_gather_t){at, sent, type, count, rank == root ? to : NULL,
                                               type, count};
            break;
        default:
            taken = here ? PAMI_IN_PLACE : to;
            cmd->xfer_scatter = (pami_scatter_t){at, rank == root ? from : NULL, type, count, taken,
                                                 type, count};
        }
    }
    run(group, algorithm);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local];
        for (size_t index = 0; index < count; ++index)
            if (kind == PAMI_XFER_BROADCAST)
                SAME(in[local][index], value(root, index));
            else if (kind == PAMI_XFER_SCATTER && !(in_place && rank == root))
                SAME(out[local][index], value(root, rank * count + index));
        if (kind == PAMI_XFER_ALLGATHER || kind == PAMI_XFER_ALLTOALL ||
            (kind == PAMI_XFER_GATHER && rank == root))
            for (size_t other = 0; other < size; ++other)
                for (size_t index = 0; index < count; ++index)
                    SAME(out[local][other * count + index],
                         value(other, kind == PAMI_XFER_ALLTOALL ? rank * count + index : index));
    }
}

/* Blocks of any lengths, as size_t or as int. */
static void moves_blocks(struct group *group, pami_xfer_type_t kind, pami_algorithm_t algorithm,
                         size_t count, size_t root)
{
    static size_t lengths[MOST], places[MOST], own[CONTEXTS][MOST];
    static int int_lengths[MOST], int_places[MOST], int_own[CONTEXTS][MOST];
    size_t size = group->size;
    pami_type_t type = PAMI_TYPE_UNSIGNED_INT;
    pami_endpoint_t at = group->endpoint[root];
    fill(group, size * count);
    for (size_t rank = 0; rank < size; ++rank) {
        int_lengths[rank] = (int)(lengths[rank] = length(rank, count));
        int_places[rank] = (int)(places[rank] = offset_of(rank, count, size));
    }
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local], mine = lengths[rank];
        char *from = (char *)in[local], *to = (char *)out[local];
        pami_collective_t *cmd = &xfer[local].cmd;
        for (size_t other = 0; other < size; ++other) /* an alltoall sends what the other one gets */
            int_own[local][other] = (int)(own[local][other] = lengths[rank]);
        switch (kind) {
        case PAMI_XFER_ALLGATHERV:
            cmd->xfer_allgatherv = (pami_allgatherv_t){from, type, mine, to, type, lengths, places};
            break;
        case PAMI_XFER_ALLGATHERV_INT:
            cmd->xfer_allgatherv_int =
                (pami_allgatherv_int_t){from, type, (int)mine, to, type, int_lengths, int_places};
            break;
        case PAMI_XFER_GATHERV:
            cmd->xfer_gatherv = (pami_gatherv_t){at, from, type, mine, to, type, lengths, places};
            break;
        case PAMI_XFER_GATHERV_INT:
            cmd->xfer_gatherv_int =
                (pami_gatherv_int_t){at, from, type, (int)mine, to, type, int_lengths, int_places};
            break;
        case PAMI_XFER_SCATTERV:
            cmd->xfer_scatterv = (pami_scatterv_t){at, from, type, lengths, places, to, type, mine};
            break;
        case PAMI_XFER_SCATTERV_INT:
            cmd->xfer_scatterv_int = (pami_scatterv_int_t){at, from, type, int_lengths, int_places,
                                                           to, type, (int)mine};
            break;
        case PAMI_XFER_ALLTOALLV:
            cmd->xfer_alltoallv = (pami_alltoallv_t){from, type, own[local], places,
                                                     to, type, lengths, places};
            break;
        default:
            cmd->xfer_alltoallv_int = (pami_alltoallv_int_t){from, type, int_own[local], int_places,
                                                             to, type, int_lengths, int_places};
        }
    }
    run(group, algorithm);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local];
        int scattered = kind == PAMI_XFER_SCATTERV || kind == PAMI_XFER_SCATTERV_INT;
        int gathered = kind == PAMI_XFER_GATHERV || kind == PAMI_XFER_GATHERV_INT;
        int each = kind == PAMI_XFER_ALLTOALLV || kind == PAMI_XFER_ALLTOALLV_INT;
        for (size_t index = 0; scattered && index < lengths[rank]; ++index)
            SAME(out[local][index], value(root, places[rank] + index));
        for (size_t other = 0; other < size && !scattered && !(gathered && rank != root); ++other) {
            size_t from = each ? places[rank] : 0;
            for (size_t index = 0; index < lengths[other]; ++index)
                SAME(out[local][places[other] + index], value(other, from + index));
            if (lengths[other] < count)
                SAME(out[local][places[other] + lengths[other]], 0xDEADBEEF);
        }
    }
}

static void reduces(struct group *group, pami_xfer_type_t kind, pami_algorithm_t algorithm,
                    size_t count, size_t root, int in_place)
{
    static size_t lengths[MOST];
    size_t size = group->size, whole = 0, before[MOST];
    int exclusive = kind == PAMI_XFER_SCAN && root % 2 == 1;
    pami_type_t type = PAMI_TYPE_UNSIGNED_INT;
    pami_data_function op = PAMI_DATA_SUM;
    for (size_t rank = 0; rank < size; ++rank) {
        before[rank] = whole;
        whole += lengths[rank] = length(rank, count);
    }
    fill(group, count > whole ? count : whole);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local];
        char *from = (char *)in[local], *to = (char *)out[local], *sent = from;
        pami_collective_t *cmd = &xfer[local].cmd;
        if (in_place && (kind != PAMI_XFER_REDUCE || rank == root)) {
            memcpy(to, from, (count > whole ? count : whole) * sizeof(element));
            sent = PAMI_IN_PLACE;
        }
        switch (kind) {
        case PAMI_XFER_ALLREDUCE:
            cmd->xfer_allreduce =
                (pami_allreduce_t){sent, type, count, to, type, count, op, NULL, 1};
            break;
        case PAMI_XFER_REDUCE:
            cmd->xfer_reduce = (pami_reduce_t){group->endpoint[root], sent, type, count,
                                               rank == root ? to : NULL, type, count, op, NULL, 1};
            break;
        case PAMI_XFER_SCAN:
            cmd->xfer_scan =
                (pami_scan_t){sent, type, count, to, type, count, op, NULL, exclusive};
            break;
        default:
            cmd->xfer_reduce_scatter =
                (pami_reduce_scatter_t){sent, type, whole, to, type, lengths, op, NULL, 1};
        }
    }
    run(group, algorithm);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local];
        if (kind == PAMI_XFER_REDUCE_SCATTER)
            for (size_t index = 0; index < lengths[rank]; ++index)
                SAME(out[local][index], sum(size, before[rank] + index));
        else if (kind == PAMI_XFER_SCAN && !(exclusive && rank == 0))
            for (size_t index = 0; index < count; ++index)
                SAME(out[local][index], sum(rank + !exclusive, index));
        else if (kind == PAMI_XFER_ALLREDUCE || (kind == PAMI_XFER_REDUCE && rank == root))
            for (size_t index = 0; index < count; ++index)
                SAME(out[local][index], sum(size, index));
    }
}

/* ---- a data function of the program's, in the order of ranks ----------------------------- */

static size_t combined[CONTEXTS];

static void compose(void *target, void *source, size_t bytes, void *cookie)
{
    pair *higher = target;
    const pair *lower = source;
    for (size_t index = 0; index < bytes / sizeof(pair); ++index) {
        element a = (element)(lower[index] >> 32), b = (element)lower[index];
        element c = (element)(higher[index] >> 32), d = (element)higher[index];
        higher[index] = (pair)(element)(a * c) << 32 | (element)(c * b + d);
    }
    ++*(size_t *)cookie;
}

static pair function_of(size_t rank)
{
    return (pair)(2 * rank + 3) << 32 | (rank + 5);
}

static pair composed(size_t ranks)
{
    pair all = function_of(0);
    size_t ignored = 0;
    for (size_t rank = 1; rank < ranks; ++rank) {
        pair next = function_of(rank);
        compose(&next, &all, sizeof next, &ignored);
        all = next;
    }
    return all;
}

/* By the parameters of a kind; whether the function is said to commute. */
static void compose_all(struct group *group, pami_xfer_type_t kind, size_t root, int commutes)
{
    static pair given[CONTEXTS];
    static size_t ones[MOST];
    pami_type_t type = PAMI_TYPE_UNSIGNED_LONG_LONG;
    for (size_t rank = 0; rank < group->size; ++rank)
        ones[rank] = rank == root;
    for (size_t local = 0; local < group->locals; ++local) {
        char *from = (char *)&given[local], *to = (char *)out[local];
        pami_collective_t *cmd = &xfer[local].cmd;
        void *cookie = &combined[local];
        given[local] = function_of(group->rank[local]);
        combined[local] = 0;
        switch (kind) {
        case PAMI_XFER_ALLREDUCE:
            cmd->xfer_allreduce =
                (pami_allreduce_t){from, type, 1, to, type, 1, compose, cookie, commutes};
            break;
        case PAMI_XFER_REDUCE:
            cmd->xfer_reduce = (pami_reduce_t){group->endpoint[root], from, type, 1, to, type, 1,
                                               compose, cookie, commutes};
            break;
        case PAMI_XFER_SCAN:
            cmd->xfer_scan = (pami_scan_t){from, type, 1, to, type, 1, compose, cookie, 0};
            break;
        default:
            cmd->xfer_reduce_scatter =
                (pami_reduce_scatter_t){from, type, 1, to, type, ones, compose, cookie, commutes};
        }
    }
}

static void composes(struct group *group, pami_xfer_type_t kind, pami_algorithm_t algorithm,
                     size_t root)
{
    compose_all(group, kind, root, 0);
    run(group, algorithm);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local];
        pair result;
        memcpy(&result, out[local], sizeof result);
        if (kind == PAMI_XFER_SCAN)
            CHECK(result == composed(rank + 1));
        else if (kind == PAMI_XFER_ALLREDUCE || rank == root)
            CHECK(result == composed(group->size));
    }
}

/* Children of a rank in the binomial tree of `size` ranks below rank 0. */
static size_t children(size_t rank, size_t size)
{
    size_t count = 0;
    for (size_t bit = 1; bit < size && !(rank & bit); bit <<= 1)
        count += rank + bit < size;
    return count;
}

/* Children of a rank in the binary tree that is numbered breadth first. */
static size_t two_children(size_t rank, size_t size)
{
    return (2 * rank + 1 < size) + (2 * rank + 2 < size);
}

/* The algorithm that was asked for runs: seen from how often each member combines. */
static void runs_what_was_asked(struct group *group, pami_xfer_type_t kind, const char *name,
                                pami_algorithm_t algorithm)
{
    int linear = strstr(name, ":linear") != NULL, binomial = strstr(name, ":binomial") != NULL;
    int binary = strstr(name, ":binary_tree") != NULL;
    if (kind != PAMI_XFER_REDUCE || (!linear && !binomial && !binary))
        return;
    compose_all(group, kind, 0, 1);
    run(group, algorithm);
    for (size_t local = 0; local < group->locals; ++local) {
        size_t rank = group->rank[local], size = group->size;
        CHECK(combined[local] == (binomial ? children(rank, size)
                                  : binary ? two_children(rank, size)
                                  : rank == 0 ? size - 1 : 0));
    }
}

/* ---- every kind by every algorithm -------------------------------------------------------- */

static void by_algorithm(struct group *group, pami_xfer_type_t kind, pami_algorithm_t algorithm,
                         const pami_metadata_t *metadata, int conditional)
{
    static const size_t counts[] = {0, 1, 37, 3000, LONGEST};
    CHECK(strncmp(metadata->name, "Pamir:", 6) == 0);
    CHECK(metadata->check_correct.values.checkrequired == (unsigned)conditional);
    CHECK((metadata->check_fn != NULL) == conditional);
    for (size_t which = 0; which < sizeof counts / sizeof *counts; ++which) {
        size_t count = counts[which];
        for (size_t root = 0; root < group->size; root += group->size > 2 ? group->size - 1 : 1) {
            snprintf(about, sizeof about, "%s of %zu, root %zu of %zu", metadata->name, count, root,
                     group->size);
            int in_place = (which + root) % 2 == 1;
            switch (kind) {
            case PAMI_XFER_BROADCAST:
            case PAMI_XFER_ALLGATHER:
            case PAMI_XFER_SCATTER:
            case PAMI_XFER_GATHER:
            case PAMI_XFER_ALLTOALL:
                moves(group, kind, algorithm, count, root, in_place);
                break;
            case PAMI_XFER_ALLREDUCE:
            case PAMI_XFER_REDUCE:
            case PAMI_XFER_SCAN:
            case PAMI_XFER_REDUCE_SCATTER:
                reduces(group, kind, algorithm, count, root, in_place);
                if (!conditional)
                    composes(group, kind, algorithm, root);
                break;
            case PAMI_XFER_BARRIER:
                run(group, algorithm);
                break;
            default:
                moves_blocks(group, kind, algorithm, count, root);
            }
        }
    }
    runs_what_was_asked(group, kind, metadata->name, algorithm);
    if (conditional && group->size > 0) {
        for (int commutes = 0; commutes < 2; ++commutes) {
            compose_all(group, kind, 0, commutes);
            CHECK(metadata->check_fn(&xfer[0]).check.datatype_op == !commutes);
        }
        xfer[0].algorithm = algorithm;
        compose_all(group, kind, 0, 0);
        REFUSED(PAMI_INVAL, PAMI_Collective(group->context[0], &xfer[0]));
        CHECK(metadata->check_fn(NULL).check.unspecified);
    }
}

static void by_every_algorithm(struct group *group)
{
    size_t algorithms = 0;
    for (int kind = 0; kind <= PAMI_XFER_REDUCE_SCATTER; ++kind) {
        size_t lengths[2] = {0, 0};
        pami_algorithm_t lists[2][20];
        pami_metadata_t described[2][20];
        pami_xfer_type_t type = (pami_xfer_type_t)kind;
        CHECK(PAMI_Geometry_algorithms_num(group->geometry, type, lengths) == PAMI_SUCCESS);
        CHECK(lengths[0] > 0 && lengths[0] < 20 && lengths[1] < 20);
        CHECK(PAMI_Geometry_algorithms_query(group->geometry, type, lists[0], described[0],
                                             lengths[0], lists[1], described[1],
                                             lengths[1]) == PAMI_SUCCESS);
        CHECK(strstr(described[0][0].name, ":selected") != NULL);
        for (int conditional = 0; conditional < 2; ++conditional)
            for (size_t index = 0; index < lengths[conditional]; ++index)
                by_algorithm(group, type, lists[conditional][index], &described[conditional][index],
                             conditional);
        algorithms += lengths[0] + lengths[1];
    }
    CHECK(algorithms > 18 + 30);
}

int main(void)
{
    CHECK(PAMI_Client_create("collectives", &client, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(client, NULL, 0, contexts, CONTEXTS) == PAMI_SUCCESS);
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    CHECK(PAMI_Client_query(client, asked, 2) == PAMI_SUCCESS);
    task = asked[0].value.intval, tasks = asked[1].value.intval;
    if (CONTEXTS * tasks > MOST)
        return 1;
    make_groups();
    for (size_t which = 0; which < GROUPS; ++which)
        if (groups[which].locals > 0)
            by_every_algorithm(&groups[which]);
    size_t gone = 0, wanted = 0;
    for (size_t which = WORLD + 1; which < GROUPS; ++which)
        if (groups[which].locals > 0 && ++wanted)
            CHECK(PAMI_Geometry_destroy(client, &groups[which].geometry, contexts[0], done, &gone) ==
                  PAMI_SUCCESS);
    advance_until(&gone, wanted);
    CHECK(PAMI_Context_destroyv(contexts, CONTEXTS) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
