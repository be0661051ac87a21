/* MPI and two clients of PAMI in one process, each with messages of its own at once.
 *
 *     pami_beside_mpi [first]     with an argument PAMI's clients are opened before MPI
 */
#include <mpi.h>
#include <pami.h>
#include <stdio.h>

enum { ROUNDS = 2000, NUMBER = 1, USERS = 2 };

struct user {
    pami_client_t client;
    pami_context_t context;
    size_t came, sum;
};
static struct user users[USERS];

static void came(pami_context_t context, void *cookie, const void *header, size_t header_bytes,
                 const void *data, size_t bytes, pami_endpoint_t origin, pami_recv_t *recv)
{
    struct user *user = cookie;
    (void)context, (void)header_bytes, (void)data, (void)bytes, (void)origin, (void)recv;
    user->sum += *(const size_t *)header;
    ++user->came;
}

static int open_users(void)
{
    static const char *const names[USERS] = {"MPI", "other"};
    pami_dispatch_callback_function function = {.p2p = came};
    for (int index = 0; index < USERS; ++index) {
        struct user *user = &users[index];
        if (PAMI_Client_create(names[index], &user->client, NULL, 0) != PAMI_SUCCESS ||
            PAMI_Context_createv(user->client, NULL, 0, &user->context, 1) != PAMI_SUCCESS) {
            char text[300];
            PAMI_Error_text(text, sizeof text);
            fprintf(stderr, "%s\n", text);
            return 1;
        }
        PAMI_Dispatch_set(user->context, NUMBER, function, user, (pami_dispatch_hint_t){0});
    }
    return 0;
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1 && open_users())
        return 1;
    MPI_Init(NULL, NULL);
    if (count == 1 && open_users())
        return 1;
    int rank, size, failures = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (size_t round = 0; round < ROUNDS; ++round) {
        for (size_t index = 0; index < USERS; ++index) {
            size_t number = round * (index + 1);
            pami_send_immediate_t message = {.header = {&number, sizeof number}, .dispatch = NUMBER};
            PAMI_Endpoint_create(users[index].client, (pami_task_t)right, 0, &message.dest);
            failures += PAMI_Send_immediate(users[index].context, &message) != PAMI_SUCCESS;
        }
        int sent = (int)round, received = -1;
        MPI_Sendrecv(&sent, 1, MPI_INT, right, 7, &received, 1, MPI_INT, left, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        failures += received != sent;
        for (int index = 0; index < USERS; ++index)
            PAMI_Context_advance(users[index].context, 1);
    }
    for (int index = 0; index < USERS; ++index)
        while (users[index].came < ROUNDS)
            PAMI_Context_advance(users[index].context, 1000);
    failures += users[0].sum != ROUNDS * (ROUNDS - 1) / 2 || users[1].sum != 2 * users[0].sum;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int index = 0; index < USERS; ++index) {
        failures += PAMI_Context_destroyv(&users[index].context, 1) != PAMI_SUCCESS;
        failures += PAMI_Client_destroy(&users[index].client) != PAMI_SUCCESS;
    }
    int all;
    MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("beside MPI %d: %d failures\n", size, all);
    MPI_Finalize();
    return failures != 0;
}
