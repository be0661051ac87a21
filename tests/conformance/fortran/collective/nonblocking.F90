! The nonblocking collective operations, many at once.
#include "interface.h"
module nonblocking_program
  use check
#include "scope.h"
contains

  subroutine nonblocking
    integer, parameter :: many = 17
    A_REQUEST :: list(many)
    A_DATATYPE, BUFFER :: types(ranks)
    integer, BUFFER :: ones(ranks), places(ranks), bytes(ranks), me(ranks), all(ranks, many), mine(2, many)
    integer :: i
    ones = 1
    places = (/(i, i=0, ranks - 1)/)
    bytes = 4*places
    types = MPI_INTEGER
    me = rank
    all = -1
    mine = -1
    mine(1, 2) = 100
    all(:, 3) = 10 + places
    call MPI_Ibarrier(MPI_COMM_WORLD, list(1), ierror)
    call MPI_Ibcast(mine(1, 2), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, list(2), ierror)
    call MPI_Iscatter(all(1, 3), 1, MPI_INTEGER, mine(1, 3), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, list(3), ierror)
    call MPI_Iscatterv(places, ones, places, MPI_INTEGER, mine(1, 4), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, list(4), ierror)
    call MPI_Igather(me, 1, MPI_INTEGER, all(1, 5), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, list(5), ierror)
    call MPI_Igatherv(me, 1, MPI_INTEGER, all(1, 6), ones, places, MPI_INTEGER, 0, MPI_COMM_WORLD, list(6), ierror)
    call MPI_Iallgather(me, 1, MPI_INTEGER, all(1, 7), 1, MPI_INTEGER, MPI_COMM_WORLD, list(7), ierror)
    call MPI_Iallgatherv(me, 1, MPI_INTEGER, all(1, 8), ones, places, MPI_INTEGER, MPI_COMM_WORLD, list(8), ierror)
    call MPI_Ialltoall(me, 1, MPI_INTEGER, all(1, 9), 1, MPI_INTEGER, MPI_COMM_WORLD, list(9), ierror)
    call MPI_Ialltoallv(me, ones, places, MPI_INTEGER, all(1, 10), ones, places, MPI_INTEGER, MPI_COMM_WORLD, &
                        list(10), ierror)
    call MPI_Ialltoallw(me, ones, bytes, types, all(1, 11), ones, bytes, types, MPI_COMM_WORLD, list(11), ierror)
    call MPI_Ireduce(me, all(1, 12), ranks, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, list(12), ierror)
    call MPI_Iallreduce(me, all(1, 13), ranks, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, list(13), ierror)
    call MPI_Ireduce_scatter(places, mine(1, 14), ones, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(14), ierror)
    call MPI_Ireduce_scatter_block(places, mine(1, 15), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(15), ierror)
    call MPI_Iscan(me, all(1, 16), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(16), ierror)
    call MPI_Iexscan(me, all(1, 17), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(17), ierror)
    call MPI_Waitall(many, list, MPI_STATUSES_IGNORE, ierror)
    do i = 1, many
      CHECK(list(i) == MPI_REQUEST_NULL)
    end do
    CHECK_INT(mine(1, 2), 100)
    CHECK_INT(mine(1, 3), 10 + rank)
    CHECK_INT(mine(1, 4), rank)
    if (rank == 0) then
      CHECK_INT(all(:, 5), places)
      CHECK_INT(all(:, 6), places)
      CHECK_INT(all(:, 12), sum(places))
    else
      CHECK_INT(all(:, 5), -1)
      CHECK_INT(all(:, 12), -1)
    end if
    do i = 7, 11
      CHECK_INT(all(:, i), places)
    end do
    CHECK_INT(all(:, 13), ranks - 1)
    CHECK_INT(mine(1, 14), ranks*rank)
    CHECK_INT(mine(1, 15), ranks*rank)
    CHECK_INT(all(1, 16), rank*(rank + 1)/2)
    if (rank > 0) then
      CHECK_INT(all(1, 17), rank*(rank - 1)/2)
    end if
    CHECK_INT(mine(2, :), -1)
    call in_place(places)
  end subroutine

  subroutine in_place(places)
    integer, intent(in) :: places(ranks)
    integer, BUFFER :: sums(ranks), all(ranks)
    A_REQUEST :: list(2)
    integer :: place, i
    sums = rank
    all = -1
    all(rank + 1) = rank
    call MPI_Iallreduce(MPI_IN_PLACE, sums, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(1), ierror)
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, list(2), ierror)
    do i = 1, 2
      call MPI_Waitany(2, list, place, MPI_STATUS_IGNORE, ierror)
      CHECK_INT(ierror, MPI_SUCCESS)
    end do
    CHECK_INT(sums, sum(places))
    CHECK_INT(all, places)
  end subroutine

end module
