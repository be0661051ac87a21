// ranks: 1 2 3 5
// timeout: 30
// differs: ranks 2 3 5: MPI_Win_start of MPICH 5.0.2 takes the post of anyone for that of its group
// MPI_Win_post, start, complete, wait and test: between groups of every size, also empty ones and the own rank; starts
// that come before the posts; both epochs open at a time; many epochs in a ring; several windows; assertions.
#include "check.h"

static int right, left;
static MPI_Group world;

static MPI_Group of(int count, const int ranks[]) {
    MPI_Group group;
    OK(MPI_Group_incl(world, count, ranks, &group));
    return group;
}

static void ring(int assertion) {
    enum { EPOCHS = 60 };
    long *base, out, in = -1;
    MPI_Win win;
    MPI_Group to = of(1, &right), from = of(1, &left);
    OK(MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int e = 0; e < EPOCHS; e++) {
        base[0] = -1;
        base[1] = 5000 + 10 * e + world_rank;
        OK(MPI_Win_post(from, assertion & MPI_MODE_NOSTORE, win));
        if (assertion & MPI_MODE_NOCHECK) MPI_Barrier(MPI_COMM_WORLD); // all have posted: what NOCHECK says
        OK(MPI_Win_start(to, assertion & MPI_MODE_NOCHECK, win));
        out = 100 * e + world_rank;
        OK(MPI_Put(&out, 1, MPI_LONG, right, 0, 1, MPI_LONG, win));
        OK(MPI_Get(&in, 1, MPI_LONG, right, 1, 1, MPI_LONG, win));
        OK(MPI_Win_complete(win));
        CHECK_INT(in, 5000 + 10 * e + right);
        out = -1; // the buffer is free
        if (e % 2) {
            OK(MPI_Win_wait(win));
        } else {
            int done = 0;
            while (!done) OK(MPI_Win_test(win, &done));
        }
        CHECK_INT(base[0], 100 * e + left);
    }
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
    OK(MPI_Win_free(&win));
}

// In turns one rank is the target of the first `count` of the others, which post nothing themselves.
static void one_target(int starts_first) {
    long *base, value;
    MPI_Win win;
    OK(MPI_Win_allocate(8 * (MPI_Aint)world_size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int target = 0; target < world_size; target++)
        for (int count = 0; count < world_size; count++) {
            int origins[64], used = 0, mine = 0;
            for (int r = 0; r < world_size && used < count; r++)
                if (r != target) {
                    origins[used++] = r;
                    mine |= r == world_rank;
                }
            if (world_rank == target) {
                for (int r = 0; r < world_size; r++) base[r] = -1;
                // Starts of the others wait for this post, if not later, in their complete.
                if (starts_first) pause_microseconds(2000);
                MPI_Group from = of(used, origins);
                OK(MPI_Win_post(from, 0, win));
                OK(MPI_Group_free(&from)); // the window keeps what it needs
                OK(MPI_Win_wait(win));
                for (int r = 0; r < world_size; r++) {
                    int wrote = 0;
                    for (int i = 0; i < used; i++) wrote |= origins[i] == r;
                    CHECK_INT(base[r], wrote ? 1000 + r : -1);
                }
            } else if (mine) {
                MPI_Group to = of(1, &target);
                OK(MPI_Win_start(to, 0, win));
                OK(MPI_Group_free(&to));
                value = 1000 + world_rank;
                OK(MPI_Put(&value, 1, MPI_LONG, target, world_rank, 1, MPI_LONG, win));
                OK(MPI_Win_complete(win));
            }
        }
    OK(MPI_Win_free(&win));
}

// In turns one rank puts to the first `count` of the others and, with `own`, to itself.
static void one_origin(int own) {
    int *base;
    MPI_Win win;
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int origin = 0; origin < world_size; origin++)
        for (int count = 0; count < world_size; count++) {
            int targets[64], used = 0, mine = 0, number = 100 * origin + count;
            for (int r = world_size - 1; r >= 0 && used < count; r--)
                if (r != origin) targets[used++] = r;
            if (own) targets[used++] = origin;
            for (int i = 0; i < used; i++) mine |= targets[i] == world_rank;
            MPI_Group from = of(1, &origin), to = of(used, targets);
            *base = -1;
            if (mine) OK(MPI_Win_post(from, 0, win));
            if (origin == world_rank) {
                OK(MPI_Win_start(to, 0, win));
                for (int i = 0; i < used; i++) OK(MPI_Accumulate(&number, 1, MPI_INT, targets[i], 0, 1, MPI_INT, MPI_REPLACE, win));
                OK(MPI_Win_complete(win));
            }
            if (mine) OK(MPI_Win_wait(win));
            CHECK_INT(*base, mine ? number : -1);
            OK(MPI_Group_free(&from));
            OK(MPI_Group_free(&to));
        }
    OK(MPI_Win_free(&win));
}

