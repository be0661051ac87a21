// ranks: 1 2 3
// timeout: 20
// Attributes and error handlers of windows: the predefined attributes of every flavor; the program's own, whose delete
// functions are called when they are replaced, deleted, and when the window is freed; errors go to the window's handler,
// which ends the job unless another one was set, and not to the communicator's.
#include "check.h"

static int deletes, copies, key, extra, fail_delete;
static void *last_deleted;
static MPI_Win last_window;

static int copy(MPI_Win win, int which, void *state, void *in, void *out, int *flag) {
    (void)win, (void)which, (void)state, (void)in, (void)out;
    copies++; // windows are never duplicated
    *flag = 0;
    return MPI_SUCCESS;
}
static int remove_it(MPI_Win win, int which, void *value, void *state) {
    (void)which; // the key may be freed already
    CHECK(state == &extra);
    if (fail_delete) return MPI_ERR_OTHER;
    last_window = win;
    last_deleted = value;
    deletes++;
    return MPI_SUCCESS;
}

static void holds(MPI_Win win, void *base, MPI_Aint size, int unit, int flavor) {
    void *value = NULL;
    int flag = 0;
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag);
    CHECK_THAT(value == base, "flavor %d: base %p, expected %p", flavor, value, base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag);
    CHECK_INT(*(MPI_Aint *)value, size);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag);
    CHECK_INT(*(int *)value, unit);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag);
    CHECK_INT(*(int *)value, flavor);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag);
    CHECK_INT(*(int *)value, MPI_WIN_UNIFIED);
}

static void predefined(void) {
    long memory[10], *base;
    MPI_Win win, other;
    MPI_Comm node;
    MPI_Aint size = 8 * world_rank; // 0 at rank 0
    OK(MPI_Win_create(memory, size, 4 + world_rank, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_allocate(80 + size, 1 + world_rank, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &other));
    holds(win, memory, size, 4 + world_rank, MPI_WIN_FLAVOR_CREATE);
    holds(other, base, 80 + size, 1 + world_rank, MPI_WIN_FLAVOR_ALLOCATE);
    holds(win, memory, size, 4 + world_rank, MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&other));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Win_allocate_shared(16 + size, 8, MPI_INFO_NULL, node, &base, &win));
    holds(win, base, 16 + size, 8, MPI_WIN_FLAVOR_SHARED);
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&node));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    holds(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_attach(win, memory, sizeof memory));
    holds(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
}

static void own(void) {
    char room[10];
    void *value = NULL;
    int flag = -1, quiet, dup;
    MPI_Win win, other;
    OK(MPI_Win_create_keyval(copy, remove_it, &key, &extra));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &quiet, NULL));
    OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &dup, NULL));
    CHECK(key != MPI_KEYVAL_INVALID && key != quiet && quiet != dup);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Win_set_attr(win, key, &room[0]));
    OK(MPI_Win_set_attr(win, quiet, &room[1]));
    OK(MPI_Win_set_attr(win, dup, &room[2]));
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == &room[0]);
    OK(MPI_Win_get_attr(win, quiet, &value, &flag));
    CHECK(flag && value == &room[1]);
    OK(MPI_Win_get_attr(other, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Win_set_attr(win, key, &room[3])); // replaced
    CHECK_INT(deletes, 1);
    CHECK(last_deleted == &room[0] && last_window == win);
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == &room[3]);
    OK(MPI_Win_delete_attr(win, key));
    CHECK_INT(deletes, 2);
    CHECK(last_deleted == &room[3]);
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Win_set_attr(win, key, NULL)); // a value as any other
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == NULL);
    fail_delete = 1;
    CHECK(MPI_Win_delete_attr(win, key) != MPI_SUCCESS);
    fail_delete = 0;
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK_INT(flag, 1);
    OK(MPI_Win_set_attr(other, key, &room[5]));
    int before = deletes, freed = key;
    OK(MPI_Win_free_keyval(&freed)); // in use: still called
    CHECK_INT(freed, MPI_KEYVAL_INVALID);
    OK(MPI_Win_free(&other));
    CHECK_INT(deletes, before + 1);
    CHECK(last_deleted == &room[5]);
    OK(MPI_Win_free(&win));
    CHECK_INT(deletes, before + 2);
    CHECK(last_deleted == NULL);
    CHECK_INT(copies, 0);
    OK(MPI_Win_free_keyval(&quiet));
    OK(MPI_Win_free_keyval(&dup));
}

