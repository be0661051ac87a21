// ranks: 1 2
// timeout: 20
// Attributes on communicators: copy and delete functions called with the right arguments at dup, set, delete and free,
// a failing delete, keys freed while in use, the deprecated names, and MPI_COMM_SELF's at MPI_Finalize, last one first.
#include "check.h"

static int copies, deletes, key, extra, fail_delete, order, order_wrong;
static void *last_deleted;
static MPI_Comm source;

static int copy(MPI_Comm comm, int which, void *state, void *in, void *out, int *flag) {
    CHECK(comm == source);
    CHECK_INT(which, key);
    CHECK(state == &extra);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}
static int remove_it(MPI_Comm comm, int which, void *value, void *state) {
    (void)comm, (void)which;
    CHECK(state == &extra);
    if (fail_delete) return MPI_ERR_OTHER;
    last_deleted = value;
    deletes++;
    return MPI_SUCCESS;
}
static int no_copy(MPI_Comm comm, int which, void *state, void *in, void *out, int *flag) {
    (void)comm, (void)which, (void)state, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}
static int failing_copy(MPI_Comm comm, int which, void *state, void *in, void *out, int *flag) {
    (void)comm, (void)which, (void)state, (void)in, (void)out, (void)flag;
    return MPI_ERR_INTERN;
}
// On MPI_COMM_SELF: set in the order 0, 1, 2, so deleted in the order 2, 1, 0.
static int at_end(MPI_Comm comm, int which, void *value, void *state) {
    (void)which, (void)state;
    int initialized, finalized, rank;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized || MPI_Comm_rank(comm, &rank)) order_wrong = 1; // MPI still works
    if ((intptr_t)value != 2 - order++) order_wrong = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    char room[10];
    void *value = NULL;
    int flag = -1, shared, refused, failing, ends[3];
    MPI_Comm other;
    OK(MPI_Comm_create_keyval(copy, remove_it, &key, &extra));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &shared, NULL));
    OK(MPI_Comm_create_keyval(no_copy, MPI_COMM_NULL_DELETE_FN, &refused, NULL));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &source));
    OK(MPI_Comm_set_errhandler(source, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_attr(source, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Comm_set_attr(source, key, &room[0]));
    OK(MPI_Comm_set_attr(source, shared, &room[2]));
    OK(MPI_Comm_set_attr(source, refused, &room[3]));
    OK(MPI_Comm_get_attr(source, key, &value, &flag));
    CHECK(flag && value == &room[0]);
    OK(MPI_Comm_set_attr(source, key, &room[4]));
    CHECK_INT(deletes, 1);
    CHECK(last_deleted == &room[0]);
    OK(MPI_Comm_dup(source, &other));
    CHECK_INT(copies, 1);
    OK(MPI_Comm_get_attr(other, key, &value, &flag));
    CHECK(flag && value == &room[5]);
    OK(MPI_Comm_get_attr(other, shared, &value, &flag));
    CHECK(flag && value == &room[2]);
    OK(MPI_Comm_get_attr(other, refused, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Comm_delete_attr(other, key));
    CHECK_INT(deletes, 2);
    OK(MPI_Comm_get_attr(other, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Comm_set_attr(other, key, &room[6]));
    OK(MPI_Comm_free(&other));
    CHECK_INT(deletes, 3);
    CHECK(last_deleted == &room[6]);
    // Split and create do not copy.
    OK(MPI_Comm_split(source, 0, 0, &other));
    CHECK_INT(copies, 1);
    OK(MPI_Comm_get_attr(other, shared, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Comm_free(&other));
    // idup copies too.
    MPI_Request request;
    OK(MPI_Comm_idup(source, &other, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(copies, 2);
    OK(MPI_Comm_get_attr(other, key, &value, &flag));
    CHECK(flag && value == &room[5]);
    OK(MPI_Comm_free(&other));
    CHECK_INT(deletes, 4);
    // A delete function that fails keeps the attribute.
    fail_delete = 1;
    CHECK(MPI_Comm_delete_attr(source, key) != MPI_SUCCESS);
    fail_delete = 0;
    OK(MPI_Comm_get_attr(source, key, &value, &flag));
    CHECK_INT(flag, 1);
    // A copy function that fails makes the dup fail.
    OK(MPI_Comm_create_keyval(failing_copy, MPI_COMM_NULL_DELETE_FN, &failing, NULL));
    OK(MPI_Comm_set_attr(source, failing, &room[7]));
    CHECK(MPI_Comm_dup(source, &other) != MPI_SUCCESS);
    OK(MPI_Comm_delete_attr(source, failing));
    OK(MPI_Comm_free_keyval(&failing));
    CHECK_INT(failing, MPI_KEYVAL_INVALID);

    int freed = key, before = deletes;
    OK(MPI_Comm_free_keyval(&freed));
    OK(MPI_Comm_free(&source));
    CHECK_INT(deletes, before + 1);
    OK(MPI_Comm_free_keyval(&shared));
    OK(MPI_Comm_free_keyval(&refused));

    // Many keys and attributes on one communicator.
    enum { MANY = 300 };
    int keys[MANY];
    OK(MPI_Comm_dup(MPI_COMM_SELF, &other));
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL));
        OK(MPI_Comm_set_attr(other, keys[i], (void *)(intptr_t)(i + 1)));
    }
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Comm_get_attr(other, keys[i], &value, &flag));
        CHECK(flag && (intptr_t)value == i + 1);
    }
    OK(MPI_Comm_free(&other));
    for (int i = 0; i < MANY; i++) OK(MPI_Comm_free_keyval(&keys[i]));

    // The MPI-1 names.
    OK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Attr_put(MPI_COMM_WORLD, key, &room[8]));
    OK(MPI_Attr_get(MPI_COMM_WORLD, key, &value, &flag));
    CHECK(flag && value == &room[8]);
    OK(MPI_Attr_delete(MPI_COMM_WORLD, key));
    OK(MPI_Keyval_free(&key));

    for (intptr_t i = 0; i < 3; i++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &ends[i], NULL));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, ends[i], (void *)i));
        OK(MPI_Comm_free_keyval(&ends[i]));
    }
    settle("attribute");
    OK(MPI_Finalize());
    if (order != 3 || order_wrong) {
        fprintf(stderr, "attributes of MPI_COMM_SELF: %d deleted at finalize, expected 3, last set first\n", order);
        return 1;
    }
    return 0;
}
