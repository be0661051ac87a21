! Array sections as origins of one-sided calls.
! interfaces: mpi_f08
#include "interface.h"
module remote_program
  use check
#include "scope.h"
contains

  subroutine remote
    integer, BUFFER :: memory(16), a(4, 4), b(4, 4)
    integer(MPI_ADDRESS_KIND) :: where
    integer :: i, next
    type(MPI_Win) :: win
    type(MPI_Request) :: list(3)
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    next = mod(rank + 1, ranks)
    a = reshape([(100*rank + i, i=1, 16)], [4, 4])
    b = -1
    memory = -5
    where = 0
    call MPI_Win_create(memory, 64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(a(2, :), 4, MPI_INTEGER, next, where, 4, MPI_INTEGER, win)
    call MPI_Put(a(4:1:-1, 3), 4, MPI_INTEGER, next, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call judge(memory(1:4), (/2, 6, 10, 14/))
    call judge(memory(5:8), (/12, 11, 10, 9/))
    CHECK_INT(memory(9:), -5)
    call MPI_Win_fence(0, win)
    call MPI_Get(b(3, :), 4, MPI_INTEGER, next, where, 4, MPI_INTEGER, win)
    call MPI_Get(b(1:2, 4:1:-3), 4, MPI_INTEGER, next, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Accumulate(a(1, 1::2), 2, MPI_INTEGER, next, 10_MPI_ADDRESS_KIND, 2, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    CHECK_INT(b(3, :), (/2, 6, 10, 14/) + 100*rank)
    CHECK_INT((/b(1:2, 4), b(1:2, 1)/), (/12, 11, 10, 9/) + 100*rank)
    CHECK_INT(b(4, :), -1)
    CHECK_INT(b(1:2, 2), -1)
    call judge(memory(11:12), (/1 - 5, 9 - 5/))
    CHECK_INT(memory(13:), -5)
    b = -1
    call MPI_Win_lock_all(0, win)
    call MPI_Get_accumulate(a(1:4:3, 1), 2, MPI_INTEGER, b(2:4:2, 2), 2, MPI_INTEGER, rank, 14_MPI_ADDRESS_KIND, 2, &
                            MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_flush(rank, win)
    CHECK_INT(b(2:4:2, 2), -5)
    call MPI_Rput(a(3, 1::3), 2, MPI_INTEGER, rank, 8_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, list(1))
    call MPI_Wait(list(1), MPI_STATUS_IGNORE)
    call MPI_Win_flush(rank, win)
    call MPI_Rget(b(4:3:-1, 4), 2, MPI_INTEGER, rank, 8_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, list(2))
    call MPI_Rget_accumulate(a(1::3, 1), 2, MPI_INTEGER, b(::3, 3), 2, MPI_INTEGER, rank, 14_MPI_ADDRESS_KIND, 2, &
                             MPI_INTEGER, MPI_NO_OP, win, list(3))
    call MPI_Waitall(2, list(2:3), MPI_STATUSES_IGNORE)
    CHECK_INT(b(:, 4), (/-1, -1, 15, 3/) + 100*rank*(/0, 0, 1, 1/))
    CHECK_INT(b(:, 3), (/1 - 5, -1, -1, 4 - 5/) + 100*rank*(/1, 0, 0, 1/))
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    CHECK(win == MPI_WIN_NULL)
  end subroutine

  ! What the rank before put here.
  subroutine judge(got, wanted)
    integer, intent(in) :: got(:), wanted(:)
    CHECK_INT(got, wanted + 100*mod(rank + ranks - 1, ranks))
  end subroutine

end module
