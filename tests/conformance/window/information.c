// ranks: 1 2 3
// timeout: 20
// What a window tells about itself: its group, its name, and its hints, which may be given at the creation and later
// and never change results.
#include "check.h"

static void groups(void) {
    MPI_Win win;
    MPI_Comm reversed;
    MPI_Group group, expected;
    int result, size, rank;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, reversed, &win));
    OK(MPI_Win_get_group(win, &group));
    OK(MPI_Comm_group(reversed, &expected));
    OK(MPI_Group_compare(group, expected, &result));
    CHECK_INT(result, MPI_IDENT);
    OK(MPI_Comm_free(&reversed));
    OK(MPI_Win_free(&win));
    OK(MPI_Group_size(group, &size)); // outlives both
    OK(MPI_Group_rank(group, &rank));
    CHECK_INT(size, world_size);
    CHECK_INT(rank, world_size - 1 - world_rank);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&expected));
}

static void names(void) {
    MPI_Win win, other;
    char text[MPI_MAX_OBJECT_NAME] = "?", longest[MPI_MAX_OBJECT_NAME];
    int length = -1;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    OK(MPI_Win_get_name(win, text, &length));
    CHECK_STR(text, "");
    CHECK_INT(length, 0);
    OK(MPI_Win_set_name(win, "halo of the ocean"));
    OK(MPI_Win_get_name(win, text, &length));
    CHECK_STR(text, "halo of the ocean");
    CHECK_INT(length, 17);
    OK(MPI_Win_get_name(other, text, &length));
    CHECK_STR(text, "");
    memset(longest, 'w', sizeof longest);
    longest[sizeof longest - 1] = 0;
    OK(MPI_Win_set_name(win, longest));
    OK(MPI_Win_get_name(win, text, &length));
    CHECK_STR(text, longest);
    CHECK_INT(length, MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Win_set_name(win, ""));
    OK(MPI_Win_get_name(win, text, &length));
    CHECK_STR(text, "");
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&other));
    NOT_PEER {
        OK(MPI_Win_get_name(MPI_WIN_NULL, text, &length));
        CHECK_STR(text, "MPI_WIN_NULL");
    }
}

// A hint that the window's info holds has the value; a library may ignore hints, but not change them.
static int hint(MPI_Win win, const char *key, const char *value) {
    MPI_Info used;
    char text[64] = "";
    int flag = 0, length = (int)sizeof text;
    OK(MPI_Win_get_info(win, &used));
    CHECK(used != MPI_INFO_NULL);
    OK(MPI_Info_get_string(used, key, &length, text, &flag));
    OK(MPI_Info_free(&used));
    if (flag) CHECK_THAT(strcmp(text, value) == 0, "%s is %s, expected %s", key, text, value);
    return flag;
}

static MPI_Info one(const char *key, const char *value) {
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    return info;
}

// The window adds and puts rightly whatever it was told.
static void works(MPI_Win win, long *base, int locks) {
    long ten = 10, value = 7 + world_rank;
    OK(MPI_Win_fence(0, win));
    base[0] = base[1] = 0;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(&ten, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Put(&value, 1, MPI_LONG, (world_rank + 1) % world_size, 1, 1, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    if (world_rank == 0) CHECK_INT(base[0], 10 * world_size);
    CHECK_INT(base[1], 7 + (world_rank + world_size - 1) % world_size);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    MPI_Group all;
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Win_post(all, 0, win));
    OK(MPI_Win_start(all, 0, win));
    OK(MPI_Accumulate(&ten, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    if (world_rank == 0) CHECK_INT(base[0], 20 * world_size);
    OK(MPI_Group_free(&all));
    if (!locks) return;
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Accumulate(&ten, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_unlock(0, win));
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, win));
    if (world_rank == 0) CHECK_INT(base[0], 30 * world_size);
    OK(MPI_Win_unlock(world_rank, win));
}

static void hints(void) {
    static const char *given[][2] = {
        {"no_locks", "true"}, {"no_locks", "false"}, {"accumulate_ordering", "none"}, {"accumulate_ordering", "raw,waw"},
        {"accumulate_ops", "same_op"}, {"accumulate_ops", "same_op_no_op"}, {"same_size", "true"},
        {"same_disp_unit", "true"}, {"mpi_accumulate_granularity", "8"}, {"a_hint_that_nobody_knows", "1"},
    };
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {
        int locks = strcmp(given[i][0], "no_locks") != 0 || strcmp(given[i][1], "true") != 0;
        MPI_Info info = one(given[i][0], given[i][1]);
        MPI_Win win;
        long *base;
        OK(MPI_Win_allocate(16, 8, info, MPI_COMM_WORLD, &base, &win));
        OK(MPI_Info_free(&info));
        hint(win, given[i][0], given[i][1]);
        works(win, base, locks);
        // Given again, and another one beside it.
        info = one(given[i][0], given[i][1]);
        OK(MPI_Info_set(info, "another_hint", "2"));
        OK(MPI_Win_set_info(win, info));
        OK(MPI_Info_free(&info));
        hint(win, given[i][0], given[i][1]);
        works(win, base, locks);
        OK(MPI_Win_free(&win));
        long memory[2];
        info = one(given[i][0], given[i][1]);
        OK(MPI_Win_create(memory, sizeof memory, 8, info, MPI_COMM_WORLD, &win));
        OK(MPI_Info_free(&info));
        works(win, memory, locks);
        OK(MPI_Win_free(&win));
    }
    // What holds when nothing was said.
    MPI_Win win;
    long *base;
    OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    hint(win, "no_locks", "false");
    hint(win, "accumulate_ordering", "rar,raw,war,waw");
    hint(win, "accumulate_ops", "same_op_no_op");
    NOT_PEER hint(win, "same_size", "false");
    hint(win, "same_disp_unit", "false");
    works(win, base, 1);
    OK(MPI_Win_free(&win));
}

static void alignments(void) {
    for (int bytes = 16; bytes <= 4096; bytes *= 4) {
        char text[16], *base;
        MPI_Win win;
        snprintf(text, sizeof text, "%d", bytes);
        MPI_Info info = one("mpi_minimum_memory_alignment", text);
        OK(MPI_Win_allocate(40, 1, info, MPI_COMM_WORLD, &base, &win));
        NOT_PEER CHECK_INT((uintptr_t)base % (uintptr_t)bytes, 0);
        memset(base, 1, 40);
        OK(MPI_Info_free(&info));
        OK(MPI_Win_free(&win));
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    groups();
    names();
    hints();
    alignments();
    return finish("information");
}
