/* What programs on collective operations begin with: a client with two contexts, the geometry of all tasks, and operations
 * that are waited for.
 */
#ifndef PAMI_WORLD_H
#define PAMI_WORLD_H

#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

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

static void begin(void)
{
    CHECK(PAMI_Client_create("collectives", &client, NULL, 0) == PAMI_SUCCESS);
    CHECK(PAMI_Context_createv(client, NULL, 0, contexts, 2) == PAMI_SUCCESS);
    pami_configuration_t query[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    CHECK(PAMI_Client_query(client, query, 2) == PAMI_SUCCESS);
    task = query[0].value.intval, tasks = query[1].value.intval;
    for (size_t index = 0; index < tasks && index < MOST; ++index)
        CHECK(PAMI_Endpoint_create(client, (pami_task_t)index, 0, &first[index]) == PAMI_SUCCESS);
    CHECK(PAMI_Geometry_world(client, &world) == PAMI_SUCCESS);
}

static int finish(void)
{
    CHECK(PAMI_Context_destroyv(contexts, 2) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}

#endif
