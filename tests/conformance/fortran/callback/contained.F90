! A procedure inside another has an address for each of its callers; operations that are freed make room.
! interfaces: mpi_f08
! ranks: 1 2
#include "interface.h"
module contained_program
  use check
#include "scope.h"
  integer :: failed
contains

  subroutine contained
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    failed = 0
    call deeper(300)
    CHECK_INT(failed, 0)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine

  recursive subroutine deeper(left)
    integer, intent(in) :: left
    integer :: one, sum, code
    type(MPI_Op) :: op
    call MPI_Op_create(add_weighted, .true., op, code)
    one = 1
    sum = 0
    if (code == MPI_SUCCESS) then
      call MPI_Allreduce(one, sum, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
      call MPI_Op_free(op)
    end if
    if (sum /= 1 + left*(ranks - 1)) failed = failed + 1
    if (left > 1) call deeper(left - 1)
  contains
    subroutine add_weighted(invec, inoutvec, length, datatype)
      use, intrinsic :: iso_c_binding
      type(c_ptr), value :: invec, inoutvec
      integer :: length
      type(MPI_Datatype) :: datatype
      integer, pointer :: a(:), b(:)
      call c_f_pointer(invec, a, [length])
      call c_f_pointer(inoutvec, b, [length])
      if (datatype == MPI_INTEGER) b = b + a*left
    end subroutine
  end subroutine

end module
