! Datatypes, operations and error handlers made in one language and used in the other.
! with: other_side.c
#include "interface.h"
module shared_types_program
#if defined(WITH_MPI_F08)
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
#endif
  use check
#include "scope.h"

  integer :: errors = 0
  external :: c_makes_type, c_sends, c_makes_operation, c_reduces, c_errs

contains

  subroutine shared_types
    call datatypes
    call operations
    call handlers
  end subroutine

  subroutine datatypes
    A_DATATYPE :: of_c, of_fortran
    A_REQUEST :: request
    integer, target :: a(6), b(4)   ! not ASYNCHRONOUS: the procedures of C have no interface
    integer :: i, bytes
    a = (/(i, i=1, 6)/)
    call c_makes_type(HANDLE_VALUE(of_c))
    call MPI_Type_size(of_c, bytes, ierror)
    CHECK_INT(bytes, 8)
    call MPI_Sendrecv(a, 1, of_c, rank, 1, b, 2, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b(:2), (/1, 4/))
    call MPI_Type_free(of_c, ierror)
    call MPI_Type_vector(2, 2, 4, MPI_INTEGER, of_fortran, ierror)
    call MPI_Type_commit(of_fortran, ierror)
    b = -1
    call MPI_Irecv(b, 4, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, request, ierror)
    call c_sends(a, HANDLE_VALUE(of_fortran), rank, 2)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b, (/1, 2, 5, 6/))
    call MPI_Type_free(of_fortran, ierror)
  end subroutine

  subroutine operations
    AN_OP :: of_c, of_fortran
    integer :: x(3), y(3), wrong
    call c_makes_operation(HANDLE_VALUE(of_c))
    x = rank + 1
    call MPI_Allreduce(x, y, 3, MPI_INTEGER, of_c, MPI_COMM_WORLD, ierror)
    CHECK_INT(y, 1)
    call MPI_Op_free(of_c, ierror)
    call MPI_Op_create(digits, .false., of_fortran, ierror)
    x = (/1, 2, 3/)
    y = (/4, 5, 6/)
    call c_reduces(x, y, 3, HANDLE_VALUE(of_fortran), wrong)
    CHECK_INT(wrong, 0)
    CHECK_INT(y, (/14, 25, 36/))
    call MPI_Op_free(of_fortran, ierror)
  end subroutine

#if defined(WITH_MPI_F08)
  subroutine digits(invec, inoutvec, length, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    A_DATATYPE :: datatype
    integer, pointer :: x(:), y(:)
    call c_f_pointer(invec, x, [length])
    call c_f_pointer(inoutvec, y, [length])
#else
  subroutine digits(x, y, length, datatype)
    integer :: length, datatype
    integer :: x(length), y(length)
#endif
    CHECK(datatype == MPI_INTEGER)
    y = 10*x + y
  end subroutine

  subroutine handlers
    A_COMM :: comm
    AN_ERRHANDLER :: handler
    integer :: class
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Comm_create_errhandler(note, handler, ierror)
    call MPI_Comm_set_errhandler(comm, handler, ierror)
    errors = 0
    call c_errs(HANDLE_VALUE(comm), class)
    CHECK_INT(errors, 1)
    CHECK_INT(class, MPI_ERR_RANK)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine note(comm, code)
    A_COMM :: comm
    integer :: code
    errors = errors + merge(1, -100, comm /= MPI_COMM_NULL .and. code /= MPI_SUCCESS)
  end subroutine

end module
