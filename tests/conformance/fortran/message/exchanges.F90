! Sending and receiving in one call.
#include "interface.h"
module exchanges_program
  use check
#include "scope.h"
contains

  subroutine exchanges
    integer :: next, last, to(4), got, i
    integer, BUFFER :: both(4)
    real :: from(4), x(2)
    A_STATUS :: status
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    to = (/(10*rank + i, i=1, 4)/)
    both = -1
    call MPI_Sendrecv(to, 4, MPI_INTEGER, next, 1, both, 4, MPI_INTEGER, last, 1, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(both, (/(10*last + i, i=1, 4)/))
    CHECK_INT(SOURCE_OF(status), last)
    x = rank + 0.5
    from = -1
    call MPI_Sendrecv(x, 2, MPI_REAL, last, 2, from, 4, MPI_REAL, next, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
    CHECK_REAL(from(:2), next + 0.5)
    CHECK_REAL(from(3:), -1)
    call MPI_Get_count(status, MPI_REAL, got, ierror)
    CHECK_INT(got, 2)
    both = to
    call MPI_Sendrecv_replace(both, 4, MPI_INTEGER, next, 3, last, 3, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(both, (/(10*last + i, i=1, 4)/))
    CHECK_INT(TAG_OF(status), 3)
    call MPI_Sendrecv_replace(both, 4, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(both, (/(10*last + i, i=1, 4)/))
    CHECK_INT(SOURCE_OF(status), MPI_PROC_NULL)
    call nonblocking(next, last, to)
  end subroutine

  subroutine nonblocking(next, last, to)
    integer, intent(in) :: next, last, to(4)
    integer, BUFFER :: both(4), from(4)
    integer :: i
    A_REQUEST :: request
    A_STATUS :: status
    from = -1
    call MPI_Isendrecv(to, 4, MPI_INTEGER, next, 4, from, 4, MPI_INTEGER, last, 4, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, status, ierror)
    CHECK_INT(from, (/(10*last + i, i=1, 4)/))
    CHECK_INT(SOURCE_OF(status), last)
    both = to
    call MPI_Isendrecv_replace(both, 4, MPI_INTEGER, next, 5, last, 5, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, status, ierror)
    CHECK_INT(both, (/(10*last + i, i=1, 4)/))
    ! MPICH 4.0 leaves the tag of an older message.
    CHECK(TAG_OF(status) == 5 .or. on_peer())
  end subroutine

end module
