// ranks: 2 3 4 5
// timeout: 20
// Inter-communicators: created from halves of different size, local and remote enquiries, messages addressed by
// remote rank, dup, split, create, compare, merge in both orders, and one made from a merged one.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int n = world_size, me = world_rank, high = me > 0 && me >= n / 3, mine, theirs, rank, flag, result;
    // Low: 0 .. low-1; high: the rest. Local ranks of the high half are reversed.
    int low = n / 3 > 0 ? n / 3 : 1;
    MPI_Comm local, inter, merged, copy;
    MPI_Group group, remote;
    OK(MPI_Comm_split(MPI_COMM_WORLD, high, high ? -me : me, &local));
    // Leaders: the last of each side.
    int local_leader = (high ? n - low : low) - 1, remote_leader = high ? low - 1 : low;
    OK(MPI_Intercomm_create(local, local_leader, MPI_COMM_WORLD, remote_leader, 33, &inter));
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK_INT(flag, 1);
    OK(MPI_Comm_test_inter(local, &flag));
    CHECK_INT(flag, 0);
    OK(MPI_Comm_size(inter, &mine));
    OK(MPI_Comm_remote_size(inter, &theirs));
    OK(MPI_Comm_rank(inter, &rank));
    CHECK_INT(mine, high ? n - low : low);
    CHECK_INT(theirs, high ? low : n - low);
    CHECK_INT(rank, high ? n - 1 - me : me);
    OK(MPI_Comm_group(inter, &group));
    OK(MPI_Comm_remote_group(inter, &remote));
    int size;
    OK(MPI_Group_size(group, &size));
    CHECK_INT(size, mine);
    OK(MPI_Group_size(remote, &size));
    CHECK_INT(size, theirs);
    // Everyone exchanges with every remote rank.
    for (int r = 0; r < theirs; r++) {
        int out = me, in = -1;
        MPI_Status status;
        OK(MPI_Sendrecv(&out, 1, MPI_INT, r, 1, &in, 1, MPI_INT, r, 1, inter, &status));
        CHECK_INT(in, high ? r : n - 1 - r);
        CHECK_INT(status.MPI_SOURCE, r);
    }
    for (int way = 0; way < 2; way++) { // from any remote rank
        for (int r = 0; r < theirs; r++) {
            MPI_Request request;
            OK(MPI_Isend(&me, 1, MPI_INT, r, 2 + way, inter, &request));
            OK(MPI_Request_free(&request));
        }
        int sum = 0;
        for (int r = 0; r < theirs; r++) {
            int in;
            MPI_Status status;
            OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2 + way, inter, &status));
            CHECK_INT(in, high ? status.MPI_SOURCE : n - 1 - status.MPI_SOURCE);
            sum += status.MPI_SOURCE;
        }
        CHECK_INT(sum, theirs * (theirs - 1) / 2);
    }
    OK(MPI_Comm_compare(inter, local, &result));
    CHECK_INT(result, MPI_UNEQUAL);
    OK(MPI_Comm_compare(inter, inter, &result));
    CHECK_INT(result, MPI_IDENT);
    OK(MPI_Comm_dup(inter, &copy));
    OK(MPI_Comm_compare(inter, copy, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    OK(MPI_Comm_test_inter(copy, &flag));
    CHECK_INT(flag, 1);
    int sum = 0, one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy));
    CHECK_INT(sum, theirs);
    OK(MPI_Comm_free(&copy));

    for (int swap = 0; swap < 2; swap++) { // merged with one side or the other first
        OK(MPI_Intercomm_merge(inter, high != swap, &merged));
        OK(MPI_Comm_size(merged, &size));
        CHECK_INT(size, n);
        int at;
        OK(MPI_Comm_rank(merged, &at));
        CHECK_INT(at, high != swap ? theirs + rank : rank);
        sum = 0;
        OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, merged));
        CHECK_INT(sum, n * (n - 1) / 2);
        OK(MPI_Comm_free(&merged));
    }
    // Both say the same: some order, the halves kept together.
    OK(MPI_Intercomm_merge(inter, 1, &merged));
    OK(MPI_Comm_size(merged, &size));
    CHECK_INT(size, n);
    OK(MPI_Barrier(merged));
    OK(MPI_Comm_free(&merged));

    // Split by parity of the rank in each half: an inter-communicator where both halves have the colour.
    OK(MPI_Comm_split(inter, rank % 2, rank, &copy));
    int need = rank % 2 ? theirs / 2 : (theirs + 1) / 2;
    if (need == 0) {
        CHECK(copy == MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_test_inter(copy, &flag));
        CHECK_INT(flag, 1);
        OK(MPI_Comm_remote_size(copy, &size));
        CHECK_INT(size, need);
        OK(MPI_Comm_free(&copy));
    }
    // Create from a subgroup of each half: its first rank.
    int first = 0;
    MPI_Group leaders;
    OK(MPI_Group_incl(group, 1, &first, &leaders));
    OK(MPI_Comm_create(inter, leaders, &copy));
    if (rank == 0) {
        OK(MPI_Comm_remote_size(copy, &size));
        CHECK_INT(size, 1);
        int out = me, in = -1;
        OK(MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, copy, MPI_STATUS_IGNORE));
        CHECK_INT(in, high ? 0 : n - 1);
        OK(MPI_Comm_free(&copy));
    } else {
        CHECK(copy == MPI_COMM_NULL);
    }
    OK(MPI_Group_free(&leaders));
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&remote));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&local));
    return finish("intercommunicator");
}
