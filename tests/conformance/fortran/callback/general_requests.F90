! Generalized requests: the program's own queries, frees and cancellations.
#include "interface.h"
module general_requests_program
  use check
#include "scope.h"

  integer :: queries = 0, frees = 0, cancels = 0
  logical :: was_complete = .false.
  integer(MPI_ADDRESS_KIND) :: seen = 0

contains

  subroutine general_requests
    A_REQUEST :: request, list(2)
    A_STATUS :: status
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: got, x
    logical :: flag
    extra = 123456789012_MPI_ADDRESS_KIND
    call MPI_Grequest_start(query, free, cancel, extra, request, ierror)
    call MPI_Test(request, flag, status, ierror)
    CHECK(.not. flag)
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    CHECK(request == MPI_REQUEST_NULL)
    CHECK(queries >= 1)
    CHECK_INT(frees, 1)
    CHECK_INT(seen, extra)
    CHECK_INT(SOURCE_OF(status), 17)
    CHECK_INT(TAG_OF(status), 18)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 5)
    call MPI_Test_cancelled(status, flag, ierror)
    CHECK(.not. flag)
    ! Cancelled before it is complete, and completed among others.
    call MPI_Grequest_start(query, free, cancel, extra, list(1), ierror)
    call MPI_Irecv(x, 0, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, list(2), ierror)
    call MPI_Cancel(list(1), ierror)
    CHECK_INT(cancels, 1)
    CHECK(.not. was_complete)
    call MPI_Send(x, 0, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, ierror)
    call MPI_Grequest_complete(list(1), ierror)
    call MPI_Waitall(2, list, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(frees, 2)
  end subroutine

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    A_STATUS :: status
    integer :: ierror
    queries = queries + 1
    seen = extra_state
    SOURCE_OF(status) = 17
    TAG_OF(status) = 18
    call MPI_Status_set_elements(status, MPI_INTEGER, 5, ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    frees = frees + 1
    if (extra_state /= seen) frees = -100
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    cancels = cancels + 1
    was_complete = complete
    if (extra_state == 0) cancels = -100
    ierror = MPI_SUCCESS
  end subroutine

end module
