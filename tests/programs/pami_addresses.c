/* Transfers to and from addresses where the other task has no memory, or none that may be written:
 * each ends with PAMI_INVAL, and the other task goes on. On any number of tasks. */
#define _GNU_SOURCE
#include <pami.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, TELL = 1, LEAVE = 2 };

static pami_client_t client;
static pami_context_t context;
static size_t failures, ended, told, left;
static pami_endpoint_t right;
static char *there; /* the right neighbour's pages */
static char here[2 * PAGE];
static const char *step;

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%d, %s: %s\n", __LINE__, step, #condition)))

static void advance_until(volatile size_t *count, size_t wanted)
{
    while (*count < wanted)
        PAMI_Context_advance(context, 100);
}

static void refused(pami_context_t of, void *cookie, pami_result_t result)
{
    char text[300] = "";
    (void)of, (void)cookie;
    CHECK(result == PAMI_INVAL);
    CHECK(PAMI_Error_text(text, sizeof text) > 10 && strstr(text, "mapped") != NULL);
    ++ended;
}

static void good(pami_context_t of, void *cookie, pami_result_t result)
{
    (void)of, (void)cookie;
    CHECK(result == PAMI_SUCCESS);
    ++ended;
}

static void tell(pami_context_t of, void *cookie, const void *header, size_t header_bytes, const void *data,
                 size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)of, (void)cookie, (void)header, (void)header_bytes, (void)origin, (void)recv;
    CHECK(bytes == sizeof there);
    memcpy(&there, data, sizeof there);
    ++told;
}

static void leave(pami_context_t of, void *cookie, const void *header, size_t header_bytes, const void *data,
                  size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    (void)of, (void)cookie, (void)header, (void)header_bytes, (void)data, (void)bytes, (void)origin, (void)recv;
    ++left;
}

static void untyped(char *remote, size_t bytes, pami_event_function written, pami_event_function read)
{
    size_t before = ended;
    pami_rma_t rma = {.dest = right, .bytes = bytes, .done_fn = written};
    pami_put_simple_t put = {.rma = rma, .addr = {here, remote}, .put = {.rdone_fn = written}};
    CHECK(PAMI_Put(context, &put) == PAMI_SUCCESS);
    rma.done_fn = read;
    pami_get_simple_t get = {.rma = rma, .addr = {here, remote}};
    CHECK(PAMI_Get(context, &get) == PAMI_SUCCESS);
    advance_until(&ended, before + 3);
}

static void typed(char *remote, size_t bytes, pami_type_t type, pami_event_function written,
                  pami_event_function read)
{
    size_t before = ended;
    pami_rma_t rma = {.dest = right, .bytes = bytes, .done_fn = written};
    pami_put_typed_t put = {.rma = rma, .addr = {here, remote}, .type = {PAMI_TYPE_BYTE, type},
                            .put = {.rdone_fn = written}};
    CHECK(PAMI_Put_typed(context, &put) == PAMI_SUCCESS);
    rma.done_fn = read;
    pami_get_typed_t get = {.rma = rma, .addr = {here, remote}, .type = {PAMI_TYPE_BYTE, type}};
    CHECK(PAMI_Get_typed(context, &get) == PAMI_SUCCESS);
    advance_until(&ended, before + 3);
}

static void modified(char *remote, pami_atomic_t operation, pami_event_function done)
{
    size_t before = ended;
    long value = 5, was = -1;
    pami_rmw_t rmw = {.dest = right, .done_fn = done, .local = &was, .remote = remote, .value = &value,
                      .test = &value, .operation = operation, .type = PAMI_TYPE_SIGNED_LONG};
    CHECK(PAMI_Rmw(context, &rmw) == PAMI_SUCCESS);
    advance_until(&ended, before + 1);
}

/* A region that was registered, but is not there: the kernel, if it copies, says so. */
static void unmapped_region(pami_memregion_t *of_right)
{
    pami_memregion_t own;
    size_t granted, before = ended;
    CHECK(PAMI_Memregion_create(context, here, sizeof here, &granted, &own) == PAMI_SUCCESS);
    pami_rma_t rma = {.dest = right, .bytes = 64, .done_fn = refused};
    pami_rdma_t rdma = {{&own, 0}, {of_right, PAGE}};
    pami_rput_simple_t put = {.rma = rma, .rdma = rdma, .put = {.rdone_fn = refused}};
    pami_rget_simple_t get = {.rma = rma, .rdma = rdma};
    pami_rput_typed_t typed_put = {.rma = rma, .rdma = rdma, .type = {PAMI_TYPE_BYTE, PAMI_TYPE_BYTE},
                                   .put = {.rdone_fn = refused}};
    pami_rget_typed_t typed_get = {.rma = rma, .rdma = rdma, .type = {PAMI_TYPE_BYTE, PAMI_TYPE_BYTE}};
    CHECK(PAMI_Rput(context, &put) == PAMI_SUCCESS && PAMI_Rget(context, &get) == PAMI_SUCCESS);
    CHECK(PAMI_Rput_typed(context, &typed_put) == PAMI_SUCCESS);
    CHECK(PAMI_Rget_typed(context, &typed_get) == PAMI_SUCCESS);
    advance_until(&ended, before + 6);
    CHECK(PAMI_Memregion_destroy(context, &own) == PAMI_SUCCESS);
}

