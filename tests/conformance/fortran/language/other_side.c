// The side of C in the programs about both languages: procedures that Fortran calls, all arguments by address.
//
// Each gives 0 where what it found is right, and the number of the first check that failed otherwise.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int seen_int = 4711;
static int copies, deletes;

// Attributes: the value is a pointer here and an integer in Fortran.

void c_gets_address_(MPI_Fint *comm, MPI_Fint *key, MPI_Aint *wanted, MPI_Fint *wrong) {
    MPI_Aint *value = NULL;
    int flag = 0;
    MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *key, &value, &flag);
    *wrong = !flag ? 1 : value == NULL ? 2 : *value != *wanted ? 3 : 0;
}

void c_gets_integer_(MPI_Fint *comm, MPI_Fint *key, MPI_Fint *wanted, MPI_Fint *wrong) {
    MPI_Fint *value = NULL;
    int flag = 0;
    MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *key, &value, &flag);
    *wrong = !flag ? 1 : value == NULL ? 2 : *value != *wanted ? 3 : 0;
}

void c_sets_(MPI_Fint *comm, MPI_Fint *key, MPI_Aint *address) {
    *address = (MPI_Aint)(intptr_t)&seen_int;
    MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *key, &seen_int);
}

void c_sets_on_type_(MPI_Fint *type, MPI_Fint *key, MPI_Aint *value) {
    MPI_Type_set_attr(MPI_Type_f2c(*type), *key, (void *)(intptr_t)*value);
}

void c_gets_from_window_(MPI_Fint *win, MPI_Fint *key, MPI_Aint *wanted, MPI_Fint *wrong) {
    MPI_Aint *value = NULL;
    int flag = 0;
    MPI_Win_get_attr(MPI_Win_f2c(*win), *key, &value, &flag);
    *wrong = !flag ? 1 : *value != *wanted ? 2 : 0;
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
    (void)comm, (void)key;
    copies += extra == &copies;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value;
    deletes += extra == &copies;
    return MPI_SUCCESS;
}

void c_makes_key_(MPI_Fint *key) {
    int made;
    MPI_Comm_create_keyval(copy, delete, &made, &copies);
    *key = made;
}

void c_counts_(MPI_Fint *copied, MPI_Fint *deleted) {
    *copied = copies;
    *deleted = deletes;
}

// A communicator is duplicated here, so that Fortran's copy procedure is called by C.
void c_duplicates_(MPI_Fint *comm, MPI_Fint *made) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_Comm_f2c(*comm), &other);
    *made = MPI_Comm_c2f(other);
}

void c_frees_(MPI_Fint *comm) {
    MPI_Comm mine = MPI_Comm_f2c(*comm);
    MPI_Comm_free(&mine);
    *comm = MPI_Comm_c2f(mine);
}

// Handles.

void c_knows_(MPI_Fint *world, MPI_Fint *self, MPI_Fint *integer, MPI_Fint *sum, MPI_Fint *group, MPI_Fint *info,
              MPI_Fint *request, MPI_Fint *handler, MPI_Fint *window, MPI_Fint *wrong) {
    *wrong = MPI_Comm_f2c(*world) != MPI_COMM_WORLD      ? 1
             : MPI_Comm_f2c(*self) != MPI_COMM_SELF      ? 2
             : MPI_Type_f2c(*integer) != MPI_INTEGER     ? 3
             : MPI_Op_f2c(*sum) != MPI_SUM               ? 4
             : MPI_Group_f2c(*group) != MPI_GROUP_EMPTY  ? 5
             : MPI_Info_f2c(*info) != MPI_INFO_NULL      ? 6
             : MPI_Request_f2c(*request) != MPI_REQUEST_NULL     ? 7
             : MPI_Errhandler_f2c(*handler) != MPI_ERRORS_RETURN ? 8
             : MPI_Win_f2c(*window) != MPI_WIN_NULL      ? 9
             : MPI_Comm_c2f(MPI_COMM_WORLD) != *world    ? 10
             : MPI_Type_c2f(MPI_INTEGER) != *integer     ? 11
             : MPI_Op_c2f(MPI_SUM) != *sum               ? 12
                                                         : 0;
}

