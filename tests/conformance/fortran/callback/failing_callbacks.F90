! Callbacks that give an error code: the call that needed them gives it to the program.
#include "interface.h"
module failing_callbacks_program
  use check
#include "scope.h"

  integer :: given = 0
  logical :: fails = .false.

contains

  subroutine failing_callbacks
    integer :: class
    call MPI_Add_error_class(class, ierror)
    call MPI_Add_error_code(class, given, ierror)
    call MPI_Add_error_string(given, 'the callback says no', ierror)
    call quiet
    call attributes
    call general_requests
    call loud
  end subroutine

  subroutine attributes
    A_COMM :: comm, other
    integer :: key, code
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_create_keyval(copy, delete, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(comm, key, 3_MPI_ADDRESS_KIND, ierror)
    fails = .true.
    call MPI_Comm_dup(comm, other, ierror)
    code = ierror
    CHECK(code /= MPI_SUCCESS)
    ! What cannot be deleted stays.
    call MPI_Comm_delete_attr(comm, key, ierror)
    code = ierror
    CHECK(code /= MPI_SUCCESS)
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, 3)
    fails = .false.
    call MPI_Comm_dup(comm, other, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, 4)
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_delete_attr(comm, key, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine copy(comm, key, extra_state, from, to, flag, code)
    A_COMM :: comm
    integer :: key, code
    integer(MPI_ADDRESS_KIND) :: extra_state, from, to
    logical :: flag
    flag = comm /= MPI_COMM_NULL .and. key /= MPI_KEYVAL_INVALID .and. extra_state == 0
    to = from + 1
    code = merge(given, MPI_SUCCESS, fails)
  end subroutine

  subroutine delete(comm, key, value, extra_state, code)
    A_COMM :: comm
    integer :: key, code
    integer(MPI_ADDRESS_KIND) :: value, extra_state
    code = merge(given, MPI_SUCCESS, fails)
    if (comm == MPI_COMM_NULL .or. key == MPI_KEYVAL_INVALID .or. value + extra_state < 3) code = MPI_ERR_INTERN
  end subroutine

  subroutine general_requests
    A_REQUEST :: request
    A_STATUS :: status
    integer :: code
    call MPI_Grequest_start(query, free, cancel, 0_MPI_ADDRESS_KIND, request, ierror)
    call MPI_Grequest_complete(request, ierror)
    fails = .true.
    call MPI_Wait(request, status, ierror)
    code = ierror
    CHECK(code /= MPI_SUCCESS)
    fails = .false.
  end subroutine

  subroutine query(extra_state, status, code)
    integer(MPI_ADDRESS_KIND) :: extra_state
    A_STATUS :: status
    integer :: code
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    code = merge(given, MPI_SUCCESS, fails)
  end subroutine

  subroutine free(extra_state, code)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: code
    code = int(extra_state)
  end subroutine

  subroutine cancel(extra_state, complete, code)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: code
    code = merge(int(extra_state), MPI_SUCCESS, complete)
  end subroutine

end module
