! Array sections as buffers of blocking collective operations.
! interfaces: mpi_f08
! differs: MPICH 4.0 makes one element of a section, which collective operations cannot divide
#include "interface.h"
module gathered_program
  use check
#include "scope.h"
contains

  subroutine gathered
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call moving
    call varying
    call combining
    call in_place
    call neighbours
  end subroutine

  subroutine moving
    integer :: a(8), b(2, 2*ranks), c(4*ranks), i, root
    root = ranks - 1
    a = -1
    if (rank == root) a = [(i, i=1, 8)]
    call MPI_Bcast(a(8:1:-3), 3, MPI_INTEGER, root, MPI_COMM_WORLD)
    CHECK_INT(a(2:8:3), (/2, 5, 8/))
    if (rank /= root) then
      CHECK_INT(count(a == -1), 5)
    end if
    a = [(10*rank + i, i=1, 8)]
    b = -1
    call MPI_Allgather(a(3::4), 2, MPI_INTEGER, b(2, :), 2, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b(2, 1::2), (/(10*i + 3, i=0, ranks - 1)/))
    CHECK_INT(b(2, 2::2), (/(10*i + 7, i=0, ranks - 1)/))
    CHECK_INT(b(1, :), -1)
    b = -1
    call MPI_Gather(a(7:3:-4), 2, MPI_INTEGER, b(1, :), 2, MPI_INTEGER, root, MPI_COMM_WORLD)
    if (rank == root) then
      CHECK_INT(b(1, 1::2), (/(10*i + 7, i=0, ranks - 1)/))
      CHECK_INT(b(1, 2::2), (/(10*i + 3, i=0, ranks - 1)/))
      CHECK_INT(b(2, :), -1)
    else
      CHECK_INT(b(1, :), -1)
    end if
    c = [(i, i=1, 4*ranks)]
    a = -1
    call MPI_Scatter(c(2::2), 2, MPI_INTEGER, a(1::5), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
    CHECK_INT(a, (/4*rank + 2, -1, -1, -1, -1, 4*rank + 4, -1, -1/))
    c = [(100*rank + i, i=1, 4*ranks)]
    b = -1
    call MPI_Alltoall(c(4*ranks:1:-2), 2, MPI_INTEGER, b(1, :), 2, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b(1, 1::2), (/(100*i + 4*(ranks - rank), i=0, ranks - 1)/))
    CHECK_INT(b(1, 2::2), (/(100*i + 4*(ranks - rank) - 2, i=0, ranks - 1)/))
    CHECK_INT(b(2, :), -1)
  end subroutine

  subroutine varying
    integer :: a(2*ranks), b(3, ranks + 2), ones(ranks), places(ranks), turned(ranks), i
    type(MPI_Datatype) :: types(ranks)
    a = [(100*rank + i, i=1, 2*ranks)]
    ones = 1
    places = [(i, i=0, ranks - 1)]
    turned = ranks - 1 - places
    types = MPI_INTEGER
    b = -1
    call MPI_Allgatherv(a(2::2), 1, MPI_INTEGER, b(2, 2:), ones, turned, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b(2, ranks + 1:2:-1), 100*places + 2)
    CHECK_INT(count(b == -1), 3*(ranks + 2) - ranks)
    b = -1
    call MPI_Gatherv(a(2::2), 1, MPI_INTEGER, b(1, 2:), ones, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      CHECK_INT(b(1, 2:ranks + 1), 100*places + 2)
    end if
    b = -1
    call MPI_Scatterv(a(1::2), ones, turned, MPI_INTEGER, b(3, 2:), 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    CHECK_INT(b(3, 2), 2*turned(rank + 1) + 1)
    CHECK_INT(count(b == -1), 3*(ranks + 2) - 1)
    b = -1
    call MPI_Alltoallv(a(1::2), ones, turned, MPI_INTEGER, b(1, :), ones, places, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b(1, :ranks), 100*places + 2*turned(rank + 1) + 1)
    CHECK_INT(count(b == -1), 3*(ranks + 2) - ranks)
  end subroutine

  subroutine combining
    real(8) :: x(3, 4), y(4, 3), wanted(4)
    integer :: i, a(2*ranks), b(4), counts(ranks)
    x = reshape([(i + 0d0, i=1, 12)], [3, 4]) + 100*rank
    wanted = ranks*[2, 5, 8, 11] + 50*ranks*(ranks - 1)
    y = -1
    call MPI_Allreduce(x(2, :), y(4:1:-1, 2), 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    CHECK_REAL(y(4:1:-1, 2), wanted)
    CHECK_REAL(y(:, 1), -1)
    CHECK_REAL(y(:, 3), -1)
    y = -1
    call MPI_Reduce(x(2, :), y(1::2, 1:3:2), 4, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      CHECK_REAL((/y(1, 1), y(3, 1), y(1, 3), y(3, 3)/), wanted)
      CHECK_REAL(y(2, :), -1)
    end if
    y = -1
    call MPI_Scan(x(3, 1:3:2), y(2, 1:3:2), 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    CHECK_REAL(y(2, 1::2), (/3, 9/) + 100*rank)
    CHECK_REAL(y(2, 2), -1)
    call MPI_Exscan(x(3, 1:3:2), y(2, 1:3:2), 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank > 0) then
      CHECK_REAL(y(2, 1::2), (/3, 9/) + 100*(rank - 1))
    end if
    a = [(rank + i, i=1, 2*ranks)]
    b = -1
    counts = 1
    call MPI_Reduce_scatter(a(2::2), b(3:3), counts, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    CHECK_INT(b, (/-1, -1, 2*rank + 2, -1/))
    b = -1
    call MPI_Reduce_scatter_block(a(2*ranks:1:-1), b(4:1:-3), 2, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    CHECK_INT(b, (/2*(ranks - rank) - 1, -1, -1, 2*(ranks - rank)/))
    b = [1, 2, 3, 4]
    call MPI_Reduce_local(a(1::ranks), b(2::2), 2, MPI_INTEGER, MPI_SUM)
    CHECK_INT(b, (/1, 3 + rank, 3, 5 + rank + ranks/))
  end subroutine

  subroutine in_place
    integer :: a(2*ranks), b(8), i
    b = [(i, i=1, 8)] + rank
    call MPI_Allreduce(MPI_IN_PLACE, b(7:1:-3), 3, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    CHECK_INT(b(1::3), (/1, 4, 7/))
    CHECK_INT(b(2::3), (/2, 5, 8/) + rank)
    a = -1
    a(2*rank + 1) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a(1::2), 1, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(a(1::2), (/(i, i=0, ranks - 1)/))
    CHECK_INT(a(2::2), -1)
    a = [(100*rank + i, i=1, 2*ranks)]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a(2*ranks:1:-2), 1, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(a(2*ranks:1:-2), (/(100*i + 2*(ranks - rank), i=0, ranks - 1)/))
    CHECK_INT(a(1::2), (/(100*rank + i, i=1, 2*ranks, 2)/))
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, b(2::3), 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
      CHECK_INT(b(2::3), ranks*(/2, 5, 8/) + ranks*(ranks - 1)/2)
    else
      call MPI_Reduce(b(2::3), b, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    end if
  end subroutine

  subroutine neighbours
    type(MPI_Comm) :: ring
    integer :: a(3), b(5), last, next
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    call MPI_Cart_shift(ring, 0, 1, last, next)
    a = [rank, 50, 100 + rank]
    b = -1
    call MPI_Neighbor_allgather(a(1:1), 1, MPI_INTEGER, b(5:1:-4), 1, MPI_INTEGER, ring)
    CHECK_INT(b, (/next, -1, -1, -1, last/))
    b = -1
    call MPI_Neighbor_allgather(a(3:1:-2), 2, MPI_INTEGER, b(::1), 2, MPI_INTEGER, ring)
    CHECK_INT(b, (/100 + last, last, 100 + next, next, -1/))
    b = -1
    call MPI_Neighbor_alltoall(a(1::2), 1, MPI_INTEGER, b(2::2), 1, MPI_INTEGER, ring)
    if (ranks > 2) then
      CHECK_INT(b, (/-1, 100 + last, -1, next, -1/))
    else
      CHECK_INT(b(2) + b(4), 100 + 2*last)
      CHECK_INT(b(1::2), -1)
    end if
    call MPI_Comm_free(ring)
  end subroutine

end module
