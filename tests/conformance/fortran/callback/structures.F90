! A reduction of derived types: the product of matrices, which is not commutative.
#include "interface.h"
module structures_program
  use check
#if defined(WITH_MPI_F08)
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
#endif
#include "scope.h"

  type matrix
    sequence
    integer :: a, b, c, d
  end type

  A_DATATYPE :: matrices

contains

  subroutine structures
    AN_OP :: multiply
    type(matrix) :: mine(3), result(3)
    integer :: i, j
    integer :: wanted(2, 2), factor(2, 2)
    call MPI_Type_contiguous(4, MPI_INTEGER, matrices, ierror)
    call MPI_Type_commit(matrices, ierror)
    call MPI_Op_create(product_of, .false., multiply, ierror)
    do i = 1, 3
      mine(i) = matrix(1 + rank, i, rank, 1)
    end do
    call MPI_Allreduce(mine, result, 3, matrices, multiply, MPI_COMM_WORLD, ierror)
    do i = 1, 3
      wanted = reshape((/1, 0, 0, 1/), (/2, 2/))
      do j = 0, ranks - 1
        factor = reshape((/1 + j, j, i, 1/), (/2, 2/))
        wanted = matmul(wanted, factor)
      end do
      CHECK_INT((/result(i)%a, result(i)%c, result(i)%b, result(i)%d/), reshape(wanted, (/4/)))
    end do
    call MPI_Scan(mine, result, 3, matrices, multiply, MPI_COMM_WORLD, ierror)
    wanted = reshape((/1, 0, 0, 1/), (/2, 2/))
    do j = 0, rank
      wanted = matmul(wanted, reshape((/1 + j, j, 2, 1/), (/2, 2/)))
    end do
    CHECK_INT((/result(2)%a, result(2)%c, result(2)%b, result(2)%d/), reshape(wanted, (/4/)))
    call MPI_Op_free(multiply, ierror)
    call MPI_Type_free(matrices, ierror)
  end subroutine

#if defined(WITH_MPI_F08)
  subroutine product_of(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    A_DATATYPE :: datatype
    type(matrix), pointer :: x(:), y(:)
    type(matrix) :: z
    integer :: i
    call c_f_pointer(invec, x, [length])
    call c_f_pointer(inoutvec, y, [length])
#else
  subroutine product_of(x, y, length, datatype)
    integer :: length, datatype
    type(matrix) :: x(length), y(length)
    type(matrix) :: z
    integer :: i
#endif
    CHECK(datatype == matrices)
    do i = 1, length
      z%a = x(i)%a*y(i)%a + x(i)%b*y(i)%c
      z%b = x(i)%a*y(i)%b + x(i)%b*y(i)%d
      z%c = x(i)%c*y(i)%a + x(i)%d*y(i)%c
      z%d = x(i)%c*y(i)%b + x(i)%d*y(i)%d
      y(i) = z
    end do
  end subroutine

end module
