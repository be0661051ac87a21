! Attributes of communicators, datatypes and windows, copied and deleted by the program's procedures.
#include "interface.h"
module attributes_program
  use check
#include "scope.h"

  integer :: copies = 0, deletes = 0
  integer(MPI_ADDRESS_KIND) :: deleted = 0
  integer(MPI_ADDRESS_KIND), parameter :: big = 123456789012_MPI_ADDRESS_KIND, extra = -77

contains

  subroutine attributes
    call of_communicators
    call of_datatypes
    call of_windows
    call ready_made
    call predefined
  end subroutine

  subroutine of_communicators
    A_COMM :: comm, other
    integer :: key, silent
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_create_keyval(copy_comm, delete_comm, key, extra, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, silent, extra, ierror)
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Comm_set_attr(comm, key, big, ierror)
    call MPI_Comm_set_attr(comm, silent, 4_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, big)
    copies = 0
    deletes = 0
    call MPI_Comm_dup(comm, other, ierror)
    CHECK_INT(copies, 1)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, big + 1)
    call MPI_Comm_get_attr(other, silent, value, flag, ierror)
    CHECK(.not. flag)
    ! A new value deletes the old one.
    call MPI_Comm_set_attr(other, key, -5_MPI_ADDRESS_KIND, ierror)
    CHECK_INT(deletes, 1)
    CHECK_INT(deleted, big + 1)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK_INT(value, -5)
    call MPI_Comm_free(other, ierror)
    CHECK_INT(deletes, 2)
    CHECK_INT(deleted, -5)
    ! The copy procedure says no.
    call MPI_Comm_set_attr(comm, key, 13_MPI_ADDRESS_KIND, ierror)
    CHECK_INT(deleted, big)
    call MPI_Comm_dup(comm, other, ierror)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Comm_free(other, ierror)
    CHECK_INT(deletes, 3)
    call MPI_Comm_delete_attr(comm, key, ierror)
    CHECK_INT(deletes, 4)
    CHECK_INT(deleted, 13)
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Comm_free_keyval(key, ierror)
    CHECK_INT(key, MPI_KEYVAL_INVALID)
    call MPI_Comm_free_keyval(silent, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine copy_comm(comm, key, extra_state, from, to, flag, ierror)
    A_COMM :: comm
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, from, to
    logical :: flag
    call copy(comm /= MPI_COMM_NULL .and. key /= MPI_KEYVAL_INVALID, extra_state, from, to, flag, ierror)
  end subroutine

  subroutine delete_comm(comm, key, value, extra_state, ierror)
    A_COMM :: comm
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra_state
    call delete(comm /= MPI_COMM_NULL .and. key /= MPI_KEYVAL_INVALID, value, extra_state, ierror)
  end subroutine

  ! Copies to one more; 13 is not copied.
  subroutine copy(is_right, extra_state, from, to, flag, ierror)
    logical, intent(in) :: is_right
    integer(MPI_ADDRESS_KIND), intent(in) :: extra_state, from
    integer(MPI_ADDRESS_KIND), intent(inout) :: to
    logical, intent(out) :: flag
    integer, intent(out) :: ierror
    CHECK(is_right)
    CHECK_INT(extra_state, extra)
    copies = copies + 1
    flag = from /= 13
    if (flag) to = from + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete(is_right, value, extra_state, ierror)
    logical, intent(in) :: is_right
    integer(MPI_ADDRESS_KIND), intent(in) :: value, extra_state
    integer, intent(out) :: ierror
    CHECK(is_right)
    CHECK_INT(extra_state, extra)
    deletes = deletes + 1
    deleted = value
    ierror = MPI_SUCCESS
  end subroutine

  subroutine of_datatypes
    A_DATATYPE :: type, other
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Type_contiguous(3, MPI_REAL, type, ierror)
    call MPI_Type_create_keyval(copy_type, delete_type, key, extra, ierror)
    call MPI_Type_set_attr(type, key, big, ierror)
    copies = 0
    deletes = 0
    call MPI_Type_dup(type, other, ierror)
    CHECK_INT(copies, 1)
    call MPI_Type_get_attr(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, big + 1)
    call MPI_Type_free(other, ierror)
    CHECK_INT(deleted, big + 1)
    call MPI_Type_delete_attr(type, key, ierror)
    CHECK_INT(deletes, 2)
    call MPI_Type_get_attr(type, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Type_free(type, ierror)
    CHECK_INT(deletes, 2)
    call MPI_Type_free_keyval(key, ierror)
    CHECK_INT(key, MPI_KEYVAL_INVALID)
  end subroutine

  subroutine copy_type(type, key, extra_state, from, to, flag, ierror)
    A_DATATYPE :: type
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, from, to
    logical :: flag
    call copy(type /= MPI_DATATYPE_NULL .and. key /= MPI_KEYVAL_INVALID, extra_state, from, to, flag, ierror)
  end subroutine

  subroutine delete_type(type, key, value, extra_state, ierror)
    A_DATATYPE :: type
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra_state
    call delete(type /= MPI_DATATYPE_NULL .and. key /= MPI_KEYVAL_INVALID, value, extra_state, ierror)
  end subroutine

  subroutine of_windows
    A_WIN :: win
    integer :: key
    integer, BUFFER :: memory(5)
    integer(MPI_ADDRESS_KIND) :: value, bytes
    logical :: flag
    bytes = 20
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_create_keyval(copy_win, delete_win, key, extra, ierror)
    call MPI_Win_set_attr(win, key, big, ierror)
    call MPI_Win_get_attr(win, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, big)
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, 20)
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
    CHECK_INT(value, 4)
    call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierror)
    CHECK_INT(value, MPI_WIN_FLAVOR_CREATE)
    call MPI_Win_get_attr(win, MPI_WIN_MODEL, value, flag, ierror)
    CHECK(value == MPI_WIN_UNIFIED .or. value == MPI_WIN_SEPARATE)
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierror)
    call MPI_Get_address(memory, bytes, ierror)
    CHECK_INT(value, bytes)
    deletes = 0
    call MPI_Win_free(win, ierror)
    CHECK_INT(deletes, 1)
    CHECK_INT(deleted, big)
    call MPI_Win_free_keyval(key, ierror)
  end subroutine

  subroutine copy_win(win, key, extra_state, from, to, flag, ierror)
    A_WIN :: win
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, from, to
    logical :: flag
    call copy(win /= MPI_WIN_NULL .and. key /= MPI_KEYVAL_INVALID, extra_state, from, to, flag, ierror)
  end subroutine

  subroutine delete_win(win, key, value, extra_state, ierror)
    A_WIN :: win
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra_state
    call delete(win /= MPI_WIN_NULL .and. key /= MPI_KEYVAL_INVALID, value, extra_state, ierror)
  end subroutine

  ! MPI's own procedures.
  subroutine ready_made
    A_COMM :: comm, other
    A_DATATYPE :: type, same_type
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(comm, key, -big, ierror)
    call MPI_Comm_dup(comm, other, ierror)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, -big)
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Type_contiguous(2, MPI_BYTE, type, ierror)
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Type_set_attr(type, key, big, ierror)
    call MPI_Type_dup(type, same_type, ierror)
    call MPI_Type_get_attr(same_type, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, big)
    call MPI_Type_free(type, ierror)
    call MPI_Type_free(same_type, ierror)
    call MPI_Type_free_keyval(key, ierror)
  end subroutine

  subroutine predefined
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    CHECK(flag)
    CHECK(value >= 32767 .and. value <= huge(0))
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierror)
    CHECK(.not. flag .or. value == 0 .or. value == 1)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, value, flag, ierror)
    CHECK(.not. flag .or. value >= ranks)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, value, flag, ierror)
    CHECK(.not. flag .or. value == 0)
  end subroutine

end module
