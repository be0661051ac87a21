// ranks: 1 2 3
// timeout: 20
// Wrong calls return the standard's class when the window returns errors, write nothing, and leave the window usable:
// arguments (handles, ranks, counts, types, operations, displacements, assertions), accesses outside of the window, and
// synchronisation in the wrong order.
#include "check.h"

#define WORDS 8

static int *base;
static MPI_Win win;
static long value = 77, result, other;

static void usable(void) {
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    int number = 1000 + world_rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&number, 1, MPI_INT, right, 3, 1, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_INT(base[3], 1000 + left);
    base[3] = -1;
    CHECK_THAT(all_bytes(base, WORDS * sizeof(int), 0xff), "nothing else was written");
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
    OK(MPI_Put(&number, 1, MPI_INT, right, 4, 1, MPI_INT, win));
    OK(MPI_Win_unlock(right, win));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, win));
    CHECK_INT(base[4], 1000 + left);
    base[4] = -1;
    OK(MPI_Win_unlock(world_rank, win));
    MPI_Barrier(MPI_COMM_WORLD);
}

// Every call that accesses, with one argument wrong.
static void accesses(MPI_Win in, int rank, MPI_Aint at, int count, MPI_Datatype type, int first, int second) {
    FAILS_EITHER(MPI_Put(&value, count, type, rank, at, count, type, in), first, second);
    FAILS_EITHER(MPI_Get(&result, count, type, rank, at, count, type, in), first, second);
    FAILS_EITHER(MPI_Accumulate(&value, count, type, rank, at, count, type, MPI_SUM, in), first, second);
    FAILS_EITHER(MPI_Get_accumulate(&value, count, type, &result, count, type, rank, at, count, type, MPI_SUM, in), first, second);
    if (count != 1) return; // the others move one element
    FAILS_EITHER(MPI_Fetch_and_op(&value, &result, type, rank, at, MPI_SUM, in), first, second);
    FAILS_EITHER(MPI_Compare_and_swap(&value, &other, &result, type, rank, at, in), first, second);
}

static void requests(int rank, MPI_Aint at, int first, int second) {
    MPI_Request request = MPI_REQUEST_NULL;
    FAILS_EITHER(MPI_Rput(&value, 1, MPI_INT, rank, at, 1, MPI_INT, win, &request), first, second);
    FAILS_EITHER(MPI_Rget(&result, 1, MPI_INT, rank, at, 1, MPI_INT, win, &request), first, second);
    FAILS_EITHER(MPI_Raccumulate(&value, 1, MPI_INT, rank, at, 1, MPI_INT, MPI_SUM, win, &request), first, second);
    FAILS_EITHER(MPI_Rget_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, rank, at, 1, MPI_INT, MPI_SUM, win, &request),
                 first, second);
}

