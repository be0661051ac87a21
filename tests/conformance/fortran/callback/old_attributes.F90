! The attributes of MPI-1, whose values are INTEGERs, and what they share with those of address size.
! interfaces: mpif_h mpi
#include "interface.h"
module old_attributes_program
  use check
#include "scope.h"

  integer :: copies = 0, deletes = 0, deleted = 0
  integer, parameter :: extra = -77

contains

  subroutine old_attributes
    integer :: comm, other, key, value
    integer(MPI_ADDRESS_KIND) :: wide
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Keyval_create(copy, delete, key, extra, ierror)
    call MPI_Attr_put(comm, key, -42, ierror)
    value = 0
    call MPI_Attr_get(comm, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, -42)
    ! Sign-extended, where an address-sized value is asked for.
    call MPI_Comm_get_attr(comm, key, wide, flag, ierror)
    CHECK(flag)
    CHECK_INT(wide, -42)
    call MPI_Comm_dup(comm, other, ierror)
    CHECK_INT(copies, 1)
    call MPI_Attr_get(other, key, value, flag, ierror)
    CHECK_INT(value, -41)
    call MPI_Attr_delete(other, key, ierror)
    CHECK_INT(deletes, 1)
    CHECK_INT(deleted, -41)
    call MPI_Attr_get(other, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Comm_free(other, ierror)
    CHECK_INT(deletes, 1)
    call MPI_Keyval_free(key, ierror)
    CHECK_INT(key, MPI_KEYVAL_INVALID)
    call MPI_Comm_free(comm, ierror)
    CHECK_INT(deletes, 2)
    CHECK_INT(deleted, -42)
    call ready_made
    call widths
    call predefined
  end subroutine

  subroutine copy(comm, key, extra_state, from, to, flag, ierror)
    integer :: comm, key, extra_state, from, to, ierror
    logical :: flag
    CHECK(comm /= MPI_COMM_NULL .and. key /= MPI_KEYVAL_INVALID)
    CHECK_INT(extra_state, extra)
    copies = copies + 1
    to = from + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete(comm, key, value, extra_state, ierror)
    integer :: comm, key, extra_state, value, ierror
    CHECK(comm /= MPI_COMM_NULL .and. key /= MPI_KEYVAL_INVALID)
    CHECK_INT(extra_state, extra)
    deletes = deletes + 1
    deleted = value
    ierror = MPI_SUCCESS
  end subroutine

  subroutine ready_made
    integer :: comm, other, key, value
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, ierror)
    call MPI_Attr_put(comm, key, 2100000000, ierror)
    call MPI_Comm_dup(comm, other, ierror)
    call MPI_Attr_get(other, key, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(value, 2100000000)
    call MPI_Comm_free(other, ierror)
    call MPI_Keyval_free(key, ierror)
    call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, key, 0, ierror)
    call MPI_Attr_put(comm, key, 5, ierror)
    call MPI_Comm_dup(comm, other, ierror)
    call MPI_Attr_get(other, key, value, flag, ierror)
    CHECK(.not. flag)
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_free(comm, ierror)
    call MPI_Keyval_free(key, ierror)
  end subroutine

  ! Set with one width, read with the other; what lies beside the variable stays as it was.
  subroutine widths
    integer :: comm, key
    integer :: narrow(3)
    integer(MPI_ADDRESS_KIND) :: wide
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(comm, key, 1234_MPI_ADDRESS_KIND, ierror)
    narrow = -9
    call MPI_Attr_get(comm, key, narrow(2), flag, ierror)
    CHECK_INT(narrow, (/-9, 1234, -9/))
    call MPI_Attr_put(comm, key, -1, ierror)
    wide = 0
    call MPI_Comm_get_attr(comm, key, wide, flag, ierror)
    CHECK_INT(wide, -1)
    call MPI_Comm_free_keyval(key, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine predefined
    integer :: narrow(3)
    logical :: flag
    narrow = -9
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, narrow(2), flag, ierror)
    CHECK(flag)
    CHECK(narrow(2) >= 32767)
    CHECK_INT(narrow(1::2), -9)
  end subroutine

end module