void c_uses_group_and_info_(MPI_Fint *group, MPI_Fint *info, MPI_Fint *size, MPI_Fint *wrong) {
    char value[20] = "";
    int flag = 0, length = sizeof value, found = -1;
    MPI_Group_size(MPI_Group_f2c(*group), &found);
    MPI_Info_get_string(MPI_Info_f2c(*info), "colour", &length, value, &flag);
    *wrong = found != *size ? 1 : !flag ? 2 : strcmp(value, "dark blue") != 0 ? 3 : length != 10 ? 4 : 0;
    MPI_Info_set(MPI_Info_f2c(*info), "taste", "sweet");
}

// A receive that C starts and Fortran completes, and one the other way round.
void c_receives_(int *buffer, MPI_Fint *count, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *comm, MPI_Fint *request) {
    MPI_Request made;
    MPI_Irecv(buffer, *count, MPI_INT, *source, *tag, MPI_Comm_f2c(*comm), &made);
    *request = MPI_Request_c2f(made);
}

void c_waits_(MPI_Fint *request, MPI_Fint *source, MPI_Fint *wrong) {
    MPI_Request mine = MPI_Request_f2c(*request);
    MPI_Status status;
    int count = -1;
    MPI_Wait(&mine, &status);
    *request = MPI_Request_c2f(mine);
    MPI_Get_count(&status, MPI_INT, &count);
    *wrong = mine != MPI_REQUEST_NULL ? 1 : status.MPI_SOURCE != *source ? 2 : count != 2 ? 3 : 0;
}

// Statuses.

void c_reads_status_(MPI_Fint *fortran, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *count) {
    MPI_Status status;
    int many = -1;
    MPI_Status_f2c(fortran, &status);
    MPI_Get_count(&status, MPI_INT, &many);
    *source = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *count = many;
}

void c_reads_status_f08_(MPI_F08_status *fortran, MPI_Fint *source, MPI_Fint *tag, MPI_Fint *count) {
    MPI_Status status;
    int many = -1;
    MPI_Status_f082c(fortran, &status);
    MPI_Get_count(&status, MPI_INT, &many);
    *source = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *count = many;
}

static void write_status(MPI_Status *status) {
    memset(status, 0, sizeof *status);
    status->MPI_SOURCE = 31;
    status->MPI_TAG = 32;
    status->MPI_ERROR = MPI_ERR_TRUNCATE;
    MPI_Status_set_elements(status, MPI_INT, 33);
    MPI_Status_set_cancelled(status, 1);
}

void c_writes_status_(MPI_Fint *fortran) {
    MPI_Status status;
    write_status(&status);
    MPI_Status_c2f(&status, fortran);
}

void c_writes_status_f08_(MPI_F08_status *fortran) {
    MPI_Status status;
    write_status(&status);
    MPI_Status_c2f08(&status, fortran);
}

// Datatypes and operations.

void c_makes_type_(MPI_Fint *type) {
    MPI_Datatype made;
    MPI_Type_vector(2, 1, 3, MPI_INT, &made);
    MPI_Type_commit(&made);
    *type = MPI_Type_c2f(made);
}

void c_sends_(int *buffer, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag) {
    MPI_Send(buffer, 1, MPI_Type_f2c(*type), *dest, *tag, MPI_COMM_WORLD);
}

// Associative, not commutative: the first of all.
static void first(void *in, void *inout, int *length, MPI_Datatype *type) {
    int *x = in, *y = inout;
    for (int i = 0; i < *length; i++) y[i] = *type == MPI_INTEGER || *type == MPI_INT ? x[i] : -1;
}

void c_makes_operation_(MPI_Fint *op) {
    MPI_Op made;
    MPI_Op_create(first, 0, &made);
    *op = MPI_Op_c2f(made);
}

void c_reduces_(int *from, int *to, MPI_Fint *count, MPI_Fint *op, MPI_Fint *wrong) {
    int commute = -1;
    MPI_Op_commutative(MPI_Op_f2c(*op), &commute);
    *wrong = commute != 0;
    MPI_Reduce_local(from, to, *count, MPI_INTEGER, MPI_Op_f2c(*op));
}

// An error handler of Fortran's is called by an error in C.
void c_errs_(MPI_Fint *comm, MPI_Fint *class) {
    int found = -1, value = 0;
    int code = MPI_Send(&value, 1, MPI_INT, 12345, 0, MPI_Comm_f2c(*comm));
    MPI_Error_class(code, &found);
    *class = found;
}