static void creation(void) {
    static int memory[4];
    MPI_Win none = MPI_WIN_NULL;
    void *where = NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    FAILS(MPI_Win_create(memory, -8, 4, MPI_INFO_NULL, world, &none), MPI_ERR_SIZE);
    FAILS(MPI_Win_allocate(-8, 4, MPI_INFO_NULL, world, &where, &none), MPI_ERR_SIZE);
    FAILS(MPI_Win_allocate_shared(-8, 4, MPI_INFO_NULL, world, &where, &none), MPI_ERR_SIZE);
    for (int unit = -4; unit <= 0; unit += 4) {
        FAILS_EITHER(MPI_Win_create(memory, 16, unit, MPI_INFO_NULL, world, &none), MPI_ERR_DISP, MPI_ERR_ARG);
        FAILS_EITHER(MPI_Win_allocate(16, unit, MPI_INFO_NULL, world, &where, &none), MPI_ERR_DISP, MPI_ERR_ARG);
        FAILS_EITHER(MPI_Win_allocate_shared(16, unit, MPI_INFO_NULL, world, &where, &none), MPI_ERR_DISP, MPI_ERR_ARG);
    }
    NOT_PEER FAILS_EITHER(MPI_Win_create(NULL, 16, 4, MPI_INFO_NULL, world, &none), MPI_ERR_BASE, MPI_ERR_ARG);
    FAILS(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_NULL, &none), MPI_ERR_COMM);
    FAILS(MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_NULL, &where, &none), MPI_ERR_COMM);
    FAILS(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &none), MPI_ERR_COMM);
    NOT_PEER FAILS(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, world, NULL), MPI_ERR_ARG);
    NOT_PEER FAILS(MPI_Win_allocate(16, 4, MPI_INFO_NULL, world, NULL, &none), MPI_ERR_ARG);
    CHECK(none == MPI_WIN_NULL);
    // Ranks that share no memory cannot share it in a window.
    MPI_Comm node;
    int size;
    OK(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &size));
    OK(MPI_Comm_free(&node));
    if (size < world_size)
        FAILS(MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, world, &where, &none), MPI_ERR_RMA_SHARED);
    NOT_PEER if (world_size > 1) {
        MPI_Comm half, inter;
        OK(MPI_Comm_split(world, world_rank == 0, 0, &half));
        OK(MPI_Intercomm_create(half, 0, world, world_rank == 0 ? 1 : 0, 4, &inter));
        OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
        FAILS(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, inter, &none), MPI_ERR_COMM);
        OK(MPI_Comm_free(&half));
        OK(MPI_Comm_free(&inter));
    }
}

static void null_handles(void) {
    MPI_Win null = MPI_WIN_NULL;
    int flag;
    void *attribute;
    MPI_Group group;
    MPI_Info info;
    accesses(null, 0, 0, 1, MPI_INT, MPI_ERR_WIN, MPI_ERR_WIN);
    FAILS(MPI_Win_fence(0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_unlock(0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_lock_all(0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_unlock_all(null), MPI_ERR_WIN);
    FAILS(MPI_Win_flush(0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_flush_local_all(null), MPI_ERR_WIN);
    FAILS(MPI_Win_sync(null), MPI_ERR_WIN);
    FAILS(MPI_Win_post(MPI_GROUP_EMPTY, 0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_start(MPI_GROUP_EMPTY, 0, null), MPI_ERR_WIN);
    FAILS(MPI_Win_complete(null), MPI_ERR_WIN);
    FAILS(MPI_Win_wait(null), MPI_ERR_WIN);
    FAILS(MPI_Win_test(null, &flag), MPI_ERR_WIN);
    FAILS(MPI_Win_free(&null), MPI_ERR_WIN);
    FAILS(MPI_Win_get_group(null, &group), MPI_ERR_WIN);
    FAILS(MPI_Win_get_info(null, &info), MPI_ERR_WIN);
    FAILS(MPI_Win_set_name(null, "a"), MPI_ERR_WIN);
    FAILS(MPI_Win_get_attr(null, MPI_WIN_BASE, &attribute, &flag), MPI_ERR_WIN);
    FAILS(MPI_Win_set_errhandler(null, MPI_ERRORS_RETURN), MPI_ERR_WIN);
    NOT_PEER { // a handle that was freed
        MPI_Win freed, copy;
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &freed));
        copy = freed;
        OK(MPI_Win_free(&freed));
        CHECK(freed == MPI_WIN_NULL);
        FAILS(MPI_Win_fence(0, copy), MPI_ERR_WIN);
        FAILS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, copy), MPI_ERR_WIN);
        FAILS(MPI_Win_free(&copy), MPI_ERR_WIN);
    }
}

static void user_function(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)in, (void)inout, (void)length, (void)type;
}

