! The modes of a blocking send: standard, buffered, synchronous, ready.
#include "interface.h"
module modes_program
  use check
#include "scope.h"
contains

  ! Each rank sends to the next; ranks of even number send first.
  subroutine modes
    integer, parameter :: length = 5
    integer :: mode, next, last, to(length), from(length), i, got
    integer :: buffer(1024)
    integer :: attached
    A_STATUS :: status
    A_REQUEST :: request
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    call MPI_Buffer_attach(buffer, 4096, ierror)
    do mode = 1, 4
      to = (/(100*rank + 10*mode + i, i=1, length)/)
      from = -1
      call MPI_Irecv(from, length, MPI_INTEGER, last, mode, MPI_COMM_WORLD, request, ierror)
      ! A ready send needs its receive: after the barrier it is there.
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      select case (mode)
      case (1)
        call MPI_Send(to, length, MPI_INTEGER, next, mode, MPI_COMM_WORLD, ierror)
      case (2)
        call MPI_Bsend(to, length, MPI_INTEGER, next, mode, MPI_COMM_WORLD, ierror)
      case (3)
        call MPI_Ssend(to, length, MPI_INTEGER, next, mode, MPI_COMM_WORLD, ierror)
      case (4)
        call MPI_Rsend(to, length, MPI_INTEGER, next, mode, MPI_COMM_WORLD, ierror)
      end select
      CHECK_INT(ierror, MPI_SUCCESS)
      call MPI_Wait(request, status, ierror)
      CHECK(request == MPI_REQUEST_NULL)
      CHECK_INT(from, (/(100*last + 10*mode + i, i=1, length)/))
      CHECK_INT(SOURCE_OF(status), last)
      CHECK_INT(TAG_OF(status), mode)
      call MPI_Get_count(status, MPI_INTEGER, got, ierror)
      CHECK_INT(got, length)
    end do
    call detach(buffer, attached)
    CHECK_INT(attached, 4096)
    call blocking(next, last)
    call nobody
  end subroutine

  subroutine detach(buffer, bytes)
#if defined(WITH_MPI_F08)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_associated
    type(c_ptr) :: address
    integer, target, intent(in) :: buffer(*)
    integer, intent(out) :: bytes
    call MPI_Buffer_detach(address, bytes, ierror)
    CHECK(c_associated(address, c_loc(buffer)))
#else
    integer, intent(inout) :: buffer(*)
    integer, intent(out) :: bytes
    call MPI_Buffer_detach(buffer, bytes, ierror)
#endif
  end subroutine

  ! Receives that wait, with wildcards; messages overtake none of their kind.
  subroutine blocking(next, last)
    integer, intent(in) :: next, last
    real(8) :: x(3), y(3)
    complex :: z, w
    character(7) :: text, heard
    logical :: truth(2), told(2)
    integer :: i, got
    A_STATUS :: status
    A_REQUEST :: requests(4)
    x = (/1.5d0, 2.5d0, 3.5d0/) + rank
    z = cmplx(rank, -rank)
    write (text, '(a,i0)') 'rank ', rank
    truth = (/.true., .false./)
    call MPI_Isend(x, 3, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(z, 1, MPI_COMPLEX, next, 7, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Isend(text, 7, MPI_CHARACTER, next, 7, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Isend(truth, 2, MPI_LOGICAL, next, 7, MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Recv(y, 3, MPI_DOUBLE_PRECISION, last, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(TAG_OF(status), 7)
    CHECK_REAL(y, (/1.5d0, 2.5d0, 3.5d0/) + last)
    call MPI_Recv(w, 1, MPI_COMPLEX, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(SOURCE_OF(status), last)
    CHECK_REAL(real(w), last)
    CHECK_REAL(aimag(w), -last)
    call MPI_Recv(heard, 7, MPI_CHARACTER, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    write (text, '(a,i0)') 'rank ', last
    CHECK_TEXT(heard, text)
    call MPI_Recv(told, 2, MPI_LOGICAL, last, 7, MPI_COMM_WORLD, status, ierror)
    CHECK(told(1) .and. .not. told(2))
    call MPI_Get_count(status, MPI_LOGICAL, got, ierror)
    CHECK_INT(got, 2)
    do i = 1, 4
      call MPI_Wait(requests(i), MPI_STATUS_IGNORE, ierror)
    end do
  end subroutine

  ! MPI_PROC_NULL takes everything and gives nothing.
  subroutine nobody
    integer :: x, got
    A_STATUS :: status
    x = 17
    call MPI_Send(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
    call MPI_Recv(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(x, 17)
    CHECK_INT(SOURCE_OF(status), MPI_PROC_NULL)
    CHECK_INT(TAG_OF(status), MPI_ANY_TAG)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 0)
  end subroutine

end module
