! Windows over memory of every origin, and the calls that move data between fences.
#include "interface.h"
module windows_program
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use check
#include "scope.h"

  integer(MPI_ADDRESS_KIND), parameter :: zero = 0

contains

  subroutine windows
    call created
    call allocated
    call shared
    call memory
    call dynamic
  end subroutine

  subroutine created
    A_WIN :: win
    A_GROUP :: group
    integer, BUFFER :: mine(4), theirs(4), x(2)
    integer :: next, many, i
    integer(MPI_ADDRESS_KIND) :: bytes, where
    next = mod(rank + 1, ranks)
    bytes = 16
    mine = (/(10*rank + i, i=1, 4)/)
    call MPI_Win_create(mine, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    CHECK(win /= MPI_WIN_NULL)
    call MPI_Win_get_group(win, group, ierror)
    call MPI_Group_size(group, many, ierror)
    CHECK_INT(many, ranks)
    call MPI_Group_free(group, ierror)
    theirs = -1
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierror)
    call MPI_Get(theirs, 4, MPI_INTEGER, next, zero, 4, MPI_INTEGER, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    CHECK_INT(theirs, (/(10*next + i, i=1, 4)/))
    x = (/rank, 100/)
    where = 2
    call MPI_Put(x, 1, MPI_INTEGER, next, zero, 1, MPI_INTEGER, win, ierror)
    call MPI_Accumulate(x(2), 1, MPI_INTEGER, 0, where, 1, MPI_INTEGER, MPI_SUM, win, ierror)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierror)
    CHECK_INT(mine(1), mod(rank + ranks - 1, ranks))
    CHECK_INT(mine(3), 10*rank + 3 + merge(100*ranks, 0, rank == 0))
    call MPI_Win_free(win, ierror)
    CHECK(win == MPI_WIN_NULL)
  end subroutine

  ! Memory of MPI's: a C_PTR, and in mpif.h and mpi an INTEGER with the address.
  subroutine allocated
    A_WIN :: win
    integer(MPI_ADDRESS_KIND) :: bytes, base
    logical :: flag
    bytes = 64
#if !defined(WITH_MPIF_H)
    block
      type(c_ptr) :: pointer
      integer, pointer :: a(:)
      integer, BUFFER :: x
      call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, pointer, win, ierror)
      call c_f_pointer(pointer, a, (/16/))
      a = -1
      x = 5 + rank
      call MPI_Win_fence(0, win, ierror)
      call MPI_Put(x, 1, MPI_INTEGER, mod(rank + 1, ranks), 15_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierror)
      call MPI_Win_fence(0, win, ierror)
      CHECK_INT(a(16), 5 + mod(rank + ranks - 1, ranks))
      CHECK_INT(a(:15), -1)
      call MPI_Win_free(win, ierror)
    end block
#endif
#if !defined(WITH_MPI_F08)
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierror)
    CHECK(base /= 0)
    call MPI_Win_get_attr(win, MPI_WIN_BASE, bytes, flag, ierror)
    CHECK_INT(bytes, base)
    call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, bytes, flag, ierror)
    CHECK_INT(bytes, MPI_WIN_FLAVOR_ALLOCATE)
    call MPI_Win_free(win, ierror)
#endif
  end subroutine

  subroutine shared
    A_WIN :: win
    A_COMM :: node
    integer(MPI_ADDRESS_KIND) :: bytes, found
    integer :: unit, here, many
    integer, pointer :: mine(:), theirs(:)
#if defined(WITH_MPIF_H)
    integer(MPI_ADDRESS_KIND) :: pointer
#else
    type(c_ptr) :: pointer
#endif
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node, ierror)
    call MPI_Comm_rank(node, here, ierror)
    call MPI_Comm_size(node, many, ierror)
    bytes = 12
    call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, node, pointer, win, ierror)
    call point(pointer, mine)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierror)
    mine = 7*here
    call MPI_Win_sync(win, ierror)
    call MPI_Barrier(node, ierror)
    call MPI_Win_sync(win, ierror)
    call MPI_Win_shared_query(win, mod(here + 1, many), found, unit, pointer, ierror)
    CHECK_INT((/int(found), unit/), (/12, 4/))
    call point(pointer, theirs)
    CHECK_INT(theirs, 7*mod(here + 1, many))
    call MPI_Win_unlock_all(win, ierror)
    call MPI_Win_free(win, ierror)
    call MPI_Comm_free(node, ierror)
  end subroutine

  subroutine point(pointer, a)
    integer, pointer, intent(out) :: a(:)
#if defined(WITH_MPIF_H)
    integer(MPI_ADDRESS_KIND), intent(in) :: pointer
    call c_f_pointer(transfer(pointer, null_pointer()), a, (/3/))
  end subroutine

  function null_pointer()
    use, intrinsic :: iso_c_binding, only: c_null_ptr
    type(c_ptr) :: null_pointer
    null_pointer = c_null_ptr
  end function
#else
    type(c_ptr), intent(in) :: pointer
    call c_f_pointer(pointer, a, (/3/))
  end subroutine
#endif

  subroutine memory
    integer(MPI_ADDRESS_KIND) :: bytes
    integer, pointer :: a(:)
#if defined(WITH_MPIF_H)
    integer(MPI_ADDRESS_KIND) :: pointer
#else
    type(c_ptr) :: pointer
#endif
    bytes = 12
    call MPI_Alloc_mem(bytes, MPI_INFO_NULL, pointer, ierror)
    call point(pointer, a)
    a = (/rank, 2, 3/)
    call MPI_Bcast(a, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    CHECK_INT(a, (/0, 2, 3/))
    call MPI_Free_mem(a, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
  end subroutine

  subroutine dynamic
    A_WIN :: win
    integer, BUFFER :: mine(3), x
    integer(MPI_ADDRESS_KIND) :: place, places(ranks), bytes
    integer :: next
    next = mod(rank + 1, ranks)
    bytes = 12
    mine = rank
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_attach(win, mine, bytes, ierror)
    call MPI_Get_address(mine(2), place, ierror)
    call MPI_Allgather(place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD, ierror)
    call MPI_Win_fence(0, win, ierror)
    call MPI_Get(x, 1, MPI_INTEGER, next, places(next + 1), 1, MPI_INTEGER, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    CHECK_INT(x, next)
    call MPI_Win_detach(win, mine, ierror)
    call MPI_Win_free(win, ierror)
  end subroutine

end module
