// ranks: 1
// timeout: 20
// Attributes on types: copied by MPI_Type_dup as their copy function says, deleted on free, replaced on set, with the
// right arguments; the predefined copy functions; keys that outlive their freeing.
#include "check.h"

static int copies, deletes;
static void *last_deleted;
static MPI_Datatype source;
static int key, extra;

static int copy(MPI_Datatype type, int which, void *state, void *in, void *out, int *flag) {
    CHECK(type == source);
    CHECK_INT(which, key);
    CHECK(state == &extra);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}
static int remove_it(MPI_Datatype type, int which, void *value, void *state) {
    (void)type;
    CHECK_INT(which, key);
    CHECK(state == &extra);
    last_deleted = value;
    deletes++;
    return MPI_SUCCESS;
}
static int no_copy(MPI_Datatype type, int which, void *state, void *in, void *out, int *flag) {
    (void)type, (void)which, (void)state, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    char room[8];
    void *value = NULL;
    int flag = -1, plain, shared, refused;
    MPI_Datatype other;
    OK(MPI_Type_create_keyval(copy, remove_it, &key, &extra));
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &plain, NULL));
    OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &shared, NULL));
    OK(MPI_Type_create_keyval(no_copy, MPI_TYPE_NULL_DELETE_FN, &refused, NULL));
    OK(MPI_Type_contiguous(2, MPI_INT, &source));
    OK(MPI_Type_get_attr(source, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Type_set_attr(source, key, &room[0]));
    OK(MPI_Type_set_attr(source, plain, &room[1]));
    OK(MPI_Type_set_attr(source, shared, &room[2]));
    OK(MPI_Type_set_attr(source, refused, &room[3]));
    OK(MPI_Type_get_attr(source, key, &value, &flag));
    CHECK(flag && value == &room[0]);
    OK(MPI_Type_set_attr(source, key, &room[4])); // the old value is deleted
    CHECK_INT(deletes, 1);
    CHECK(last_deleted == &room[0]);
    OK(MPI_Type_dup(source, &other));
    CHECK_INT(copies, 1);
    OK(MPI_Type_get_attr(other, key, &value, &flag));
    CHECK(flag && value == &room[5]);
    OK(MPI_Type_get_attr(other, plain, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Type_get_attr(other, shared, &value, &flag));
    CHECK(flag && value == &room[2]);
    OK(MPI_Type_get_attr(other, refused, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Type_delete_attr(other, key));
    CHECK_INT(deletes, 2);
    CHECK(last_deleted == &room[5]);
    OK(MPI_Type_get_attr(other, key, &value, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Type_free(&other));
    CHECK_INT(deletes, 2);
    int freed = key;
    OK(MPI_Type_free_keyval(&freed));
    CHECK_INT(freed, MPI_KEYVAL_INVALID);
    OK(MPI_Type_free(&source)); // still has the attribute of the freed key
    CHECK_INT(deletes, 3);
    CHECK(last_deleted == &room[4]);
    OK(MPI_Type_free_keyval(&plain));
    OK(MPI_Type_free_keyval(&shared));
    OK(MPI_Type_free_keyval(&refused));
    // On a predefined type too.
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &plain, NULL));
    OK(MPI_Type_set_attr(MPI_INT, plain, &room[6]));
    OK(MPI_Type_get_attr(MPI_INT, plain, &value, &flag));
    CHECK(flag && value == &room[6]);
    OK(MPI_Type_delete_attr(MPI_INT, plain));
    OK(MPI_Type_free_keyval(&plain));
    return finish("type_attribute");
}