static int window_calls, other_window_calls, comm_calls, last_code;
static MPI_Win handled;

static void window_handler(MPI_Win *win, int *code, ...) {
    window_calls++;
    handled = *win;
    last_code = *code;
}
static void other_window_handler(MPI_Win *win, int *code, ...) {
    (void)win, (void)code;
    other_window_calls++;
}
static void comm_handler(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    comm_calls++;
    last_code = *code;
}

// Puts to a rank that is not there, within an epoch.
static void wrong(MPI_Win win) {
    int value = 0;
    MPI_Put(&value, 1, MPI_INT, world_size + 3, 0, 1, MPI_INT, win);
}

static void handlers(void) {
    MPI_Errhandler mine, other, of_comm, got;
    MPI_Comm comm;
    MPI_Win win, second;
    int memory[4], class_number;
    OK(MPI_Win_create_errhandler(window_handler, &mine));
    OK(MPI_Win_create_errhandler(other_window_handler, &other));
    OK(MPI_Comm_create_errhandler(comm_handler, &of_comm));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, of_comm));
    OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, comm, &second));
    OK(MPI_Win_get_errhandler(win, &got)); // not the communicator's
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Win_set_errhandler(win, mine));
    OK(MPI_Win_set_errhandler(second, other));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == mine);
    OK(MPI_Errhandler_free(&got));
    CHECK(got == MPI_ERRHANDLER_NULL);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_fence(0, second));
    wrong(win);
    CHECK_INT(window_calls, 1);
    CHECK(handled == win);
    FAILS(last_code, MPI_ERR_RANK);
    wrong(second);
    CHECK_INT(other_window_calls, 1);
    CHECK_INT(window_calls, 1);
    CHECK_INT(comm_calls, 0);
    OK(MPI_Win_call_errhandler(win, MPI_ERR_RMA_CONFLICT));
    CHECK_INT(window_calls, 2);
    CHECK_INT(last_code, MPI_ERR_RMA_CONFLICT);
    OK(MPI_Add_error_class(&class_number));
    OK(MPI_Win_call_errhandler(win, class_number));
    CHECK_INT(window_calls, 3);
    CHECK_INT(last_code, class_number);
    OK(MPI_Errhandler_free(&mine)); // in use: still called
    wrong(win);
    CHECK_INT(window_calls, 4);
    OK(MPI_Win_set_errhandler(win, other));
    wrong(win);
    CHECK_INT(window_calls, 4);
    CHECK_INT(other_window_calls, 2);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    int value = 0;
    FAILS(MPI_Put(&value, 1, MPI_INT, world_size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_INT(other_window_calls, 2);
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    // Errors before there is a window are the communicator's.
    MPI_Win none = MPI_WIN_NULL;
    MPI_Win_create(memory, -4, 4, MPI_INFO_NULL, comm, &none);
    CHECK_INT(comm_calls, 1);
    FAILS(last_code, MPI_ERR_SIZE);
    CHECK_INT(other_window_calls, 2);
    // A communicator's handler is none for windows.
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_fence(0, second));
    NOT_PEER CHECK(MPI_Win_set_errhandler(win, of_comm) != MPI_SUCCESS);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&second));
    OK(MPI_Errhandler_free(&other));
    OK(MPI_Errhandler_free(&of_comm));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    predefined();
    own();
    handlers();
    return finish("attribute");
}
