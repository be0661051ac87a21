/* Two clients with two contexts each; a thread has one context of each client for itself, and takes
 * no lock. Everybody finds everybody's endpoints in a table in shared memory, and from each context
 * messages and puts go to every context of the same client, also the task's own. Callbacks come in
 * the thread that has the context. All threads register memory with their client at once.
 */
#include <fcntl.h>
#include <pami.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CLIENTS = 2, CONTEXTS = 2, ROUNDS = 200, MOST_TASKS = 16, MESSAGE = 1 };

/* Where the tasks meet: it is the program's own, and it coordinates itself. */
struct table {
    atomic_size_t ready, left;
    pami_endpoint_t endpoint[CLIENTS][MOST_TASKS][CONTEXTS];
    void *slots[MOST_TASKS];
};

struct user {
    pami_client_t client;
    pami_context_t contexts[CONTEXTS];
};

/* Who sends, as the origin's endpoint should say. */
struct sender { size_t user, task, offset; };

/* What a thread has of a context: only this thread touches it. */
struct station {
    size_t user, offset;
    pthread_t thread;
    size_t came, done, wrong;
};

static struct table *table;
static struct user users[CLIENTS];
static struct station stations[CLIENTS][CONTEXTS];
static size_t task, tasks;
/* Written by puts: from each context of each task to each context here. */
static size_t slots[CLIENTS][CONTEXTS][MOST_TASKS][CONTEXTS];

static void came(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    struct station *station = cookie;
    const struct sender *sender = header;
    pami_task_t of;
    size_t offset;
    (void)data, (void)recv;
    station->wrong += PAMI_Endpoint_query(origin, &of, &offset) != PAMI_SUCCESS;
    station->wrong += header_bytes != sizeof *sender || bytes != 0;
    station->wrong += of != sender->task || offset != sender->offset || sender->user != station->user;
    station->wrong += origin != table->endpoint[station->user][of][offset];
    station->wrong += context != users[station->user].contexts[station->offset];
    station->wrong += !pthread_equal(pthread_self(), station->thread);
    ++station->came;
}

static void done(pami_context_t context, void *cookie, pami_result_t result)
{
    struct station *station = cookie;
    station->wrong += result != PAMI_SUCCESS;
    station->wrong += context != users[station->user].contexts[station->offset];
    station->wrong += !pthread_equal(pthread_self(), station->thread);
    ++station->done;
}

static void advance(size_t offset)
{
    for (size_t user = 0; user < CLIENTS; ++user)
        PAMI_Context_advance(users[user].contexts[offset], 1);
}

/* A message and a put to one endpoint. */
static void reach(struct station *station, size_t other, size_t to, size_t round)
{
    pami_context_t context = users[station->user].contexts[station->offset];
    pami_endpoint_t endpoint = table->endpoint[station->user][other][to];
    struct sender sender = {station->user, task, station->offset};
    pami_send_immediate_t message = {.header = {&sender, sizeof sender}, .dispatch = MESSAGE,
                                     .dest = endpoint};
    station->wrong += PAMI_Send_immediate(context, &message) != PAMI_SUCCESS;
    size_t (*there)[CONTEXTS][MOST_TASKS][CONTEXTS] = table->slots[other];
    size_t before = station->done, value = round + 1;
    pami_put_simple_t put = {
        .rma = {.dest = endpoint, .bytes = sizeof value, .cookie = station, .done_fn = NULL},
        .addr = {&value, &there[station->user][to][task][station->offset]},
        .put = {done}};
    station->wrong += PAMI_Put(context, &put) != PAMI_SUCCESS;
    while (station->done == before)
        advance(station->offset);
}