// Everyone to everyone; nobody to nobody; a started group that is not accessed.
static void all_and_none(void) {
    int *base, value;
    MPI_Win win;
    OK(MPI_Win_allocate(sizeof(int) * (MPI_Aint)world_size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int e = 0; e < 10; e++) {
        OK(MPI_Win_post(world, 0, win));
        OK(MPI_Win_start(world, 0, win));
        value = 10 * e + world_rank;
        for (int r = 0; r < world_size; r++) OK(MPI_Put(&value, 1, MPI_INT, r, world_rank, 1, MPI_INT, win));
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        for (int r = 0; r < world_size; r++) CHECK_INT(base[r], 10 * e + r);
        OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
        OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        OK(MPI_Win_post(world, MPI_MODE_NOPUT, win)); // no access
        OK(MPI_Win_start(world, 0, win));
        OK(MPI_Win_complete(win));
        int done = 0;
        while (!done) OK(MPI_Win_test(win, &done));
    }
    OK(MPI_Win_free(&win));
}

// A test says no while the origin holds its epoch open, as often as it is asked.
static void not_yet(void) {
    int *base, value = 7, done = -1, origin = 0, target = world_size - 1;
    if (world_size < 2) return;
    MPI_Win win;
    MPI_Group from = of(1, &origin), to = of(1, &target);
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (world_rank == target) {
        *base = 0;
        OK(MPI_Win_post(from, 0, win));
        for (int i = 0; i < 20; i++) {
            OK(MPI_Win_test(win, &done));
            CHECK_INT(done, 0);
        }
        OK(MPI_Send(&value, 1, MPI_INT, origin, 1, MPI_COMM_WORLD)); // now it may complete
        OK(MPI_Win_wait(win));
        CHECK_INT(*base, 7);
    } else if (world_rank == origin) {
        OK(MPI_Win_start(to, 0, win));
        OK(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        OK(MPI_Recv(&done, 1, MPI_INT, target, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_complete(win));
    }
    OK(MPI_Group_free(&from));
    OK(MPI_Group_free(&to));
    OK(MPI_Win_free(&win));
}

// A target may post again and again while its origin is late; two windows' epochs lie across each other.
static void windows_across(void) {
    int *a, *b, value;
    MPI_Win first, second;
    MPI_Group to = of(1, &right), from = of(1, &left);
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &a, &first));
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &b, &second));
    for (int e = 0; e < 20; e++) {
        OK(MPI_Win_post(from, 0, first));
        OK(MPI_Win_post(to, 0, second)); // the other way round
        OK(MPI_Win_start(from, 0, second));
        OK(MPI_Win_start(to, 0, first));
        value = e * 10 + world_rank;
        OK(MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, first));
        OK(MPI_Put(&value, 1, MPI_INT, left, 0, 1, MPI_INT, second));
        OK(MPI_Win_complete(first));
        OK(MPI_Win_complete(second));
        OK(MPI_Win_wait(second));
        OK(MPI_Win_wait(first));
        CHECK_INT(*a, e * 10 + left);
        CHECK_INT(*b, e * 10 + right);
    }
    // Rank 0 accesses everyone's window once an epoch, in orders of its own: a pipeline of posts.
    int root = 0;
    MPI_Group zero = of(1, &root);
    for (int e = 0; e < 20; e++) {
        OK(MPI_Win_post(zero, 0, first));
        if (world_rank == 0)
            for (int i = 0; i < world_size; i++) {
                int r = e % 2 ? i : world_size - 1 - i;
                MPI_Group one = of(1, &r);
                OK(MPI_Win_start(one, 0, first));
                value = 1000 + e * 10 + r;
                OK(MPI_Put(&value, 1, MPI_INT, r, 0, 1, MPI_INT, first));
                OK(MPI_Win_complete(first));
                OK(MPI_Group_free(&one));
            }
        OK(MPI_Win_wait(first));
        CHECK_INT(*a, 1000 + e * 10 + world_rank);
    }
    OK(MPI_Group_free(&zero));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
    OK(MPI_Win_free(&first));
    OK(MPI_Win_free(&second));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    right = (world_rank + 1) % world_size;
    left = (world_rank + world_size - 1) % world_size;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    ring(0);
    ring(MPI_MODE_NOCHECK);
    ring(MPI_MODE_NOSTORE);
    one_target(0);
    one_target(1);
    one_origin(0);
    one_origin(1);
    all_and_none();
    not_yet();
    windows_across();
    OK(MPI_Group_free(&world));
    return finish("post_start");
}
