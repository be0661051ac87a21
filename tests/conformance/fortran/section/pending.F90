! Array sections as buffers of nonblocking and of persistent collective operations.
! interfaces: mpi_f08
! differs: MPICH 4.0 makes one element of a section, which collective operations cannot divide
#include "interface.h"
module pending_program
  use check
#include "scope.h"
contains

  subroutine pending
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call nonblocking
    call in_any_order
    call persistent
    call in_place
    call vectors
    call neighbours
  end subroutine

  subroutine nonblocking
    integer, BUFFER :: a(2, ranks), sums(2*ranks), one(7), two(7), all(ranks, 3), ones(ranks), places(ranks)
    integer :: i
    type(MPI_Request) :: list(9)
    ones = 1
    places = [(i, i=0, ranks - 1)]
    a = reshape([(100*rank + i, i=1, 2*ranks)], [2, ranks])
    sums = -1
    one = -1
    two = -1
    all = -1
    if (rank == 0) one = [(i, i=1, 7)]
    call MPI_Iallreduce(a(2, :), sums(2*ranks:1:-2), ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(1))
    call MPI_Ibcast(one(1::3), 3, MPI_INTEGER, 0, MPI_COMM_WORLD, list(2))
    call MPI_Ialltoall(a(1, :), 1, MPI_INTEGER, all(:, 1), 1, MPI_INTEGER, MPI_COMM_WORLD, list(3))
    call MPI_Iallgather(a(2, 1:1), 1, MPI_INTEGER, all(ranks:1:-1, 2), 1, MPI_INTEGER, MPI_COMM_WORLD, list(4))
    call MPI_Iallgatherv(a(1, ranks:ranks), 1, MPI_INTEGER, all(ranks:1:-1, 3), ones, places, MPI_INTEGER, &
                         MPI_COMM_WORLD, list(5))
    call MPI_Iscan(a(:, 1), two(1:3:2), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, list(6))
    call MPI_Ireduce_scatter_block(a(1, :), two(2:2), 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, list(7))
    call MPI_Iscatter(a(2, :), 1, MPI_INTEGER, two(7:7), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, list(8))
    call MPI_Ibarrier(MPI_COMM_WORLD, list(9))
    call MPI_Waitall(9, list, MPI_STATUSES_IGNORE)
    CHECK_INT(sums(2*ranks:1:-2), (/(2*i*ranks + 50*ranks*(ranks - 1), i=1, ranks)/))
    CHECK_INT(sums(1::2), -1)
    CHECK_INT(one(1::3), (/1, 4, 7/))
    if (rank /= 0) then
      CHECK_INT(one(2::3), -1)
    end if
    CHECK_INT(all(:, 1), 100*places + 2*rank + 1)
    CHECK_INT(all(ranks:1:-1, 2), 100*places + 2)
    CHECK_INT(all(ranks:1:-1, 3), 100*places + 2*ranks - 1)
    CHECK_INT(two(1:3), (/100*rank + 1, 100*(ranks - 1) + 2*rank + 1, 100*rank + 2/))
    CHECK_INT(two(4:), (/-1, -1, -1, 2*rank + 2/))
  end subroutine

  ! Each way of completion gives the buffer back.
  subroutine in_any_order
    integer, BUFFER :: a(3, 6), b(3, 6)
    integer :: i, place, many, places(6)
    logical :: done
    type(MPI_Request) :: list(6)
    type(MPI_Status) :: status
    a = reshape([(i, i=1, 18)], [3, 6]) + rank
    b = -1
    do i = 1, 6
      call MPI_Iallreduce(a(1::2, i), b(3:1:-2, i), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, list(i))
    end do
    call MPI_Wait(list(1), status)
    done = .false.
    do while (.not. done)
      call MPI_Test(list(2), done, status)
    end do
    call MPI_Waitany(3, list(1:3), place, status)
    CHECK_INT(place, 3)
    done = .false.
    do while (.not. done)
      call MPI_Testany(4, list, place, done, status)
    end do
    CHECK_INT(place, 4)
    many = 0
    call MPI_Waitsome(5, list, many, places, MPI_STATUSES_IGNORE)
    CHECK_INT(many, 1)
    CHECK_INT(places(1), 5)
    done = .false.
    do while (.not. done)
      call MPI_Testall(6, list, done, MPI_STATUSES_IGNORE)
    end do
    do i = 1, 6
      CHECK(list(i) == MPI_REQUEST_NULL)
      CHECK_INT(b(:, i), (/3*i + ranks - 1, -1, 3*i - 2 + ranks - 1/))
    end do
  end subroutine

  subroutine persistent
    integer, BUFFER :: a(2, 5), b(5, 2), all(2, 2*ranks)
    integer :: round, i
    type(MPI_Request) :: list(3)
    call MPI_Allreduce_init(a(1, :), b(5:1:-1, 2), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, list(1))
    call MPI_Allgather_init(a(2, 1::3), 2, MPI_INTEGER, all(1, :), 2, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, list(2))
    call MPI_Bcast_init(b(1::2, 1), 3, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, list(3))
    do round = 1, 3
      a = reshape([(100*round + rank + i, i=1, 10)], [2, 5])
      b = -1
      if (rank == 0) b(1::2, 1) = [7, 8, 9] + round
      all = -1
      if (round == 2) then
        do i = 1, 3
          call MPI_Start(list(i))
        end do
        do i = 1, 3
          call MPI_Wait(list(i), MPI_STATUS_IGNORE)
        end do
      else
        call MPI_Startall(3, list)
        call MPI_Waitall(3, list, MPI_STATUSES_IGNORE)
      end if
      CHECK_INT(b(5:1:-1, 2), (/(ranks*(100*round + i) + ranks*(ranks - 1)/2, i=1, 9, 2)/))
      CHECK_INT(b(1::2, 1), (/7, 8, 9/) + round)
      CHECK_INT(b(2::2, 1), -1)
      CHECK_INT(all(1, 1::2), (/(100*round + i + 2, i=0, ranks - 1)/))
      CHECK_INT(all(1, 2::2), (/(100*round + i + 8, i=0, ranks - 1)/))
      CHECK_INT(all(2, :), -1)
    end do
    do i = 1, 3
      call MPI_Request_free(list(i))
      CHECK(list(i) == MPI_REQUEST_NULL)
    end do
  end subroutine

  subroutine in_place
    integer, BUFFER :: a(6)
    integer :: round, i
    type(MPI_Request) :: request
    a = [(i, i=1, 6)] + rank
    call MPI_Iallreduce(MPI_IN_PLACE, a(2::2), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(a(2::2), (/2, 4, 6/) + ranks - 1)
    CHECK_INT(a(1::2), (/1, 3, 5/) + rank)
    call MPI_Allreduce_init(MPI_IN_PLACE, a(5:1:-2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 2
      a = round*[(i, i=1, 6)] + rank
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      CHECK_INT(a(1::2), round*ranks*(/1, 3, 5/) + ranks*(ranks - 1)/2)
      CHECK_INT(a(2::2), round*(/2, 4, 6/) + rank)
    end do
    call MPI_Request_free(request)
  end subroutine

  ! Counts and places for each rank, which are those of elements of the section.
  subroutine vectors
    integer, BUFFER :: a(2, ranks), b(3, ranks, 3), ones(ranks), places(ranks), turned(ranks), x(4)
    integer, BUFFER :: bytes(ranks), bytes_turned(ranks)
    type(MPI_Datatype), BUFFER :: types(ranks)
    type(MPI_Request) :: list(5)
    integer :: i
    ones = 1
    places = [(i, i=0, ranks - 1)]
    turned = ranks - 1 - places
    bytes = 4*places
    bytes_turned = 4*turned
    types = MPI_INTEGER
    a = reshape([(100*rank + i, i=1, 2*ranks)], [2, ranks])
    b = -1
    x = -1
    call MPI_Ialltoallv(a(1, :), ones, turned, MPI_INTEGER, b(2, :, 1), ones, places, MPI_INTEGER, MPI_COMM_WORLD, list(1))
    call MPI_Ialltoallw(a(2, :), ones, bytes_turned, types, b(1, :, 2), ones, bytes, types, MPI_COMM_WORLD, list(2))
    call MPI_Igatherv(a(2, 1:1), 1, MPI_INTEGER, b(3, :, 3), ones, turned, MPI_INTEGER, 0, MPI_COMM_WORLD, list(3))
    call MPI_Iscatterv(a(2, :), ones, turned, MPI_INTEGER, x(2:2), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, list(4))
    call MPI_Ireduce_scatter(a(1, ranks:1:-1), x(4:3:-3), ones, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, list(5))
    call MPI_Waitall(5, list, MPI_STATUSES_IGNORE)
    CHECK_INT(b(2, :, 1), 100*places + 2*turned(rank + 1) + 1)
    CHECK_INT(b(1, :, 2), 100*places + 2*turned(rank + 1) + 2)
    if (rank == 0) then
      CHECK_INT(b(3, ranks:1:-1, 3), 100*places + 2)
    end if
    CHECK_INT(count(b /= -1), merge(3, 2, rank == 0)*ranks)
    CHECK_INT(x, (/-1, 2*turned(rank + 1) + 2, -1, 2*turned(rank + 1) + 1/))
    b = -1
    call MPI_Alltoallw(a(2, :), ones, bytes_turned, types, b(1, :, 2), ones, bytes, types, MPI_COMM_WORLD)
    CHECK_INT(b(1, :, 2), 100*places + 2*turned(rank + 1) + 2)
    CHECK_INT(count(b /= -1), ranks)
  end subroutine

  subroutine neighbours
    type(MPI_Comm) :: ring
    type(MPI_Request) :: list(3)
    integer, BUFFER :: a(3), b(4), c(4), d(4), ones(2), places(2)
    integer :: last, next, round
    ones = 1
    places = [1, 0]
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    call MPI_Cart_shift(ring, 0, 1, last, next)
    call MPI_Neighbor_allgather_init(a(3:3), 1, MPI_INTEGER, d(2::2), 1, MPI_INTEGER, ring, MPI_INFO_NULL, list(3))
    do round = 1, 2
      a = [rank, 50, 100 + rank] + 1000*round
      b = -1
      c = -1
      d = -1
      call MPI_Ineighbor_allgather(a(1:1), 1, MPI_INTEGER, b(4:1:-3), 1, MPI_INTEGER, ring, list(1))
      call MPI_Ineighbor_allgatherv(a(3:3), 1, MPI_INTEGER, c(1::2), ones, places, MPI_INTEGER, ring, list(2))
      call MPI_Start(list(3))
      call MPI_Waitall(3, list, MPI_STATUSES_IGNORE)
      CHECK_INT(b, merge(-1, (/next, 0, 0, last/) + 1000*round, (/.false., .true., .true., .false./)))
      CHECK_INT(c(1::2), (/100 + next, 100 + last/) + 1000*round)
      CHECK_INT(c(2::2), -1)
      CHECK_INT(d(2::2), (/100 + last, 100 + next/) + 1000*round)
      CHECK_INT(d(1::2), -1)
    end do
    call MPI_Request_free(list(3))
    call MPI_Comm_free(ring)
  end subroutine

end module
