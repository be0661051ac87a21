/* EXT_collsel: algorithms are measured, kept in a file, and advised. The arguments are two files that are not there yet. */
#include "pami_world.h"
#include <stdlib.h>
#include <string.h>

typedef void *handle_t;
typedef struct {
    pami_xfer_type_t *collectives;
    size_t num_collectives, *procs_per_node, num_procs_per_node, *geometry_sizes, num_geometry_sizes;
    size_t *message_sizes, num_message_sizes;
    int iter, verify, verbose, checkpoint;
} params_t;
typedef struct {
    pami_algorithm_t algo;
    pami_metadata_t md;
    int must_query;
} advised_t;
typedef struct {
    union {
        pami_algorithm_t internal;
        struct {
            void (*callback)(void);
            void *cookie;
        } external;
    } algorithm;
    pami_metadata_t *metadata;
    int type;
} advised_beside_t;

static pami_extension_t extension;
static pami_result_t (*init)(pami_client_t, void *, size_t, pami_context_t *, size_t, handle_t *);
static pami_result_t (*destroy)(handle_t *), (*unload)(handle_t *), (*query_destroy)(handle_t *);
static pami_result_t (*generate)(handle_t, char *, params_t *, int);
static pami_result_t (*load)(handle_t, const char *, handle_t *);
static pami_result_t (*query)(handle_t *, pami_geometry_t, handle_t *), (*query_create)(handle_t, pami_geometry_t, handle_t *);
static pami_result_t (*advise)(handle_t, pami_xfer_type_t, pami_xfer_t *, advised_t *, size_t);
static int (*advise_size)(handle_t, pami_xfer_type_t, size_t, advised_beside_t *, size_t);
static int (*initialized)(pami_client_t, handle_t *);
static pami_result_t (*collectives)(handle_t, pami_xfer_type_t **, unsigned *);

static void look_up(void *function, const char *name)
{
    *(void **)function = PAMI_Extension_symbol(extension, name);
    CHECK(*(void **)function != NULL);
}

static const char own_table[] = "[[allreduce]]\nmembers = 2\nbytes = 8\nalgorithms = [\"linear\", \"recursive_doubling\"]\n"
                                "nanoseconds = [1, 2]\n[[allreduce]]\nmembers = 2\nbytes = 1000\n"
                                "algorithms = [\"reduce_broadcast\"]\nnanoseconds = [3]\n";

static void write_file(const char *path, const char *text)
{
    FILE *file = task == 0 ? fopen(path, "w") : NULL;
    CHECK((file != NULL) == (task == 0));
    if (file) {
        fputs(text, file);
        fclose(file);
    }
    barrier();
}

/* A sum by the algorithm that is advised for it. */
static void sum(handle_t fast, const char *expected, size_t count)
{
    static int in[1000], out[1000];
    advised_t advised[9];
    for (size_t index = 0; index < count; ++index)
        in[index] = (int)(index + task);
    pami_xfer_t xfer = {.cb_done = done, .cookie = &ended};
    xfer.cmd.xfer_allreduce = (pami_allreduce_t){(char *)in, PAMI_TYPE_SIGNED_INT, count, (char *)out,
                                                 PAMI_TYPE_SIGNED_INT, count, PAMI_DATA_SUM, NULL, 1};
    memset(advised, 0xFF, sizeof advised);
    CHECK(advise(fast, PAMI_XFER_ALLREDUCE, &xfer, advised, 9) == PAMI_SUCCESS);
    size_t number = 0;
    while (number < 9 && advised[number].algo != 0)
        CHECK(strncmp(advised[number++].md.name, "Pamir:ALLREDUCE:", 16) == 0);
    CHECK(number > 0 && number < 9);
    if (number == 0)
        return;
    CHECK(strcmp(advised[number - 1].md.name, "Pamir:ALLREDUCE:selected") == 0);
    CHECK(expected == NULL || strcmp(advised[0].md.name + 16, expected) == 0);
    ended = 0;
    xfer.algorithm = advised[0].algo;
    CHECK(PAMI_Collective(contexts[0], &xfer) == PAMI_SUCCESS);
    advance_until(&ended, 1);
    for (size_t index = 0; index < count; ++index)
        CHECK(out[index] == (int)(index * tasks + tasks * (tasks - 1) / 2));
}

static void by_own_table(handle_t advisor, const char *path)
{
    handle_t table, fast;
    write_file(path, own_table);
    CHECK(load(advisor, path, &table) == PAMI_SUCCESS);
    CHECK(query(&table, world, &fast) == PAMI_SUCCESS);
    sum(fast, "linear", 2);
    sum(fast, "linear", 126);           /* 504 bytes, as near to 8 as to 1000 */
    sum(fast, "reduce_broadcast", 127);
    sum(fast, "reduce_broadcast", 1000);
    /* What is said of a size, in the other form. */
    advised_beside_t beside[2];
    CHECK(advise_size(fast, PAMI_XFER_ALLREDUCE, 8, beside, 2) == 2);
    CHECK(strcmp(beside[1].metadata->name, "Pamir:ALLREDUCE:recursive_doubling") == 0 && beside[1].type == 0);
    CHECK(advise_size(fast, PAMI_XFER_SCAN, 8, beside, 2) == 0); /* it is not in the table */
    advised_t none = {.algo = 5};
    pami_xfer_t scan = {0};
    scan.cmd.xfer_scan = (pami_scan_t){.stype = PAMI_TYPE_BYTE, .stypecount = 8};
    CHECK(advise(fast, PAMI_XFER_SCAN, &scan, &none, 1) == PAMI_SUCCESS && none.algo == 0);
    REFUSED(PAMI_INVAL, advise(fast, PAMI_XFER_SCAN, NULL, &none, 1));
    REFUSED(PAMI_INVAL, advise(table, PAMI_XFER_SCAN, &scan, &none, 1));
    /* A query stays when its table goes. */
    CHECK(unload(&table) == PAMI_SUCCESS && table == NULL);
    REFUSED(PAMI_INVAL, unload(&table));
    sum(fast, "linear", 1);
    CHECK(query_destroy(&fast) == PAMI_SUCCESS);
    REFUSED(PAMI_INVAL, query_destroy(&fast));
    write_file(path, "[[allreduce]]\nmembers = 2\n");
    REFUSED(PAMI_INVAL, load(advisor, path, &table));
    REFUSED(PAMI_INVAL, load(advisor, "/nowhere/at/all", &table));
}

