! Probing, matched probing, and counting what came.
#include "interface.h"
module probes_program
  use check
#include "scope.h"
contains

  subroutine probes
    integer :: next, last, x(3), got
    integer, BUFFER :: sent(3)
    logical :: flag
    A_MESSAGE :: message
    A_REQUEST :: requests(5), request
    A_STATUS :: status
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    call MPI_Iprobe(last, 50, MPI_COMM_WORLD, flag, status, ierror)
    CHECK(.not. flag)
    sent = rank
    call MPI_Isend(sent, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(sent, 2, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Isend(sent, 3, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Isend(sent, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Isend(sent, 2, MPI_INTEGER, next, 5, MPI_COMM_WORLD, requests(5), ierror)
    call MPI_Probe(last, 2, MPI_COMM_WORLD, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 2)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, flag, status, ierror)
    end do
    CHECK_INT(SOURCE_OF(status), last)
    CHECK_INT(TAG_OF(status), 3)
    call MPI_Mprobe(last, 3, MPI_COMM_WORLD, message, status, ierror)
    CHECK(message /= MPI_MESSAGE_NULL)
    ! A message that was matched is nobody else's.
    call MPI_Iprobe(last, 3, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    CHECK(.not. flag)
    x = -1
    call MPI_Mrecv(x, 3, MPI_INTEGER, message, status, ierror)
    CHECK(message == MPI_MESSAGE_NULL)
    CHECK_INT(x, last)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(last, 4, MPI_COMM_WORLD, flag, message, status, ierror)
    end do
    x = -1
    call MPI_Imrecv(x, 3, MPI_INTEGER, message, request, ierror)
    CHECK(message == MPI_MESSAGE_NULL)
    call MPI_Wait(request, status, ierror)
    CHECK_INT(x, (/last, -1, -1/))
    call MPI_Recv(x, 3, MPI_INTEGER, last, 1, MPI_COMM_WORLD, status, ierror)
    call MPI_Recv(x, 3, MPI_INTEGER, last, 2, MPI_COMM_WORLD, status, ierror)
    call parts(status)
    call MPI_Recv(x, 3, MPI_INTEGER, last, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Waitall(5, requests, MPI_STATUSES_IGNORE, ierror)
    call nobody
  end subroutine

  ! Two integers counted in datatypes that they fill, and do not fill.
  subroutine parts(status)
    A_STATUS, intent(in) :: status
    integer :: got
    integer(MPI_COUNT_KIND) :: many
    A_DATATYPE :: three
    call MPI_Type_contiguous(3, MPI_INTEGER, three, ierror)
    call MPI_Type_commit(three, ierror)
    call MPI_Get_count(status, three, got, ierror)
    CHECK_INT(got, MPI_UNDEFINED)
    call MPI_Get_elements(status, three, got, ierror)
    CHECK_INT(got, 2)
    call MPI_Get_elements_x(status, three, many, ierror)
    CHECK_INT(many, 2)
    call MPI_Type_free(three, ierror)
    CHECK(three == MPI_DATATYPE_NULL)
    call MPI_Get_count(status, MPI_BYTE, got, ierror)
    CHECK_INT(got, 8)
  end subroutine

  subroutine nobody
    A_MESSAGE :: message
    A_STATUS :: status
    logical :: flag
    integer :: x, got
    call MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, message, status, ierror)
    CHECK(message == MPI_MESSAGE_NO_PROC)
    CHECK_INT(SOURCE_OF(status), MPI_PROC_NULL)
    x = 3
    call MPI_Mrecv(x, 1, MPI_INTEGER, message, status, ierror)
    CHECK_INT(x, 3)
    CHECK(message == MPI_MESSAGE_NULL)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 0)
    call MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, flag, status, ierror)
    CHECK(flag)
    call MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, flag, message, status, ierror)
    CHECK(flag)
    CHECK(message == MPI_MESSAGE_NO_PROC)
  end subroutine

end module