static void *run(void *cookie)
{
    size_t offset = (size_t)cookie, granted;
    for (size_t user = 0; user < CLIENTS; ++user)
        stations[user][offset].thread = pthread_self();
    for (size_t round = 0; round < ROUNDS; ++round)
        for (size_t user = 0; user < CLIENTS; ++user) {
            struct station *station = &stations[user][offset];
            pami_memregion_t region;
            station->wrong += PAMI_Memregion_create(users[user].contexts[offset], slots,
                                                    sizeof slots, &granted, &region) != PAMI_SUCCESS;
            for (size_t other = 0; other < tasks; ++other)
                for (size_t to = 0; to < CONTEXTS; ++to)
                    reach(station, other, to, round);
            station->wrong += PAMI_Memregion_destroy(users[user].contexts[offset], &region) != PAMI_SUCCESS;
        }
    size_t expected = tasks * CONTEXTS * ROUNDS;
    for (size_t user = 0; user < CLIENTS; ++user)
        while (stations[user][offset].came < expected)
            advance(offset);
    /* Puts of others may still need this context. */
    atomic_fetch_add(&table->left, 1);
    while (table->left < tasks * CONTEXTS)
        advance(offset);
    return NULL;
}

static int open_table(void)
{
    char name[64];
    snprintf(name, sizeof name, "/pami-contexts-%d", (int)getppid());
    int file = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *table) != 0)
        return 1;
    table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return table == MAP_FAILED;
}

static void close_table(void)
{
    char name[64];
    snprintf(name, sizeof name, "/pami-contexts-%d", (int)getppid());
    shm_unlink(name);
}

int main(void)
{
    static const char *const names[CLIENTS] = {"first", "second"};
    pami_dispatch_callback_function function = {.p2p = came};
    pami_configuration_t asked[] = {{.name = PAMI_CLIENT_TASK_ID}, {.name = PAMI_CLIENT_NUM_TASKS}};
    if (open_table())
        return 1;
    for (size_t user = 0; user < CLIENTS; ++user) {
        if (PAMI_Client_create(names[user], &users[user].client, NULL, 0) != PAMI_SUCCESS ||
            PAMI_Context_createv(users[user].client, NULL, 0, users[user].contexts, CONTEXTS) != PAMI_SUCCESS)
            return 1;
        PAMI_Client_query(users[user].client, asked, 2);
        task = asked[0].value.intval, tasks = asked[1].value.intval;
        if (tasks > MOST_TASKS)
            return 1;
        for (size_t offset = 0; offset < CONTEXTS; ++offset) {
            stations[user][offset] = (struct station){.user = user, .offset = offset};
            PAMI_Dispatch_set(users[user].contexts[offset], MESSAGE, function, &stations[user][offset],
                              (pami_dispatch_hint_t){0});
            PAMI_Endpoint_create(users[user].client, (pami_task_t)task, offset,
                                 &table->endpoint[user][task][offset]);
        }
    }
    table->slots[task] = slots;
    atomic_fetch_add(&table->ready, 1);
    while (table->ready < tasks)
        usleep(100);
    if (task == 0)
        close_table(); /* whoever is ready has it mapped */
    pthread_t threads[CONTEXTS];
    for (size_t offset = 0; offset < CONTEXTS; ++offset)
        pthread_create(&threads[offset], NULL, run, (void *)offset);
    for (size_t offset = 0; offset < CONTEXTS; ++offset)
        pthread_join(threads[offset], NULL);
    size_t wrong = 0;
    for (size_t user = 0; user < CLIENTS; ++user) {
        for (size_t offset = 0; offset < CONTEXTS; ++offset) {
            wrong += stations[user][offset].wrong;
            wrong += stations[user][offset].came != tasks * CONTEXTS * ROUNDS;
            for (size_t other = 0; other < tasks; ++other)
                for (size_t from = 0; from < CONTEXTS; ++from)
                    wrong += slots[user][offset][other][from] != ROUNDS;
        }
        wrong += PAMI_Context_destroyv(users[user].contexts, CONTEXTS) != PAMI_SUCCESS;
        wrong += PAMI_Client_destroy(&users[user].client) != PAMI_SUCCESS;
    }
    printf("task %zu: %zu wrong\n", task, wrong);
    return wrong != 0;
}
