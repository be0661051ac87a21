! Persistent sends of every mode and receives, started several times.
! differs: MPICH 4.0 makes MPI_UNDEFINED one more
#include "interface.h"
module persistence_program
  use check
#include "scope.h"
contains

  subroutine persistence
    integer, parameter :: length = 3, many = 8
    integer, BUFFER :: to(length, 4), from(length, 4)
    integer :: i, round, next, last, attached, place
    integer :: buffer(2048)
    logical :: done
    A_REQUEST :: list(many)
    STATUSES(many) :: found
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    call MPI_Buffer_attach(buffer, 8192, ierror)
    do i = 1, 4
      call MPI_Recv_init(from(1, i), length, MPI_INTEGER, last, i, MPI_COMM_WORLD, list(i), ierror)
    end do
    call MPI_Send_init(to(1, 1), length, MPI_INTEGER, next, 1, MPI_COMM_WORLD, list(5), ierror)
    call MPI_Bsend_init(to(1, 2), length, MPI_INTEGER, next, 2, MPI_COMM_WORLD, list(6), ierror)
    call MPI_Ssend_init(to(1, 3), length, MPI_INTEGER, next, 3, MPI_COMM_WORLD, list(7), ierror)
    call MPI_Rsend_init(to(1, 4), length, MPI_INTEGER, next, 4, MPI_COMM_WORLD, list(8), ierror)
    do round = 1, 3
      do i = 1, 4
        to(:, i) = 100*rank + 10*round + i
      end do
      from = -1
      call MPI_Startall(4, list, ierror)
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      if (round == 1) then
        call MPI_Startall(4, list(5:8), ierror)
      else
        do i = 5, 8
          call MPI_Start(list(i), ierror)
        end do
      end if
      call MPI_Waitall(many, list, found, ierror)
      do i = 1, 4
        CHECK_INT(from(:, i), 100*last + 10*round + i)
        CHECK_INT(TAG_AT(found, i), i)
        CHECK_INT(SOURCE_AT(found, i), last)
        CHECK(list(i) /= MPI_REQUEST_NULL)
      end do
    end do
    ! Requests that are not started are as null ones.
    call MPI_Waitany(many, list, place, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(place, MPI_UNDEFINED)
    call MPI_Test(list(1), done, MPI_STATUS_IGNORE, ierror)
    CHECK(done)
    do i = 1, many
      call MPI_Request_free(list(i), ierror)
      CHECK(list(i) == MPI_REQUEST_NULL)
    end do
    call detach(attached)
    CHECK_INT(attached, 8192)
  end subroutine

  subroutine detach(bytes)
#if defined(WITH_MPI_F08)
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: address
#else
    integer(MPI_ADDRESS_KIND) :: address
#endif
    integer, intent(out) :: bytes
    call MPI_Buffer_detach(address, bytes, ierror)
  end subroutine

end module
