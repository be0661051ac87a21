// ranks: 0 1
// timeout: 20
// only: pamir
// Where there are no sessions, the error handler that MPI_Session_init is given is told so, before MPI_Init and after
// MPI_Finalize; session error handlers can be made and freed at any time.
#include "check.h"

static int calls, last_code;

static void handler(MPI_Session *session, int *code, ...) {
    CHECK(*session == MPI_SESSION_NULL);
    calls++;
    last_code = *code;
}

static void use(void) {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Errhandler mine, other;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    int code = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    FAILS(code, MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_Error_string(code, text, &length));
    CHECK_THAT(strstr(text, "MPI_Session_init") != NULL, "%s", text);
    FAILS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);

    OK(MPI_Session_create_errhandler(handler, &mine));
    OK(MPI_Session_create_errhandler(handler, &other));
    CHECK(mine != other && mine != MPI_ERRHANDLER_NULL);
    int before = calls;
    FAILS(MPI_Session_init(MPI_INFO_NULL, mine, &session), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_INT(calls, before + 1);
    FAILS(last_code, MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_Errhandler_free(&mine));
    OK(MPI_Errhandler_free(&other));
    CHECK(mine == MPI_ERRHANDLER_NULL);
}

int main(int argc, char **argv) {
    use();
    begin(&argc, &argv);
    MPI_Errhandler mine;
    MPI_Comm comm = MPI_COMM_NULL;
    OK(MPI_Session_create_errhandler(handler, &mine));
    FAILS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine), MPI_ERR_ERRHANDLER); // it is no communicator's
    int before = calls;
    FAILS(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
          MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_INT(calls, before);
    OK(MPI_Errhandler_free(&mine));
    use();
    int wrong = failures;
    settle("session_handler");
    MPI_Finalize();
    use();
    return failures != wrong;
}
