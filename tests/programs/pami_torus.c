/* Each task passes a number on along every dimension of the torus, in both directions, until it has
 * come around; it prints "task N: around" when all have come back.
 */
#include <pami_torus.h>
#include <stdio.h>

static volatile size_t back;
static size_t task, tasks;
static const pami_extension_torus_information_t *torus;
static pami_extension_torus_task2torus_fn place_of;
static pami_extension_torus_torus2task_fn task_of;
static pami_client_t client;

struct traveller {
    size_t home, dimension, step;
};

static void pass_on(pami_context_t context, struct traveller traveller)
{
    size_t place[8];
    pami_task_t next;
    pami_send_immediate_t message = {.header = {&traveller, sizeof traveller}, .dispatch = 1};
    place_of((pami_task_t)task, place);
    size_t size = torus->size[traveller.dimension];
    place[traveller.dimension] = (place[traveller.dimension] + traveller.step) % size;
    if (task_of(place, &next) == PAMI_SUCCESS &&
        PAMI_Endpoint_create(client, next, 0, &message.dest) == PAMI_SUCCESS)
        PAMI_Send_immediate(context, &message);
}

static void came(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)cookie, (void)header_bytes, (void)data, (void)bytes, (void)origin, (void)recv;
    struct traveller traveller = *(const struct traveller *)header;
    if (traveller.home == task)
        ++back;
    else
        pass_on(context, traveller);
}

static volatile size_t done;

static void ended(pami_context_t context, void *cookie, pami_result_t result)
{
    (void)context, (void)cookie, (void)result;
    ++done;
}

int main(void)
{
    pami_context_t context;
    pami_extension_t extension;
    pami_geometry_t world;
    pami_configuration_t about[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    pami_dispatch_callback_function coming = {.p2p = came};
    pami_dispatch_hint_t none = {0};
    if (PAMI_Client_create("torus", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Client_query(client, about, 2) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS ||
        PAMI_Dispatch_set(context, 1, coming, NULL, none) != PAMI_SUCCESS)
        return 1;
    task = about[0].value.intval, tasks = about[1].value.intval;
    if (PAMI_Extension_open(client, "EXT_torus_network", &extension) != PAMI_SUCCESS) {
        printf("task %zu: no torus\n", task);
        goto end;
    }
    *(void **)&place_of = PAMI_Extension_symbol(extension, "task2torus");
    *(void **)&task_of = PAMI_Extension_symbol(extension, "torus2task");
    pami_extension_torus_information_fn information;
    *(void **)&information = PAMI_Extension_symbol(extension, "information");
    torus = information();
    size_t rings = 0;
    for (size_t dimension = 0; dimension < torus->dims; ++dimension) {
        if (!torus->torus[dimension] || torus->size[dimension] < 2)
            continue;
        pass_on(context, (struct traveller){task, dimension, 1});
        pass_on(context, (struct traveller){task, dimension, torus->size[dimension] - 1});
        rings += 2;
    }
    while (back < rings)
        PAMI_Context_advance(context, 100);
    printf("task %zu: around\n", task);
    PAMI_Extension_close(extension);
end:
    /* Others may still need this task on their way. */
    if (PAMI_Geometry_world(client, &world) != PAMI_SUCCESS)
        return 1;
    pami_xfer_t barrier = {.cb_done = ended};
    PAMI_Geometry_algorithms_query(world, PAMI_XFER_BARRIER, &barrier.algorithm, NULL, 1, NULL, NULL, 0);
    if (PAMI_Collective(context, &barrier) != PAMI_SUCCESS)
        return 1;
    while (done < 1)
        PAMI_Context_advance(context, 100);
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return 0;
}
