! Reductions that the program wrote, commutative or not, in every operation that takes them.
#include "interface.h"
module operations_program
  use check
#if defined(WITH_MPI_F08)
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
#endif
#include "scope.h"
contains

  subroutine operations
    AN_OP :: larger, joined
    A_REQUEST :: request
    integer, BUFFER :: x(2), y(2), wanted
    integer :: i, counts(ranks), all(2*ranks)
    logical :: commute
    call MPI_Op_create(absolutely_larger, .true., larger, ierror)
    call MPI_Op_create(join, .false., joined, ierror)
    call MPI_Op_commutative(larger, commute, ierror)
    CHECK(commute)
    call MPI_Op_commutative(joined, commute, ierror)
    CHECK(.not. commute)
    call MPI_Op_commutative(MPI_SUM, commute, ierror)
    CHECK(commute)
    x = (/rank, -rank - 5/)
    call MPI_Allreduce(x, y, 2, MPI_INTEGER, larger, MPI_COMM_WORLD, ierror)
    CHECK_INT(y, (/ranks - 1, -ranks - 4/))
    ! Digits in the order of ranks.
    x = (/rank + 1, 5/)
    wanted = 0
    do i = 1, ranks
      wanted = 10*wanted + i
    end do
    call MPI_Allreduce(x, y, 2, MPI_INTEGER, joined, MPI_COMM_WORLD, ierror)
    CHECK_INT(y, (/wanted, 555/10**(3 - ranks)/))
    y = -1
    call MPI_Reduce(x, y, 2, MPI_INTEGER, joined, ranks - 1, MPI_COMM_WORLD, ierror)
    if (rank == ranks - 1) then
      CHECK_INT(y(1), wanted)
    end if
    call MPI_Iallreduce(x, y, 2, MPI_INTEGER, joined, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y(1), wanted)
    call MPI_Scan(x, y, 1, MPI_INTEGER, joined, MPI_COMM_WORLD, ierror)
    CHECK_INT(y(1), 123/10**(2 - rank))
    call MPI_Exscan(x, y, 1, MPI_INTEGER, joined, MPI_COMM_WORLD, ierror)
    if (rank > 0) then
      CHECK_INT(y(1), 123/10**(3 - rank))
    end if
    counts = 2
    all = rank + 1
    call MPI_Reduce_scatter(all, y, counts, MPI_INTEGER, joined, MPI_COMM_WORLD, ierror)
    CHECK_INT(y, wanted)
    call MPI_Reduce_scatter_block(all, y, 2, MPI_INTEGER, joined, MPI_COMM_WORLD, ierror)
    CHECK_INT(y, wanted)
    x = (/1, 2/)
    y = (/3, 4/)
    call MPI_Reduce_local(x, y, 2, MPI_INTEGER, joined, ierror)
    CHECK_INT(y, (/13, 24/))
    call MPI_Op_free(larger, ierror)
    CHECK(larger == MPI_OP_NULL)
    call MPI_Op_free(joined, ierror)
    ! The same procedure many times over, made and freed: nothing runs out.
    do i = 1, 1000
      call MPI_Op_create(join, .false., joined, ierror)
      call MPI_Op_free(joined, ierror)
    end do
    call MPI_Op_create(join, .false., joined, ierror)
    call long_vectors(joined)
    call MPI_Op_free(joined, ierror)
  end subroutine

  ! Vectors that travel in parts.
  subroutine long_vectors(joined)
    AN_OP, intent(in) :: joined
    integer, parameter :: length = 50000
    integer, allocatable :: x(:), y(:)
    integer :: i, wanted
    allocate (x(length), y(length))
    x = rank + 1
    wanted = 0
    do i = 1, ranks
      wanted = 10*wanted + i
    end do
    call MPI_Allreduce(x, y, length, MPI_INTEGER, joined, MPI_COMM_WORLD, ierror)
    CHECK_INT(y, wanted)
  end subroutine

#if defined(WITH_MPI_F08)
  subroutine absolutely_larger(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    A_DATATYPE :: datatype
    integer, pointer :: x(:), y(:)
    call c_f_pointer(invec, x, [length])
    call c_f_pointer(inoutvec, y, [length])
    CHECK(datatype == MPI_INTEGER)
    where (abs(x) > abs(y)) y = x
  end subroutine

  subroutine join(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    A_DATATYPE :: datatype
    integer, pointer :: x(:), y(:)
    call c_f_pointer(invec, x, [length])
    call c_f_pointer(inoutvec, y, [length])
    CHECK(datatype == MPI_INTEGER)
    call join_digits(x, y)
  end subroutine
#else
  subroutine absolutely_larger(x, y, length, datatype)
    integer :: length, datatype
    integer :: x(length), y(length)
    CHECK(datatype == MPI_INTEGER)
    where (abs(x) > abs(y)) y = x
  end subroutine

  subroutine join(x, y, length, datatype)
    integer :: length, datatype
    integer :: x(length), y(length)
    CHECK(datatype == MPI_INTEGER)
    call join_digits(x, y)
  end subroutine
#endif

  ! The digits of y behind those of x.
  subroutine join_digits(x, y)
    integer, intent(in) :: x(:)
    integer, intent(inout) :: y(:)
    integer :: i, tens
    do i = 1, size(x)
      tens = 10
      do while (tens <= y(i))
        tens = 10*tens
      end do
      y(i) = x(i)*tens + y(i)
    end do
  end subroutine

end module