// Within an epoch of lock_all, so that nothing but the argument is wrong.
static void arguments(void) {
    int far = world_size, me = world_rank;
    MPI_Datatype uncommitted, mixed, pair;
    MPI_Op user;
    OK(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
    OK(MPI_Type_contiguous(1, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    int one[] = {1, 1};
    MPI_Aint places[] = {0, 4};
    MPI_Datatype types[] = {MPI_INT, MPI_FLOAT};
    OK(MPI_Type_create_struct(2, one, places, types, &mixed));
    OK(MPI_Type_commit(&mixed));
    OK(MPI_Op_create(user_function, 1, &user));
    OK(MPI_Win_lock_all(0, win));
    accesses(win, far, 0, 1, MPI_INT, MPI_ERR_RANK, MPI_ERR_RANK);
    accesses(win, -77, 0, 1, MPI_INT, MPI_ERR_RANK, MPI_ERR_RANK);
    requests(far, 0, MPI_ERR_RANK, MPI_ERR_RANK);
    accesses(win, me, 0, -1, MPI_INT, MPI_ERR_COUNT, MPI_ERR_COUNT);
    accesses(win, me, 0, 1, MPI_DATATYPE_NULL, MPI_ERR_TYPE, MPI_ERR_TYPE);
    FAILS(MPI_Put(&value, 1, uncommitted, me, 0, 2, MPI_INT, win), MPI_ERR_TYPE);
    FAILS(MPI_Get(&value, 2, MPI_INT, me, 0, 1, uncommitted, win), MPI_ERR_TYPE);
    FAILS(MPI_Accumulate(&value, 1, MPI_INT, me, 0, 1, MPI_INT, user, win), MPI_ERR_OP);
    FAILS(MPI_Get_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, me, 0, 1, MPI_INT, user, win), MPI_ERR_OP);
    FAILS(MPI_Fetch_and_op(&value, &result, MPI_INT, me, 0, user, win), MPI_ERR_OP);
    FAILS(MPI_Accumulate(&value, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    NOT_PEER {
        FAILS(MPI_Accumulate(&value, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
        FAILS(MPI_Accumulate(&value, 1, MPI_FLOAT, me, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
        FAILS(MPI_Fetch_and_op(&value, &result, MPI_INT, me, 0, MPI_MAXLOC, win), MPI_ERR_OP);
        FAILS(MPI_Accumulate(&value, 1, mixed, me, 0, 1, mixed, MPI_SUM, win), MPI_ERR_TYPE);
        FAILS(MPI_Accumulate(&value, 1, MPI_INT, me, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE);
        FAILS(MPI_Fetch_and_op(&value, &result, pair, me, 0, MPI_SUM, win), MPI_ERR_TYPE); // not predefined
        FAILS(MPI_Compare_and_swap(&value, &other, &result, MPI_FLOAT, me, 0, win), MPI_ERR_TYPE);
    }
    FAILS(MPI_Win_flush(far, win), MPI_ERR_RANK);
    FAILS(MPI_Win_flush_local(-77, win), MPI_ERR_RANK);
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, far, 0, win), MPI_ERR_RANK);
    FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, -77, 0, win), MPI_ERR_RANK);
    FAILS(MPI_Win_unlock(far, win), MPI_ERR_RANK);
    NOT_PEER FAILS(MPI_Win_lock(MPI_LOCK_SHARED + MPI_LOCK_EXCLUSIVE + 1, me, 0, win), MPI_ERR_LOCKTYPE);
    NOT_PEER FAILS(MPI_Win_lock(MPI_LOCK_SHARED, me, 1 << 28, win), MPI_ERR_ASSERT);
    NOT_PEER FAILS(MPI_Win_lock_all(1 << 28, win), MPI_ERR_ASSERT);
    NOT_PEER FAILS(MPI_Win_fence(1 << 28, win), MPI_ERR_ASSERT);
    NOT_PEER FAILS(MPI_Win_post(MPI_GROUP_EMPTY, 1 << 28, win), MPI_ERR_ASSERT);
    NOT_PEER FAILS(MPI_Win_start(MPI_GROUP_EMPTY, 1 << 28, win), MPI_ERR_ASSERT);
    FAILS(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    FAILS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    NOT_PEER FAILS(MPI_Win_test(win, NULL), MPI_ERR_ARG);
    NOT_PEER FAILS(MPI_Win_set_name(win, NULL), MPI_ERR_ARG);
    OK(MPI_Type_free(&uncommitted));
    OK(MPI_Type_free(&mixed));
    OK(MPI_Type_free(&pair));
    OK(MPI_Op_free(&user));
}

// Peers do not look, and write where they are told.
static void ranges(void) {
    int target = (world_rank + 1) % world_size, many[WORDS + 1] = {0};
    MPI_Datatype wide, below;
    OK(MPI_Type_vector(2, 1, WORDS, MPI_INT, &wide)); // its second element lies behind the end
    OK(MPI_Type_commit(&wide));
    int one = 1;
    MPI_Aint minus = -4;
    OK(MPI_Type_create_hindexed(1, &one, &minus, MPI_INT, &below)); // lies before the start
    OK(MPI_Type_commit(&below));
    OK(MPI_Win_lock_all(0, win));
    accesses(win, target, WORDS, 1, MPI_INT, MPI_ERR_RMA_RANGE, MPI_ERR_DISP);
    accesses(win, target, -1, 1, MPI_INT, MPI_ERR_RMA_RANGE, MPI_ERR_DISP);
    accesses(win, target, (MPI_Aint)1 << 61, 1, MPI_INT, MPI_ERR_RMA_RANGE, MPI_ERR_DISP); // times 4 it is 1 << 63
    accesses(win, target, (MPI_Aint)1 << 62, 1, MPI_INT, MPI_ERR_RMA_RANGE, MPI_ERR_DISP); // times 4 it is 0
    accesses(win, target, WORDS - 1, 1, MPI_LONG, MPI_ERR_RMA_RANGE, MPI_ERR_RMA_RANGE);   // half of it is inside
    requests(target, WORDS, MPI_ERR_RMA_RANGE, MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(many, WORDS + 1, MPI_INT, target, 0, WORDS + 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(many, WORDS, MPI_INT, target, 1, WORDS, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(many, 2, MPI_INT, target, 0, 1, wide, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Accumulate(many, 2, MPI_INT, target, 0, 1, wide, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(many, 1, MPI_INT, target, 0, 1, below, win), MPI_ERR_RMA_RANGE);
    // At the edges it is right.
    OK(MPI_Get(many, 1, MPI_INT, target, 1, 1, below, win));
    OK(MPI_Get(many, WORDS, MPI_INT, target, 0, WORDS, MPI_INT, win));
    OK(MPI_Get(many, 0, MPI_INT, target, WORDS, 0, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Type_free(&wide));
    OK(MPI_Type_free(&below));
    MPI_Barrier(MPI_COMM_WORLD);
    // Memory that was never attached, and that was detached; the error may show at the end of the epoch.
    MPI_Win dynamic;
    static int memory[4];
    MPI_Aint address, *all = space(sizeof address * (size_t)world_size);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    OK(MPI_Get_address(memory, &address));
    OK(MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int detached = 0; detached < 2; detached++) {
        if (detached) {
            OK(MPI_Win_attach(dynamic, memory, sizeof memory));
            OK(MPI_Win_detach(dynamic, memory));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, dynamic));
        int code = MPI_Put(&value, 1, MPI_INT, target, all[target], 1, MPI_INT, dynamic);
        int at_end = MPI_Win_unlock(target, dynamic);
        FAILS(code ? code : at_end, MPI_ERR_RMA_RANGE);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_INT(memory[0], 0);
    }
    free(all);
    OK(MPI_Win_free(&dynamic));
}

static void order(void) {
    int me = world_rank, next = (world_rank + 1) % world_size, flag;
    MPI_Group all, mine;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, 1, &me, &mine));
    // No epoch at all.
    accesses(win, me, 0, 1, MPI_INT, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_SYNC);
    requests(me, 0, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock(me, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush(me, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush_local(me, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
    // Locks.
    OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_start(mine, 0, win), MPI_ERR_RMA_SYNC);
    NOT_PEER if (next != me) {
        accesses(win, next, 0, 1, MPI_INT, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_SYNC); // locked is another target
        FAILS(MPI_Win_unlock(next, win), MPI_ERR_RMA_SYNC);
        FAILS(MPI_Win_flush(next, win), MPI_ERR_RMA_SYNC);
    }
    OK(MPI_Get(&result, 1, MPI_INT, me, 0, 1, MPI_INT, win)); // still locked
    NOT_PEER FAILS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    CHECK(win != MPI_WIN_NULL);
    OK(MPI_Win_unlock(me, win));
    FAILS(MPI_Win_unlock(me, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_lock_all(0, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock(me, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    // Fences.
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&result, 1, MPI_INT, me, 0, 1, MPI_INT, win));
    NOT_PEER requests(me, 0, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_SYNC); // only between locks
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_start(mine, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush(me, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    accesses(win, me, 0, 1, MPI_INT, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_SYNC);
    OK(MPI_Win_fence(0, win)); // with no access behind it, a lock may follow
    OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
    OK(MPI_Win_unlock(me, win));
    MPI_Barrier(MPI_COMM_WORLD);
    // Posts and starts.
    OK(MPI_Win_post(mine, 0, win));
    FAILS(MPI_Win_post(mine, 0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_start(mine, 0, win));
    FAILS(MPI_Win_start(mine, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush(me, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Get(&result, 1, MPI_INT, me, 0, 1, MPI_INT, win));
    NOT_PEER if (next != me) accesses(win, next, 0, 1, MPI_INT, MPI_ERR_RMA_SYNC, MPI_ERR_RANK); // not in the group
    OK(MPI_Win_complete(win));
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_wait(win));
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    OK(MPI_Group_free(&mine));
    OK(MPI_Group_free(&all));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void flavors(void) {
    MPI_Win dynamic;
    MPI_Aint size;
    int unit, *pointer;
    static int memory[64];
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    FAILS(MPI_Win_attach(win, memory, sizeof memory), MPI_ERR_RMA_FLAVOR);
    FAILS(MPI_Win_detach(win, memory), MPI_ERR_RMA_FLAVOR);
    FAILS(MPI_Win_shared_query(dynamic, 0, &size, &unit, &pointer), MPI_ERR_RMA_FLAVOR);
    FAILS(MPI_Win_shared_query(win, world_size, &size, &unit, &pointer), MPI_ERR_RANK);
    FAILS(MPI_Win_attach(dynamic, memory, -4), MPI_ERR_SIZE);
    NOT_PEER {
        CHECK(MPI_Win_attach(dynamic, NULL, 16) != MPI_SUCCESS);
        OK(MPI_Win_attach(dynamic, memory, sizeof memory));
        FAILS(MPI_Win_attach(dynamic, memory + 1, 4), MPI_ERR_RMA_ATTACH); // attached already
        FAILS_EITHER(MPI_Win_detach(dynamic, memory + 1), MPI_ERR_RMA_ATTACH, MPI_ERR_BASE); // not where it begins
        OK(MPI_Win_detach(dynamic, memory));
        FAILS_EITHER(MPI_Win_detach(dynamic, memory), MPI_ERR_RMA_ATTACH, MPI_ERR_BASE);
    }
    OK(MPI_Win_free(&dynamic));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    OK(MPI_Win_allocate(WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0xff, WORDS * sizeof(int));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    creation();
    null_handles();
    usable();
    arguments();
    usable();
    NOT_PEER ranges();
    usable();
    order();
    usable();
    flavors();
    usable();
    OK(MPI_Win_free(&win));
    return finish("error");
}
