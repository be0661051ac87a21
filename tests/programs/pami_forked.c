// A child by fork is refused everything of PAMI, and its parent's context goes on.
#include <pami.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    pami_client_t client, other;
    pami_context_t context;
    if (PAMI_Client_create("forked", &client, NULL, 0) != PAMI_SUCCESS) return 1;
    if (PAMI_Context_createv(client, NULL, 0, &context, 1) != PAMI_SUCCESS) return 2;
    pid_t child = fork();
    if (child == 0) {
        char text[300] = "";
        int refused = PAMI_Context_advance(context, 1) != PAMI_SUCCESS;
        refused += PAMI_Context_lock(context) != PAMI_SUCCESS;
        refused += PAMI_Client_create("another", &other, NULL, 0) != PAMI_SUCCESS;
        refused += PAMI_Context_destroyv(&context, 1) != PAMI_SUCCESS;
        PAMI_Error_text(text, sizeof text);
        _exit(refused == 4 && strstr(text, "made by fork") ? 0 : 10 + refused);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (PAMI_Context_lock(context) != PAMI_SUCCESS) return 3;
    PAMI_Context_advance(context, 1);
    PAMI_Context_unlock(context);
    if (PAMI_Context_destroyv(&context, 1) != PAMI_SUCCESS) return 4;
    if (PAMI_Client_destroy(&client) != PAMI_SUCCESS) return 5;
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