static void by_measuring(handle_t advisor, char *path)
{
    pami_xfer_type_t kinds[] = {PAMI_XFER_BROADCAST, PAMI_XFER_ALLREDUCE, PAMI_XFER_BARRIER, PAMI_XFER_GATHERV,
                                PAMI_XFER_AMGATHER};
    size_t members[] = {1, 0}, bytes[] = {8, 3000}, beyond = tasks + 1;
    members[1] = tasks;
    params_t params = {kinds, 5, NULL, 0, members, 2, bytes, 2, 3, 1, 0, 1}, other = params;
    /* File and parameters are task 0's; all tasks are told what is wrong with them. */
    REFUSED(PAMI_INVAL, generate(advisor, NULL, &params, 1));
    REFUSED(PAMI_INVAL, generate(advisor, path, NULL, 1));
    REFUSED(PAMI_INVAL, generate(advisor, path, &params, 2));
    REFUSED(PAMI_INVAL, generate(advisor, path, &params, 0)); /* there is nothing to update */
    REFUSED(PAMI_INVAL, generate(advisor, "/nowhere/at/all", &params, 1));
    other.geometry_sizes = &beyond, other.num_geometry_sizes = 1;
    REFUSED(PAMI_INVAL, generate(advisor, path, &other, 1));
    CHECK(generate(advisor, task == 0 ? path : NULL, task == 0 ? &params : &other, 1) == PAMI_SUCCESS);
    kinds[0] = PAMI_XFER_SCAN, params.num_collectives = 1;
    CHECK(generate(advisor, path, &params, 0) == PAMI_SUCCESS); /* beside what is there */

    handle_t table, fast, none = NULL;
    pami_xfer_type_t *found;
    unsigned count;
    CHECK(load(advisor, path, &table) == PAMI_SUCCESS);
    CHECK(collectives(table, &found, &count) == PAMI_SUCCESS && count == 5);
    CHECK(found[0] == PAMI_XFER_BROADCAST && found[3] == PAMI_XFER_BARRIER && found[4] == PAMI_XFER_SCAN);
    CHECK(query_create(table, world, &fast) == PAMI_SUCCESS);
    REFUSED(PAMI_INVAL, query_create(none, world, &fast));
    sum(fast, NULL, 10);
    sum(fast, NULL, 1000);
    /* All algorithms for a barrier: each of the geometry's list is there, and the one that asks the tables. */
    size_t listed[2];
    advised_beside_t all[32];
    CHECK(PAMI_Geometry_algorithms_num(world, PAMI_XFER_BARRIER, listed) == PAMI_SUCCESS);
    CHECK(advise_size(fast, PAMI_XFER_BARRIER, 0, all, 32) == (int)listed[0]);
    CHECK(query_destroy(&fast) == PAMI_SUCCESS && unload(&table) == PAMI_SUCCESS);
}

int main(int argc, char **argv)
{
    begin();
    if (argc < 3)
        return 1;
    handle_t advisor = NULL, again = NULL, copy;
    CHECK(PAMI_Extension_open(client, "EXT_collsel", &extension) == PAMI_SUCCESS);
    look_up(&init, "Collsel_init_fn"), look_up(&destroy, "Collsel_destroy_fn");
    look_up(&generate, "Collsel_table_generate_fn"), look_up(&load, "Collsel_table_load_fn");
    look_up(&unload, "Collsel_table_unload_fn"), look_up(&query, "Collsel_query_fn");
    look_up(&advise, "Collsel_advise_fn"), look_up(&advise_size, "Collsel_advise");
    look_up(&query_create, "Collsel_query_create"), look_up(&query_destroy, "Collsel_query_destroy");
    look_up(&initialized, "Collsel_initialized"), look_up(&collectives, "Collsel_get_collectives");
    CHECK(PAMI_Extension_symbol(extension, "Collsel_register_algorithms") == NULL);

    CHECK(initialized(client, &again) == 0);
    REFUSED(PAMI_INVAL, init(client, NULL, 0, contexts, 0, &advisor));
    CHECK(init(client, NULL, 0, contexts, 2, &advisor) == PAMI_SUCCESS);
    CHECK(initialized(client, &again) == 1 && again == advisor);
    by_own_table(advisor, argv[1]);
    by_measuring(advisor, argv[2]);
    copy = advisor;
    CHECK(destroy(&advisor) == PAMI_SUCCESS && advisor == NULL);
    REFUSED(PAMI_INVAL, destroy(&advisor));
    REFUSED(PAMI_INVAL, generate(copy, argv[2], NULL, 1));
    CHECK(init(client, NULL, 0, contexts, 1, &advisor) == PAMI_SUCCESS);
    CHECK(destroy((handle_t *)advisor) == PAMI_SUCCESS); /* in the place of its address, as IBM's test does */
    CHECK(PAMI_Extension_close(extension) == PAMI_SUCCESS);
    return finish();
}