static void every_step(pami_type_t strided)
{
    char *nothing = there + PAGE, *constant = there + 2 * PAGE;
    step = "memory that is there";
    untyped(there, 64, good, good);
    typed(there, 64, PAMI_TYPE_BYTE, good, good);
    typed(there, 64, strided, good, good);
    modified(there, PAMI_ATOMIC_FETCH_ADD, good);
    char *bad[] = {(char *)64, nothing, there + PAGE - 8};
    for (size_t index = 0; index < 3; index++) {
        step = index == 0 ? "the first page" : index == 1 ? "a page without access" : "half of it";
        untyped(bad[index], 64, refused, refused);
        typed(bad[index], 64, PAMI_TYPE_BYTE, refused, refused);
        typed(bad[index], 64, strided, refused, refused);
        typed(bad[index], 2 * PAGE, PAMI_TYPE_BYTE, refused, refused);
        if (index < 2) {
            modified(bad[index], PAMI_ATOMIC_FETCH_ADD, refused);
            modified(bad[index], PAMI_ATOMIC_FETCH, refused);
            modified(bad[index], PAMI_ATOMIC_COMPARE_SET, refused);
        }
    }
    step = "blocks that run into it";
    typed(there, PAGE, strided, refused, refused);
    step = "a constant";
    untyped(constant, 64, refused, good);
    typed(constant, 64, PAMI_TYPE_BYTE, refused, good);
    typed(constant, 64, strided, refused, good);
    modified(constant, PAMI_ATOMIC_FETCH_ADD, refused);
    modified(constant, PAMI_ATOMIC_FETCH, good);
}

int main(void)
{
    if (PAMI_Client_create("addresses", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    PAMI_Client_query(client, asked, 2);
    size_t task = asked[0].value.intval, tasks = asked[1].value.intval;
    step = "the beginning";
    pami_dispatch_callback_function callback = {.p2p = tell};
    CHECK(PAMI_Dispatch_set(context, TELL, callback, NULL, (pami_dispatch_hint_t){0}) == PAMI_SUCCESS);
    callback.p2p = leave;
    CHECK(PAMI_Dispatch_set(context, LEAVE, callback, NULL, (pami_dispatch_hint_t){0}) == PAMI_SUCCESS);

    /* One page to write, one without access, one to read. */
    char *own = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED || mprotect(own + PAGE, PAGE, PROT_NONE) != 0 ||
        mprotect(own + 2 * PAGE, PAGE, PROT_READ) != 0)
        return 1;
    pami_endpoint_t left_one;
    CHECK(PAMI_Endpoint_create(client, (pami_task_t)((task + 1) % tasks), 0, &right) == PAMI_SUCCESS);
    CHECK(PAMI_Endpoint_create(client, (pami_task_t)((task + tasks - 1) % tasks), 0, &left_one) == PAMI_SUCCESS);
    pami_send_immediate_t message = {.dispatch = TELL, .dest = left_one, .data = {&own, sizeof own}};
    CHECK(PAMI_Send_immediate(context, &message) == PAMI_SUCCESS);
    advance_until(&told, 1);

    /* 8 bytes of every 24. */
    pami_type_t strided;
    CHECK(PAMI_Type_create(&strided) == PAMI_SUCCESS);
    CHECK(PAMI_Type_add_simple(strided, 8, 0, 1, 24) == PAMI_SUCCESS);
    CHECK(PAMI_Type_complete(strided, 1) == PAMI_SUCCESS);
    every_step(strided);
    if (getenv("PAMIR_NO_KERNEL_COPY") == NULL) {
        step = "a region that is not there";
        pami_memregion_t region;
        size_t granted;
        /* All tasks have their pages at addresses of their own: this one describes the neighbour's. */
        CHECK(PAMI_Memregion_create(context, there, 3 * PAGE, &granted, &region) == PAMI_SUCCESS);
        unmapped_region(&region);
        CHECK(PAMI_Memregion_destroy(context, &region) == PAMI_SUCCESS);
    }
    CHECK(PAMI_Type_destroy(&strided) == PAMI_SUCCESS);

    message = (pami_send_immediate_t){.dispatch = LEAVE, .dest = right};
    CHECK(PAMI_Send_immediate(context, &message) == PAMI_SUCCESS);
    advance_until(&left, 1);
    CHECK(PAMI_Context_destroyv(&context, 1) == PAMI_SUCCESS);
    CHECK(PAMI_Client_destroy(&client) == PAMI_SUCCESS);
    printf("task %zu of %zu: %zu failures\n", task, tasks, failures);
    return failures != 0;
}
