! Attributes that one language sets and the other reads.
! with: other_side.c
! differs: MPICH 4.0 gives C a window's attribute itself in place of its address
#include "interface.h"
module shared_attributes_program
  use check
#include "scope.h"

  integer :: copies = 0
  external :: c_gets_address, c_gets_integer, c_sets, c_sets_on_type, c_gets_from_window, c_makes_key, c_counts
  external :: c_duplicates, c_frees

contains

  subroutine shared_attributes
    call set_in_fortran
    call set_in_c
    call key_of_c
    call copied_by_c
    call of_others
  end subroutine

  subroutine set_in_fortran
    A_COMM :: comm
    integer :: key, wrong
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    value = -123456789012_MPI_ADDRESS_KIND
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, value, ierror)
    call MPI_Comm_set_attr(comm, key, value, ierror)
    call c_gets_address(HANDLE_VALUE(comm), key, value, wrong)
    CHECK_INT(wrong, 0)
#if !defined(WITH_MPI_F08)
    call MPI_Attr_put(comm, key, -17, ierror)
    call c_gets_integer(HANDLE_VALUE(comm), key, -17, wrong)
    CHECK_INT(wrong, 0)
#endif
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call c_gets_integer(HANDLE_VALUE(MPI_COMM_WORLD), MPI_TAG_UB, int(value), wrong)
    CHECK_INT(wrong, 0)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine set_in_c
    A_COMM :: comm
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value, address
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call c_sets(HANDLE_VALUE(comm), key, address)
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, address)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  ! A key that C made: its copy adds one to the pointer, also where Fortran duplicates.
  subroutine key_of_c
    A_COMM :: comm, other
    integer :: key, copied, deleted
    integer(MPI_ADDRESS_KIND) :: value, address
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call c_makes_key(key)
    call c_sets(HANDLE_VALUE(comm), key, address)
    call MPI_Comm_dup(comm, other, ierror)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, address + 1)
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_delete_attr(comm, key, ierror)
    call c_counts(copied, deleted)
    CHECK_INT((/copied, deleted/), (/1, 2/))
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  ! A key of Fortran's, copied by C.
  subroutine copied_by_c
    A_COMM :: comm, other
    integer :: key, wrong
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, key, 6_MPI_ADDRESS_KIND, ierror)
    value = 50
    call MPI_Comm_set_attr(comm, key, value, ierror)
    call c_duplicates(HANDLE_VALUE(comm), HANDLE_VALUE(other))
    CHECK_INT(copies, 1)
    call MPI_Comm_get_attr(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, 56)
    call c_gets_address(HANDLE_VALUE(other), key, value, wrong)
    CHECK_INT(wrong, 0)
    call c_frees(HANDLE_VALUE(other))
    CHECK(other == MPI_COMM_NULL)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine copy(comm, key, extra_state, from, to, flag, ierror)
    A_COMM :: comm
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, from, to
    logical :: flag
    copies = copies + merge(1, -100, comm /= MPI_COMM_NULL .and. key /= MPI_KEYVAL_INVALID)
    to = from + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine of_others
    A_DATATYPE :: type
    A_WIN :: win
    integer :: key, wrong
    integer, BUFFER :: memory(2)
    integer(MPI_ADDRESS_KIND) :: value, eight
    logical :: flag
    call MPI_Type_contiguous(2, MPI_INTEGER, type, ierror)
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    eight = 8888
    call c_sets_on_type(HANDLE_VALUE(type), key, eight)
    call MPI_Type_get_attr(type, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, 8888)
    call MPI_Type_free_keyval(key, ierror)
    call MPI_Type_free(type, ierror)
    eight = 8
    call MPI_Win_create(memory, eight, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    value = 2_MPI_ADDRESS_KIND**40
    call MPI_Win_set_attr(win, key, value, ierror)
    call c_gets_from_window(HANDLE_VALUE(win), key, value, wrong)
    CHECK_INT(wrong, 0)
    call c_gets_from_window(HANDLE_VALUE(win), MPI_WIN_SIZE, eight, wrong)
    CHECK_INT(wrong, 0)
    call MPI_Win_free(win, ierror)
    call MPI_Win_free_keyval(key, ierror)
  end subroutine

end module
