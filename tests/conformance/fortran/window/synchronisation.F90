! Locks, flushes, posts and starts, and the atomic calls.
#include "interface.h"
module synchronisation_program
  use check
#include "scope.h"

  integer(MPI_ADDRESS_KIND), parameter :: zero = 0

contains

  subroutine synchronisation
    A_WIN :: win
    integer, BUFFER :: mine(4)
    integer(MPI_ADDRESS_KIND) :: bytes
    bytes = 16
    mine = 0
    call MPI_Win_create(mine, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call locks(win)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call atomics(win)
    call posts(win, mine)
    call MPI_Win_free(win, ierror)
  end subroutine

  subroutine locks(win)
    A_WIN, intent(in) :: win
    integer, BUFFER :: one, x
    integer :: i
    one = 1
    do i = 1, 5
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win, ierror)
      call MPI_Get(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, win, ierror)
      call MPI_Win_flush(0, win, ierror)
      x = x + one
      call MPI_Put(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, win, ierror)
      call MPI_Win_unlock(0, win, ierror)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win, ierror)
    call MPI_Get(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_unlock(0, win, ierror)
    CHECK_INT(x, 5*ranks)
  end subroutine

  subroutine atomics(win)
    A_WIN, intent(in) :: win
    A_REQUEST :: requests(2)
    integer, BUFFER :: two, x, y(2), z(2), wanted, seen(ranks)
    integer(MPI_ADDRESS_KIND) :: place
    integer :: i
    two = 2
    place = 1
    call MPI_Win_lock_all(0, win, ierror)
    call MPI_Fetch_and_op(two, x, MPI_INTEGER, 0, place, MPI_SUM, win, ierror)
    call MPI_Win_flush_all(win, ierror)
    ! Each rank saw another sum.
    call MPI_Allgather(x, 1, MPI_INTEGER, seen, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do i = 0, ranks - 1
      CHECK_INT(count(seen == 2*i), 1)
    end do
    place = 2
    two = rank + 1
    wanted = 0
    call MPI_Compare_and_swap(two, wanted, x, MPI_INTEGER, 0, place, win, ierror)
    call MPI_Win_flush_local(0, win, ierror)
    call MPI_Win_flush_local_all(win, ierror)
    call MPI_Win_flush(0, win, ierror)
    call MPI_Allgather(x, 1, MPI_INTEGER, seen, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(count(seen == 0), 1)
    place = 2
    y = (/5, 6/)
    z = -1
    if (rank == 0) then
      call MPI_Rput(y, 2, MPI_INTEGER, 0, place, 2, MPI_INTEGER, win, requests(1), ierror)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
      call MPI_Win_flush(0, win, ierror)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Rget(z, 2, MPI_INTEGER, 0, place, 2, MPI_INTEGER, win, requests(1), ierror)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
    CHECK_INT(z, (/5, 6/))
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Raccumulate(y, 2, MPI_INTEGER, 0, place, 2, MPI_INTEGER, MPI_SUM, win, requests(1), ierror)
    call MPI_Rget_accumulate(y, 1, MPI_INTEGER, z, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, MPI_NO_OP, win, &
                             requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(z(1), 5*ranks)
    call MPI_Win_flush(0, win, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Get_accumulate(y, 0, MPI_INTEGER, z, 2, MPI_INTEGER, 0, place, 2, MPI_INTEGER, MPI_NO_OP, win, ierror)
    call MPI_Win_unlock_all(win, ierror)
    CHECK_INT(z, (/5, 6/)*(ranks + 1))
  end subroutine

  ! The next rank's memory is open to this one, and this one's to the last.
  subroutine posts(win, mine)
    A_WIN, intent(in) :: win
    integer, BUFFER, intent(in) :: mine(4)
    integer, BUFFER :: x
    integer(MPI_ADDRESS_KIND) :: place
    integer :: next, last
    logical :: done
    A_GROUP :: world, to, from
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
    call MPI_Group_incl(world, 1, (/next/), to, ierror)
    call MPI_Group_incl(world, 1, (/last/), from, ierror)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    x = 70 + rank
    place = 3
    call MPI_Win_post(from, 0, win, ierror)
    call MPI_Win_start(to, 0, win, ierror)
    call MPI_Put(x, 1, MPI_INTEGER, next, place, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_complete(win, ierror)
    call MPI_Win_wait(win, ierror)
    CHECK_INT(mine(4), 70 + last)
    call MPI_Win_post(from, 0, win, ierror)
    call MPI_Win_start(to, 0, win, ierror)
    call MPI_Win_complete(win, ierror)
    done = .false.
    do while (.not. done)
      call MPI_Win_test(win, done, ierror)
    end do
    call MPI_Group_free(world, ierror)
    call MPI_Group_free(to, ierror)
    call MPI_Group_free(from, ierror)
  end subroutine

end module
