// ranks: 1 2 3 5
// timeout: 20
// Groups: sizes, ranks, set operations, inclusion and exclusion by list and range, translation, comparison, empty
// results, and handles freed in any order.
#include "check.h"

static void members(MPI_Group group, int count, const int *world_ranks, const char *what) {
    MPI_Group world;
    int size, ranks[16], found[16];
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_size(group, &size));
    CHECK_THAT(size == count, "%s: size %d, expected %d", what, size, count);
    for (int i = 0; i < count; i++) ranks[i] = i;
    if (size == count) {
        OK(MPI_Group_translate_ranks(group, count, ranks, world, found));
        for (int i = 0; i < count; i++)
            CHECK_THAT(found[i] == world_ranks[i], "%s: member %d is %d, expected %d", what, i, found[i], world_ranks[i]);
    }
    int mine, expected = MPI_UNDEFINED;
    OK(MPI_Group_rank(group, &mine));
    for (int i = 0; i < count; i++)
        if (world_ranks[i] == world_rank) expected = i;
    CHECK_INT(mine, expected);
    OK(MPI_Group_free(&world));
    CHECK(world == MPI_GROUP_NULL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, size, result, list[16], all[16], reversed[16];
    MPI_Group world, other, a, b, c;
    for (int i = 0; i < n; i++) all[i] = i, reversed[i] = n - 1 - i;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    members(world, n, all, "world");
    OK(MPI_Group_size(MPI_GROUP_EMPTY, &size));
    CHECK_INT(size, 0);
    OK(MPI_Group_rank(MPI_GROUP_EMPTY, &size));
    CHECK_INT(size, MPI_UNDEFINED);

    OK(MPI_Group_incl(world, n, reversed, &other));
    members(other, n, reversed, "incl reversed");
    OK(MPI_Group_compare(world, other, &result));
    CHECK_INT(result, n == 1 ? MPI_IDENT : MPI_SIMILAR);
    OK(MPI_Group_compare(world, world, &result));
    CHECK_INT(result, MPI_IDENT);
    OK(MPI_Group_incl(world, n, all, &a));
    OK(MPI_Group_compare(world, a, &result));
    CHECK_INT(result, MPI_IDENT);
    OK(MPI_Group_free(&a));
    OK(MPI_Group_incl(world, 0, list, &a));
    CHECK(a == MPI_GROUP_EMPTY);
    OK(MPI_Group_compare(world, a, &result));
    CHECK_INT(result, MPI_UNEQUAL);
    if (a != MPI_GROUP_EMPTY) OK(MPI_Group_free(&a));

    // Even and odd ranks by every way, then their set operations.
    int evens = 0, odds = 0, even[16], odd[16];
    for (int i = 0; i < n; i++) {
        if (i % 2) odd[odds++] = i;
        else even[evens++] = i;
    }
    OK(MPI_Group_incl(world, evens, even, &a));
    members(a, evens, even, "even");
    OK(MPI_Group_excl(world, evens, even, &b));
    members(b, odds, odd, "odd by exclusion");
    OK(MPI_Group_union(b, a, &c)); // the first group's members first
    memcpy(list, odd, sizeof list);
    for (int i = 0; i < evens; i++) list[odds + i] = even[i];
    members(c, n, list, "union");
    if (c != MPI_GROUP_EMPTY) OK(MPI_Group_free(&c));
    OK(MPI_Group_intersection(other, a, &c)); // in the order of the first
    for (int i = 0; i < evens; i++) list[i] = even[evens - 1 - i];
    members(c, evens, list, "intersection");
    OK(MPI_Group_free(&c));
    OK(MPI_Group_intersection(a, b, &c));
    members(c, 0, list, "empty intersection");
    if (c != MPI_GROUP_EMPTY) OK(MPI_Group_free(&c));
    OK(MPI_Group_difference(other, a, &c));
    for (int i = 0; i < odds; i++) list[i] = odd[odds - 1 - i];
    members(c, odds, list, "difference");
    if (c != MPI_GROUP_EMPTY) OK(MPI_Group_free(&c));
    OK(MPI_Group_difference(world, other, &c));
    members(c, 0, list, "empty difference");
    if (c != MPI_GROUP_EMPTY) OK(MPI_Group_free(&c));

    // Ranges, up and down, with strides.
    int range[2][3] = {{n - 1, 0, -2}, {0, 0, 1}};
    int used = 0;
    for (int i = n - 1; i >= 0; i -= 2) list[used++] = i;
    OK(MPI_Group_range_incl(world, 1, range, &c));
    members(c, used, list, "range_incl");
    OK(MPI_Group_free(&c));
    OK(MPI_Group_range_excl(world, 1, range, &c));
    used = 0;
    for (int i = 0; i < n; i++)
        if ((n - 1 - i) % 2) list[used++] = i;
    members(c, used, list, "range_excl");
    if (c != MPI_GROUP_EMPTY) OK(MPI_Group_free(&c));

    // Translation of ranks that are not there, and of MPI_PROC_NULL.
    int from[3] = {0, MPI_PROC_NULL, n - 1}, to[3];
    OK(MPI_Group_translate_ranks(world, 3, from, b, to));
    CHECK_INT(to[0], MPI_UNDEFINED);
    CHECK_INT(to[1], MPI_PROC_NULL);
    CHECK_INT(to[2], (n - 1) % 2 ? odds - 1 : MPI_UNDEFINED);
    OK(MPI_Group_translate_ranks(other, 1, from, world, to));
    CHECK_INT(to[0], n - 1);

    if (b != MPI_GROUP_EMPTY) OK(MPI_Group_free(&b));
    OK(MPI_Group_free(&a));
    OK(MPI_Group_free(&world));
    members(other, n, reversed, "after its source is free");
    OK(MPI_Group_free(&other));
    for (int i = 0; i < 5000; i++) {
        OK(MPI_Comm_group(MPI_COMM_WORLD, &a));
        OK(MPI_Group_excl(a, 1, all, &b));
        OK(MPI_Group_free(&a));
        if (b != MPI_GROUP_EMPTY) OK(MPI_Group_free(&b));
    }
    return finish("group");
}
