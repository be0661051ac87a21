/* What collective operations of libpami.so do beside moving data: data functions on all types,
 * several operations at once, attributes, refused calls, and members that leave. On any number of tasks.
 */
#include <complex.h>
#include <limits.h>
#include "pami_world.h"

enum { LONG = 100000, CHAIN = 200, HERE = 3, THERE = 4, NOWHERE = 5 };

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
    begin();
    if (tasks > 6) /* the bits of a byte end */
        return 1;
    data_functions();
    several_at_once();
    geometries_refused();
    operations_refused();
    lengths_that_differ();
    a_member_leaves();
    return finish();
}
