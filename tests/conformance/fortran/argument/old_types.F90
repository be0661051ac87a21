! What MPI-3.0 removed: addresses and displacements in INTEGERs, error handlers of MPI-1.
! interfaces: mpif_h mpi
! differs: MPICH's MPI_Address cuts addresses
#include "interface.h"
module old_types_program
  use check
#include "scope.h"

  integer :: calls = 0

contains

  subroutine old_types
    call addresses
    call constructors
    call handlers
  end subroutine

  ! An address that does not fit an INTEGER is an error, never cut.
  subroutine addresses
    integer :: x, place, code
    integer(MPI_ADDRESS_KIND) :: whole
    call quiet
    call MPI_Get_address(x, whole, ierror)
    call MPI_Address(x, place, ierror)
    code = ierror
    if (code == MPI_SUCCESS) then
      CHECK_INT(place, whole)
    else
      CHECK_CLASS(code, MPI_ERR_ARG)
      CHECK(whole > huge(place))
    end if
    call MPI_Address(MPI_BOTTOM, place, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    CHECK_INT(place, 0)
    call loud
  end subroutine

  subroutine constructors
    integer :: type, extent, low, high, bytes, a(12), b(3), i
    call MPI_Type_hvector(3, 1, 16, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Type_extent(type, extent, ierror)
    call MPI_Type_lb(type, low, ierror)
    call MPI_Type_ub(type, high, ierror)
    call MPI_Type_size(type, bytes, ierror)
    CHECK_INT((/extent, low, high, bytes/), (/36, 0, 36, 12/))
    a = (/(i, i=1, 12)/)
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 3, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b, (/1, 5, 9/))
    call MPI_Type_free(type, ierror)
    call MPI_Type_hindexed(2, (/1, 2/), (/-8, 12/), MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Type_extent(type, extent, ierror)
    call MPI_Type_lb(type, low, ierror)
    call MPI_Type_ub(type, high, ierror)
    CHECK_INT((/extent, low, high/), (/28, -8, 20/))
    call MPI_Sendrecv(a(5), 1, type, rank, 1, b, 3, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b, (/3, 8, 9/))
    call MPI_Type_free(type, ierror)
    call MPI_Type_struct(2, (/1, 1/), (/0, 8/), (/MPI_INTEGER, MPI_DOUBLE_PRECISION/), type, ierror)
    call MPI_Type_extent(type, extent, ierror)
    CHECK_INT(extent, 16)
    call MPI_Type_free(type, ierror)
    call MPI_Type_extent(MPI_DOUBLE_PRECISION, extent, ierror)
    CHECK_INT(extent, 8)
  end subroutine

  subroutine handlers
    integer :: comm, handler, found, x, code
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Errhandler_create(note, handler, ierror)
    call MPI_Errhandler_set(comm, handler, ierror)
    call MPI_Errhandler_get(comm, found, ierror)
    CHECK_INT(found, handler)
    calls = 0
    call MPI_Send(x, 1, MPI_INTEGER, -50, 0, comm, ierror)
    code = ierror
    CHECK_INT(calls, 1)
    CHECK_CLASS(code, MPI_ERR_RANK)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Errhandler_free(found, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine note(comm, code)
    integer :: comm, code
    calls = calls + 1
    if (comm == MPI_COMM_NULL .or. code == MPI_SUCCESS) calls = -100
  end subroutine

end module
