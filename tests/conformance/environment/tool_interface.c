// ranks: 0 1 2
// timeout: 20
// only: pamir
// The tool interface of a library without variables, before MPI_Init, in between and after MPI_Finalize: it is counted,
// numbers are 0, and indices, names and handles are refused with codes of its own; no error handler is called.
#include "check.h"

static void uninitialised(void) {
    int number = 7;
    MPI_T_pvar_session session;
    CHECK_INT(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(MPI_T_cvar_get_index("name", &number), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(MPI_T_event_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(number, 7);
}

static void numbers(void) {
    int number;
    CHECK_INT((number = 7, MPI_T_cvar_get_num(&number)), MPI_SUCCESS);
    CHECK_INT(number, 0);
    CHECK_INT((number = 7, MPI_T_pvar_get_num(&number)), MPI_SUCCESS);
    CHECK_INT(number, 0);
    CHECK_INT((number = 7, MPI_T_category_get_num(&number)), MPI_SUCCESS);
    CHECK_INT(number, 0);
    CHECK_INT((number = 7, MPI_T_event_get_num(&number)), MPI_SUCCESS);
    CHECK_INT(number, 0);
    CHECK_INT((number = 7, MPI_T_source_get_num(&number)), MPI_SUCCESS);
    CHECK_INT(number, 0);
    CHECK_INT((number = 7, MPI_T_category_changed(&number)), MPI_SUCCESS);
    CHECK_INT(number, 0);
}

static void variables(void) {
    int a, b, c, d, length = 8;
    char name[8];
    MPI_Datatype type;
    MPI_T_enum enumeration;
    MPI_T_cvar_handle control = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_event_registration registration;
    CHECK_INT(MPI_T_cvar_get_info(0, name, &length, &a, &type, &enumeration, NULL, NULL, &b, &c),
              MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_pvar_get_info(-1, NULL, NULL, &a, &b, &type, &enumeration, NULL, NULL, &c, &d, NULL, NULL),
              MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_category_get_info(3, NULL, NULL, NULL, NULL, &a, &b, &c), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_cvar_get_index("name", &a), MPI_T_ERR_INVALID_NAME);
    CHECK_INT(MPI_T_pvar_get_index("name", MPI_T_PVAR_CLASS_STATE, &a), MPI_T_ERR_INVALID_NAME);
    CHECK_INT(MPI_T_category_get_index("name", &a), MPI_T_ERR_INVALID_NAME);
    CHECK_INT(MPI_T_cvar_handle_alloc(0, NULL, &control, &a), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_cvar_read(control, &a), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_cvar_handle_free(&control), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &a, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    CHECK_INT(MPI_T_cvar_get_index(NULL, &a), MPI_T_ERR_INVALID);
}

static void sessions(void) {
    int value, count;
    MPI_T_pvar_session one = MPI_T_PVAR_SESSION_NULL, two, freed;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    CHECK_INT(MPI_T_pvar_session_create(&one), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_session_create(&two), MPI_SUCCESS);
    CHECK(one != two && one != MPI_T_PVAR_SESSION_NULL);
    CHECK_INT(MPI_T_pvar_handle_alloc(one, 0, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_pvar_start(one, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_stop(one, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_read(one, handle, &value), MPI_T_ERR_INVALID_HANDLE);
    freed = one;
    CHECK_INT(MPI_T_pvar_session_free(&one), MPI_SUCCESS);
    CHECK(one == MPI_T_PVAR_SESSION_NULL);
    CHECK_INT(MPI_T_pvar_session_free(&freed), MPI_T_ERR_INVALID_SESSION);
    CHECK_INT(MPI_T_pvar_start(freed, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
    CHECK_INT(MPI_T_pvar_session_free(&two), MPI_SUCCESS);
}

static void use(void) {
    int provided = -1, number;
    uninitialised();
    CHECK_INT(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided), MPI_SUCCESS);
    CHECK_INT(provided, MPI_THREAD_SERIALIZED);
    CHECK_INT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    numbers();
    variables();
    sessions();
    CHECK_INT(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_INT(MPI_T_cvar_get_num(&number), MPI_SUCCESS); // once more than it was finalized
    CHECK_INT(MPI_T_finalize(), MPI_SUCCESS);
    uninitialised();
}

int main(int argc, char **argv) {
    use();
    MPI_Init(&argc, &argv); // errors stay fatal: none may be raised
    begin_initialized();
    use();
    int before = failures;
    settle("tool_interface");
    MPI_Finalize();
    use();
    return failures != before;
}
