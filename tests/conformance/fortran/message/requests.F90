! Requests complete one, any, some, all; indices begin with 1.
! differs: MPICH 4.0 begins with 0 in mpi_f08, and makes MPI_UNDEFINED one more in the others
#include "interface.h"
module requests_program
  use check
#include "scope.h"
contains

  subroutine requests
    call any_of_them
    call some_of_them
    call all_of_them
    call empty_lists
    call cancelled
  end subroutine

  ! Requests 1 to 4: receives whose tags are 1 to 4 from this rank itself.
  subroutine post(values, list)
    integer, intent(inout), BUFFER :: values(4)
    A_REQUEST, intent(inout) :: list(4)
    integer :: i
    values = 0
    do i = 1, 4
      call MPI_Irecv(values(i), 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD, list(i), ierror)
    end do
  end subroutine

  subroutine send(tag)
    integer, intent(in) :: tag
    call MPI_Send(1000 + tag, 1, MPI_INTEGER, rank, tag, MPI_COMM_WORLD, ierror)
  end subroutine

  subroutine any_of_them
    integer, parameter :: order(4) = (/3, 1, 4, 2/)
    integer, BUFFER :: values(4)
    integer :: i, place
    logical :: done
    A_REQUEST :: list(4)
    A_STATUS :: status
    call post(values, list)
    call MPI_Testany(4, list, place, done, status, ierror)
    CHECK(.not. done)
    CHECK_INT(place, MPI_UNDEFINED)
    do i = 1, 4
      call send(order(i))
      if (mod(i, 2) == 1) then
        call MPI_Waitany(4, list, place, status, ierror)
      else
        done = .false.
        do while (.not. done)
          call MPI_Testany(4, list, place, done, status, ierror)
        end do
      end if
      CHECK_INT(place, order(i))
      CHECK_INT(TAG_OF(status), order(i))
      CHECK_INT(values(order(i)), 1000 + order(i))
      CHECK(list(order(i)) == MPI_REQUEST_NULL)
    end do
    call MPI_Waitany(4, list, place, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(place, MPI_UNDEFINED)
    call MPI_Testany(4, list, place, done, MPI_STATUS_IGNORE, ierror)
    CHECK(done)
    CHECK_INT(place, MPI_UNDEFINED)
  end subroutine

  subroutine some_of_them
    integer, BUFFER :: values(4)
    integer :: i, many, places(4), seen(4), left
    A_REQUEST :: list(4)
    STATUSES(4) :: found
    call post(values, list)
    call MPI_Testsome(4, list, many, places, found, ierror)
    CHECK_INT(many, 0)
    call send(4)
    call send(2)
    seen = 0
    left = 2
    do while (left > 0)
      call MPI_Waitsome(4, list, many, places, found, ierror)
      CHECK(many >= 1 .and. many <= 2)
      do i = 1, many
        seen(places(i)) = seen(places(i)) + 1
        CHECK_INT(TAG_AT(found, i), places(i))
        CHECK_INT(SOURCE_AT(found, i), rank)
      end do
      left = left - many
    end do
    CHECK_INT(seen, (/0, 1, 0, 1/))
    call send(1)
    call send(3)
    left = 2
    do while (left > 0)
      call MPI_Testsome(4, list, many, places, MPI_STATUSES_IGNORE, ierror)
      do i = 1, many
        seen(places(i)) = seen(places(i)) + 1
      end do
      left = left - many
    end do
    CHECK_INT(seen, 1)
    CHECK_INT(values, (/1001, 1002, 1003, 1004/))
    call MPI_Waitsome(4, list, many, places, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(many, MPI_UNDEFINED)
    call MPI_Testsome(4, list, many, places, found, ierror)
    CHECK_INT(many, MPI_UNDEFINED)
  end subroutine

  subroutine all_of_them
    integer, BUFFER :: values(4), sent(4)
    integer :: i, got
    logical :: done
    A_REQUEST :: list(4), sends(4)
    A_STATUS :: status
    STATUSES(4) :: found
    call post(values, list)
    call MPI_Testall(4, list, done, MPI_STATUSES_IGNORE, ierror)
    CHECK(.not. done)
    call MPI_Request_get_status(list(1), done, status, ierror)
    CHECK(.not. done)
    sent = (/1001, 1002, 1003, 1004/)
    call MPI_Isend(sent(1), 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, sends(1), ierror)
    call MPI_Issend(sent(2), 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, sends(2), ierror)
    call MPI_Irsend(sent(3), 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, sends(3), ierror)
    call MPI_Isend(sent(4), 1, MPI_INTEGER, rank, 4, MPI_COMM_WORLD, sends(4), ierror)
    call MPI_Waitall(4, sends, MPI_STATUSES_IGNORE, ierror)
    done = .false.
    do while (.not. done)
      call MPI_Request_get_status(list(2), done, status, ierror)
    end do
    CHECK_INT(TAG_OF(status), 2)
    CHECK(list(2) /= MPI_REQUEST_NULL)
    done = .false.
    do while (.not. done)
      call MPI_Testall(4, list, done, found, ierror)
    end do
    do i = 1, 4
      CHECK(list(i) == MPI_REQUEST_NULL)
      CHECK_INT(TAG_AT(found, i), i)
    end do
    CHECK_INT(values, (/1001, 1002, 1003, 1004/))
    call post(values, list)
    do i = 4, 1, -1
      call send(i)
    end do
    call MPI_Waitall(4, list, found, ierror)
    do i = 1, 4
      CHECK_INT(SOURCE_AT(found, i), rank)
      CHECK_INT(TAG_AT(found, i), i)
    end do
#if defined(WITH_MPI_F08)
    call MPI_Get_count(found(3), MPI_INTEGER, got, ierror)
#else
    call MPI_Get_count(found(:, 3), MPI_INTEGER, got, ierror)
#endif
    CHECK_INT(got, 1)
  end subroutine

  ! Null requests and lists without any.
  subroutine empty_lists
    A_REQUEST :: none(2)
    A_STATUS :: status
    STATUSES(2) :: found
    integer :: place, got
    logical :: done
    none = MPI_REQUEST_NULL
    call MPI_Wait(none(1), status, ierror)
    CHECK_INT(SOURCE_OF(status), MPI_ANY_SOURCE)
    CHECK_INT(TAG_OF(status), MPI_ANY_TAG)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 0)
    call MPI_Test(none(1), done, status, ierror)
    CHECK(done)
    call MPI_Waitall(2, none, found, ierror)
    CHECK_INT(SOURCE_AT(found, 2), MPI_ANY_SOURCE)
    call MPI_Waitall(0, none, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    call MPI_Waitany(0, none, place, status, ierror)
    CHECK_INT(place, MPI_UNDEFINED)
    call MPI_Testall(0, none, done, found, ierror)
    CHECK(done)
  end subroutine

  subroutine cancelled
    A_REQUEST :: request
    A_STATUS :: status
    integer, BUFFER :: never, seven
    logical :: flag
    never = 5
    call MPI_Irecv(never, 1, MPI_INTEGER, MPI_ANY_SOURCE, 99, MPI_COMM_SELF, request, ierror)
    call MPI_Cancel(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    CHECK(flag)
    CHECK_INT(never, 5)
    seven = 7
    call MPI_Isend(seven, 1, MPI_INTEGER, rank, 98, MPI_COMM_WORLD, request, ierror)
    call MPI_Request_free(request, ierror)
    CHECK(request == MPI_REQUEST_NULL)
    call MPI_Recv(never, 1, MPI_INTEGER, rank, 98, MPI_COMM_WORLD, status, ierror)
    CHECK_INT(never, 7)
    call MPI_Test_cancelled(status, flag, ierror)
    CHECK(.not. flag)
    call MPI_Status_set_cancelled(status, .true., ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    CHECK(flag)
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierror)
    call MPI_Get_count(status, MPI_INTEGER, never, ierror)
    CHECK_INT(never, 3)
  end subroutine

end module
