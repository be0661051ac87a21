// ranks: 1 2 3
// timeout: 20
// Neighbourhood collectives whose received blocks share bytes, as on rings so short that both neighbours are one
// process: they give one of the values that came; a block that nothing comes into does not spoil what comes into
// another.
#include "check.h"

enum { ALLGATHERV, ALLTOALLV, ALLTOALLW, KINDS };

static void run(int kind, int form, const int *from, int *to, MPI_Comm ring) {
    static const int one[2] = {1, 1}, places[2] = {1, 1}, sent[2] = {0, 0};
    static const MPI_Aint byte_places[2] = {4, 4}, sent_bytes[2] = {0, 0};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Request request = MPI_REQUEST_NULL;
    switch (3 * kind + form) {
    case 0: OK(MPI_Neighbor_allgatherv(from, 1, MPI_INT, to, one, places, MPI_INT, ring)); break;
    case 1: OK(MPI_Ineighbor_allgatherv(from, 1, MPI_INT, to, one, places, MPI_INT, ring, &request)); break;
    case 2:
        OK(MPI_Neighbor_allgatherv_init(from, 1, MPI_INT, to, one, places, MPI_INT, ring, MPI_INFO_NULL, &request));
        break;
    case 3: OK(MPI_Neighbor_alltoallv(from, one, sent, MPI_INT, to, one, places, MPI_INT, ring)); break;
    case 4: OK(MPI_Ineighbor_alltoallv(from, one, sent, MPI_INT, to, one, places, MPI_INT, ring, &request)); break;
    case 5:
        OK(MPI_Neighbor_alltoallv_init(from, one, sent, MPI_INT, to, one, places, MPI_INT, ring, MPI_INFO_NULL,
                                       &request));
        break;
    case 6: OK(MPI_Neighbor_alltoallw(from, one, sent_bytes, types, to, one, byte_places, types, ring)); break;
    case 7:
        OK(MPI_Ineighbor_alltoallw(from, one, sent_bytes, types, to, one, byte_places, types, ring, &request));
        break;
    default:
        OK(MPI_Neighbor_alltoallw_init(from, one, sent_bytes, types, to, one, byte_places, types, ring, MPI_INFO_NULL,
                                       &request));
    }
    if (form == 0) return;
    if (form == 2) OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (form == 2) OK(MPI_Request_free(&request));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    for (int periodic = 0; periodic < 2; periodic++) {
        MPI_Comm ring;
        int below, above;
        OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &periodic, 0, &ring));
        OK(MPI_Cart_shift(ring, 0, 1, &below, &above));
        for (int kind = 0; kind < KINDS; kind++)
            for (int form = 0; form < 3; form++) {
                int from[1] = {world_rank + 10}, to[3] = {-1, -1, -1};
                run(kind, form, from, to, ring);
                CHECK(to[0] == -1 && to[2] == -1);
                int came = (below != MPI_PROC_NULL && to[1] == below + 10) ||
                           (above != MPI_PROC_NULL && to[1] == above + 10) ||
                           (below == MPI_PROC_NULL && above == MPI_PROC_NULL && to[1] == -1);
                CHECK_THAT(came, "kind %d, form %d, periodic %d: %d", kind, form, periodic, to[1]);
            }
        OK(MPI_Comm_free(&ring));
    }
    return finish("overlapping_neighbor");
}
