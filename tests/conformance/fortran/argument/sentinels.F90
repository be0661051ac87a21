! Variables whose address is their meaning, also where another file or a module hands them on.
! with: elsewhere.f
#include "interface.h"
module sentinels_program
  use check
#include "scope.h"
contains

  subroutine sentinels
    integer :: all(ranks), i
    integer, BUFFER :: x
    A_REQUEST :: requests(2)
    A_STATUS :: status
    ! MPI_IN_PLACE as an argument of a procedure of this module.
    all = 1
    call reduce(MPI_IN_PLACE, all)
    CHECK_INT(all, ranks)
    do i = 1, 2
      call MPI_Isend(rank, 0, MPI_INTEGER, rank, i, MPI_COMM_WORLD, requests(i), ierror)
    end do
    call MPI_Recv(x, 0, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Recv(x, 0, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(TAG_OF(status), 2)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    call none_of_a_status
    call from_elsewhere
    call weights
  end subroutine

  subroutine reduce(from, into)
    integer, intent(in) :: from
    integer, intent(inout) :: into(ranks)
    call MPI_Allreduce(from, into, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  end subroutine

  ! A status that is ignored is not written to.
  subroutine none_of_a_status
    A_REQUEST :: request, list(1)
    logical :: flag
    integer :: place, many, places(1)
    request = MPI_REQUEST_NULL
    list = MPI_REQUEST_NULL
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierror)
    call MPI_Testany(1, list, place, flag, MPI_STATUS_IGNORE, ierror)
    call MPI_Waitsome(1, list, many, places, MPI_STATUSES_IGNORE, ierror)
    call MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    CHECK(flag)
    CHECK_INT(ierror, MPI_SUCCESS)
#if !defined(WITH_MPI_F08)
    CHECK_INT(MPI_STATUS_IGNORE, MPI_STATUS_IGNORE(1))
#endif
  end subroutine

  ! A file in the fixed form, which has mpif.h's constants only, hands them to others and uses them itself.
  subroutine from_elsewhere
    integer :: x(3)
    external :: place_in, read_weights
    integer :: got
    x = (/1, 2, 3/) + rank
    call place_in(x, 3)
    CHECK_INT(x, ranks*(/1, 2, 3/) + ranks*(ranks - 1)/2)
    call read_weights(rank, ranks, got)
    CHECK_INT(got, 1)
  end subroutine

  subroutine weights
    A_COMM :: graph
    integer :: here(1), there(1), in(1), out(1), many_in, many_out
    logical :: weighted
    here = mod(rank + ranks - 1, ranks)
    there = mod(rank + 1, ranks)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, here, MPI_UNWEIGHTED, 1, there, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, many_in, many_out, weighted, ierror)
    CHECK_INT(many_in, 1)
    CHECK_INT(many_out, 1)
    CHECK(.not. weighted)
    call MPI_Dist_graph_neighbors(graph, 1, in, MPI_UNWEIGHTED, 1, out, MPI_UNWEIGHTED, ierror)
    CHECK_INT(in, here)
    CHECK_INT(out, there)
    call MPI_Comm_free(graph, ierror)
    ! Edges to rank 0 only: some have no weights to give.
    if (rank == 0) then
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (/0/), (/7/), 1, (/0/), (/7/), MPI_INFO_NULL, .false., &
                                          graph, ierror)
    else
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, here, MPI_WEIGHTS_EMPTY, 0, there, MPI_WEIGHTS_EMPTY, &
                                          MPI_INFO_NULL, .false., graph, ierror)
    end if
    call MPI_Dist_graph_neighbors_count(graph, many_in, many_out, weighted, ierror)
    CHECK_INT(many_in, merge(1, 0, rank == 0))
    CHECK(weighted)
    call MPI_Comm_free(graph, ierror)
  end subroutine

end module
