! Graphs, of which each rank knows all edges or its own.
#include "interface.h"
module graphs_program
  use check
#include "scope.h"
contains

  subroutine graphs
    call whole
    call distributed
  end subroutine

  ! A star: rank 0 is everybody's neighbour.
  subroutine whole
    A_COMM :: star
    integer :: index(ranks), edges(2*ranks), found(ranks), ends(2*ranks), nodes, many, i, kind, mapped
    index = (/(ranks - 1 + i, i=0, ranks - 1)/)
    edges(:ranks - 1) = (/(i, i=1, ranks - 1)/)
    edges(ranks:) = 0
    call MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, .false., star, ierror)
    call MPI_Topo_test(star, kind, ierror)
    CHECK_INT(kind, MPI_GRAPH)
    call MPI_Graphdims_get(star, nodes, many, ierror)
    CHECK_INT((/nodes, many/), (/ranks, 2*ranks - 2/))
    ends = -1
    call MPI_Graph_get(star, ranks, many, found, ends, ierror)
    CHECK_INT(found, index)
    CHECK_INT(ends(:many), edges(:many))
    call MPI_Graph_neighbors_count(star, 0, many, ierror)
    CHECK_INT(many, ranks - 1)
    ends = -1
    call MPI_Graph_neighbors(star, 0, many, ends, ierror)
    CHECK_INT(ends(:many), (/(i, i=1, ranks - 1)/))
    call MPI_Graph_map(MPI_COMM_WORLD, ranks, index, edges, mapped, ierror)
    CHECK(mapped >= 0 .and. mapped < ranks)
    ! In a star rank 0 gathers from all, and the others get its value.
    ends = -1
    call MPI_Neighbor_allgather(10 + rank, 1, MPI_INTEGER, ends, 1, MPI_INTEGER, star, ierror)
    if (rank == 0) then
      CHECK_INT(ends(:ranks - 1), (/(10 + i, i=1, ranks - 1)/))
    else
      CHECK_INT(ends(1), 10)
    end if
    call MPI_Comm_free(star, ierror)
  end subroutine

  ! Everybody sends to rank 0 and to the next, with weights.
  subroutine distributed
    A_COMM :: graph
    integer :: here(1), degrees(1), destinations(2), weights(2), many_in, many_out, last, kind
    integer :: sources(ranks + 1), source_weights(ranks + 1), targets(2), target_weights(2), got(ranks + 1)
    logical :: weighted
    last = mod(rank + ranks - 1, ranks)
    here = rank
    degrees = 2
    destinations = (/0, mod(rank + 1, ranks)/)
    weights = (/100 + rank, 200 + rank/)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, here, degrees, destinations, weights, MPI_INFO_NULL, .false., &
                               graph, ierror)
    call MPI_Topo_test(graph, kind, ierror)
    CHECK_INT(kind, MPI_DIST_GRAPH)
    call MPI_Dist_graph_neighbors_count(graph, many_in, many_out, weighted, ierror)
    CHECK_INT(many_out, 2)
    CHECK_INT(many_in, merge(ranks + 1, 1, rank == 0))
    CHECK(weighted)
    call MPI_Dist_graph_neighbors(graph, many_in, sources, source_weights, many_out, targets, target_weights, ierror)
    CHECK_INT(sum(targets), sum(destinations))
    CHECK_INT(sum(target_weights), 300 + 2*rank)
    if (rank == 0) then
      CHECK_INT(sum(sources(:many_in)), ranks*(ranks - 1)/2 + last)
      CHECK_INT(sum(source_weights(:many_in)), 100*ranks + ranks*(ranks - 1)/2 + 200 + last)
    else
      CHECK_INT(sources(1), last)
      CHECK_INT(source_weights(1), 200 + last)
    end if
    got = -1
    call MPI_Neighbor_allgather(5*rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, graph, ierror)
    CHECK_INT(got(:many_in), 5*sources(:many_in))
    call MPI_Comm_free(graph, ierror)
    ! Without weights, and asked for the edges alone.
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, here, degrees, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                               .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, many_in, many_out, weighted, ierror)
    CHECK(.not. weighted)
    call MPI_Dist_graph_neighbors(graph, many_in, sources, MPI_UNWEIGHTED, many_out, targets, MPI_UNWEIGHTED, ierror)
    CHECK_INT(sum(targets), sum(destinations))
    call MPI_Comm_free(graph, ierror)
    ! No edges at all.
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 0, here, degrees, destinations, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, &
                               .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, many_in, many_out, weighted, ierror)
    CHECK_INT((/many_in, many_out/), 0)
    call MPI_Comm_free(graph, ierror)
  end subroutine

end module
