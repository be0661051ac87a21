! Dummy arguments of every kind as buffers: assumed size, assumed shape, pointers, allocatables, contiguous ones.
! differs: MPICH 4.0 makes one element of a section, which no operation takes
#include "interface.h"
module arguments_program
  use check
#include "scope.h"
contains

  subroutine arguments
    integer, target :: a(6, 4)
    integer, allocatable :: b(:), c(:, :)
    integer, pointer :: p(:), all(:, :)
    integer :: i
    a = reshape((/(100*rank + i, i=1, 24)/), (/6, 4/))
    call assumed_size(a, 24)
    call assumed_size(a(1, 2), 12)
    call explicit_shape(a(:, 3), 6)
    call assumed_shape(a(:, 2:3))
    call contiguous_shape(a(1:6:2, 1:4:3))
    allocate (b(0:4), c(-1:1, 2:3))
    b = (/(rank + i, i=0, 4)/)
    c = rank
    call MPI_Allreduce(MPI_IN_PLACE, b, 5, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK_INT(b, (/(ranks - 1 + i, i=0, 4)/))
    call MPI_Bcast(c, 6, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierror)
    CHECK_INT(reshape(c, (/6/)), ranks - 1)
    call allocatable_argument(b)
    p => a(:, 4)
    call exchange(p, 6, 19)
    all => a
    call MPI_Bcast(all, 24, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    CHECK_INT(a(:, 1), (/(i, i=1, 6)/))
    allocate (p(3))
    p = 5 + rank
    call MPI_Bcast(p, 3, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierror)
    CHECK_INT(p, 4 + ranks)
    deallocate (p)
    p => a(1::5, 2)
    call strided_pointer(p)
  end subroutine

  ! Sends `length` elements that begin with first + 100*rank around the ring.
  subroutine exchange(x, length, first)
    integer, intent(in) :: length, first
    integer, intent(in) :: x(*)
    integer :: y(length), last, i
    last = mod(rank + ranks - 1, ranks)
    call MPI_Sendrecv(x, length, MPI_INTEGER, mod(rank + 1, ranks), 1, y, length, MPI_INTEGER, last, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y, (/(100*last + first + i, i=0, length - 1)/))
  end subroutine

  subroutine assumed_size(x, length)
    integer, intent(in) :: length
    integer, intent(in) :: x(6, *)
    call exchange(x, length, x(1, 1) - 100*rank)
  end subroutine

  subroutine explicit_shape(x, length)
    integer, intent(in) :: length
    integer, intent(inout) :: x(length)
    integer :: y(length), last, i
    last = mod(rank + ranks - 1, ranks)
    call MPI_Sendrecv(x, length, MPI_INTEGER, mod(rank + 1, ranks), 2, y, length, MPI_INTEGER, last, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y, (/(100*last + 12 + i, i=1, length)/))
  end subroutine

  subroutine assumed_shape(x)
    integer, intent(inout) :: x(:, :)
    integer :: y(6, 2), last, i
    last = mod(rank + ranks - 1, ranks)
    call MPI_Sendrecv(x, 12, MPI_INTEGER, mod(rank + 1, ranks), 3, y, 12, MPI_INTEGER, last, 3, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y(:, 1), (/(100*last + 6 + i, i=1, 6)/))
    CHECK_INT(y(:, 2), (/(100*last + 12 + i, i=1, 6)/))
#if defined(WITH_MPI_F08)
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    y = -1
    call MPI_Sendrecv(x(5:1:-2, 2), 3, MPI_INTEGER, mod(rank + 1, ranks), 4, y(2::2, 1), 3, MPI_INTEGER, last, 4, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y(:, 1), (/-1, 17 + 100*last, -1, 15 + 100*last, -1, 13 + 100*last/))
#endif
  end subroutine

  ! The compiler copies a section in, and out again.
  subroutine contiguous_shape(x)
    integer, contiguous, intent(inout) :: x(:, :)
    CHECK_INT(size(x), 6)
    call MPI_Allreduce(MPI_IN_PLACE, x, 6, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierror)
    CHECK_INT(x(:, 1), (/1, 3, 5/))
    CHECK_INT(x(:, 2), (/19, 21, 23/))
    x = x + 100*rank
  end subroutine

  subroutine allocatable_argument(x)
    integer, allocatable, intent(inout) :: x(:)
    deallocate (x)
    allocate (x(2*ranks))
    x = -1
    call MPI_Allgather((/rank, 10*rank/), 2, MPI_INTEGER, x, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(x(2*ranks - 1:), (/ranks - 1, 10*(ranks - 1)/))
    CHECK_INT(x(1:2), 0)
  end subroutine

  subroutine strided_pointer(p)
    integer, pointer, intent(in) :: p(:)
#if !defined(WITH_MPI_F08)
    integer :: whole(2)
#endif
    p = rank
#if defined(WITH_MPI_F08)
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call MPI_Allreduce(MPI_IN_PLACE, p, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
#else
    whole = p
    call MPI_Allreduce(MPI_IN_PLACE, whole, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    p = whole
#endif
    CHECK_INT(p, ranks*(ranks - 1)/2)
  end subroutine

end module
