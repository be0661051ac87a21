/* The sum of the squares of all tasks' numbers, by the algorithm that the tables name for its size;
 * then task 0 lists all algorithms that there are for it.
 *
 *     mpicc collective.c -lpami -o collective && mpiexec -n 4 ./collective
 */
#include <pami.h>
#include <stdio.h>

static void done(pami_context_t context, void *flag, pami_result_t result)
{
    (void)context;
    *(int *)flag = result == PAMI_SUCCESS ? 1 : -1;
}

int main(void)
{
    pami_client_t client;
    pami_context_t context;
    pami_geometry_t world;
    if (PAMI_Client_create("collective", &client, NULL, 0) != PAMI_SUCCESS ||
        PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS ||
        PAMI_Geometry_world(client, &world) != PAMI_SUCCESS)
        return 1;
    pami_configuration_t asked = {.name = PAMI_CLIENT_TASK_ID};
    PAMI_Client_query(client, &asked, 1);
    long task = (long)asked.value.intval, square = task * task, sum = 0;

    size_t counts[2];
    pami_algorithm_t algorithms[2][32];
    pami_metadata_t described[2][32];
    PAMI_Geometry_algorithms_num(world, PAMI_XFER_ALLREDUCE, counts);
    PAMI_Geometry_algorithms_query(world, PAMI_XFER_ALLREDUCE, algorithms[0], described[0], counts[0],
                                   algorithms[1], described[1], counts[1]);

    int flag = 0;
    pami_type_t type = PAMI_TYPE_SIGNED_LONG;
    pami_xfer_t all = {
        .cb_done = done,
        .cookie = &flag,
        .algorithm = algorithms[0][0], /* the first one chooses by size */
        .cmd.xfer_allreduce = {(char *)&square, type, 1, (char *)&sum, type, 1, PAMI_DATA_SUM, NULL, 1}};
    PAMI_Collective(context, &all);
    while (flag == 0)
        PAMI_Context_advance(context, 1000);
    printf("task %ld: sum %ld\n", task, sum);
    for (int list = 0; list < 2 && task == 0; ++list)
        for (size_t index = 0; index < counts[list]; ++index)
            printf("%s%s\n", described[list][index].name,
                   list ? " (commutative functions only)" : "");
    PAMI_Context_destroyv(&context, 1);
    PAMI_Client_destroy(&client);
    return flag != 1;
}
