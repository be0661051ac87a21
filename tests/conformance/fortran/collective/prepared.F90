! The persistent collective operations, each started three times with other data.
! differs: MPICH 4.0 gathers the first time only
#include "interface.h"
module prepared_program
  use check
#include "scope.h"
contains

  subroutine prepared
    integer, parameter :: many = 17
    A_REQUEST :: list(many)
    A_DATATYPE, BUFFER :: types(ranks)
    integer, BUFFER :: ones(ranks), places(ranks), bytes(ranks), me(ranks), all(ranks, many), mine(2, many)
    integer :: i, round, shift
    ones = 1
    places = (/(i, i=0, ranks - 1)/)
    bytes = 4*places
    types = MPI_INTEGER
    call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, list(1), ierror)
    call MPI_Bcast_init(mine(1, 2), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, list(2), ierror)
    call MPI_Scatter_init(all(1, 3), 1, MPI_INTEGER, mine(1, 3), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
                          list(3), ierror)
    call MPI_Scatterv_init(all(1, 3), ones, places, MPI_INTEGER, mine(1, 4), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                           MPI_INFO_NULL, list(4), ierror)
    call MPI_Gather_init(me, 1, MPI_INTEGER, all(1, 5), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, list(5), ierror)
    call MPI_Gatherv_init(me, 1, MPI_INTEGER, all(1, 6), ones, places, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
                          list(6), ierror)
    call MPI_Allgather_init(me, 1, MPI_INTEGER, all(1, 7), 1, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, list(7), ierror)
    call MPI_Allgatherv_init(me, 1, MPI_INTEGER, all(1, 8), ones, places, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
                             list(8), ierror)
    call MPI_Alltoall_init(me, 1, MPI_INTEGER, all(1, 9), 1, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, list(9), ierror)
    call MPI_Alltoallv_init(me, ones, places, MPI_INTEGER, all(1, 10), ones, places, MPI_INTEGER, MPI_COMM_WORLD, &
                            MPI_INFO_NULL, list(10), ierror)
    call MPI_Alltoallw_init(me, ones, bytes, types, all(1, 11), ones, bytes, types, MPI_COMM_WORLD, MPI_INFO_NULL, &
                            list(11), ierror)
    call MPI_Reduce_init(me, all(1, 12), ranks, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, list(12), ierror)
    call MPI_Allreduce_init(me, all(1, 13), ranks, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, list(13), ierror)
    call MPI_Reduce_scatter_init(me, mine(1, 14), ones, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                 list(14), ierror)
    call MPI_Reduce_scatter_block_init(me, mine(1, 15), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                       list(15), ierror)
    call MPI_Scan_init(me, all(1, 16), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, list(16), ierror)
    call MPI_Exscan_init(me, all(1, 17), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, list(17), ierror)
    do round = 1, 3
      shift = 1000*round
      me = shift + rank
      all = -1
      mine = -1
      if (rank == 0) mine(1, 2) = shift
      all(:, 3) = shift + places
      call MPI_Startall(many, list, ierror)
      call MPI_Waitall(many, list, MPI_STATUSES_IGNORE, ierror)
      CHECK_INT(mine(1, 2), shift)
      CHECK_INT(mine(1, 3:4), shift + rank)
      if (rank == 0) then
        CHECK_INT(all(:, 5), shift + places)
        CHECK_INT(all(:, 6), shift + places)
        CHECK_INT(all(:, 12), ranks*shift + sum(places))
      end if
      do i = 7, 11
        CHECK_INT(all(:, i), shift + places)
      end do
      CHECK_INT(all(:, 13), shift + ranks - 1)
      CHECK_INT(mine(1, 14:15), ranks*shift + sum(places))
      CHECK_INT(all(1, 16), (rank + 1)*shift + rank*(rank + 1)/2)
      if (rank > 0) then
        CHECK_INT(all(1, 17), rank*shift + rank*(rank - 1)/2)
      end if
    end do
    do i = 1, many
      CHECK(list(i) /= MPI_REQUEST_NULL)
      call MPI_Request_free(list(i), ierror)
      CHECK(list(i) == MPI_REQUEST_NULL)
    end do
  end subroutine

end module
