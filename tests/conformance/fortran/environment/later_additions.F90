! What MPI-4.1 and 5.0 added: statuses of many requests, buffers of communicators, the environment in an info.
! differs: MPICH 4.0 is of MPI-4.0
#include "interface.h"
module later_additions_program
  use check
#include "scope.h"
contains

  subroutine later_additions
    call statuses
    call buffers
    call infos
    call grouped
  end subroutine

  ! Requests are asked and stay.
  subroutine statuses
    integer, BUFFER :: values(3)
    integer :: i, place, many, places(3)
    logical :: flag
    A_REQUEST :: list(3)
    A_STATUS :: status
    STATUSES(3) :: found
    do i = 1, 3
      call MPI_Irecv(values(i), 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD, list(i), ierror)
    end do
    call MPI_Request_get_status_all(3, list, flag, MPI_STATUSES_IGNORE, ierror)
    CHECK(.not. flag)
    call MPI_Request_get_status_any(3, list, place, flag, status, ierror)
    CHECK(.not. flag)
    CHECK_INT(place, MPI_UNDEFINED)
    call MPI_Request_get_status_some(3, list, many, places, found, ierror)
    CHECK_INT(many, 0)
    call MPI_Send(2, 1, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, ierror)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status_any(3, list, place, flag, status, ierror)
    end do
    CHECK_INT(place, 2)
    CHECK_INT(TAG_OF(status), 2)
    call MPI_Request_get_status_some(3, list, many, places, found, ierror)
    CHECK_INT((/many, places(1), TAG_AT(found, 1)/), (/1, 2, 2/))
    CHECK(list(2) /= MPI_REQUEST_NULL)
    call MPI_Send(1, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, ierror)
    call MPI_Send(3, 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, ierror)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status_all(3, list, flag, found, ierror)
    end do
    CHECK_INT((/TAG_AT(found, 1), TAG_AT(found, 2), TAG_AT(found, 3)/), (/1, 2, 3/))
    call MPI_Waitall(3, list, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(values, (/1, 2, 3/))
    call MPI_Status_set_source(status, 41, ierror)
    call MPI_Status_set_tag(status, 42, ierror)
    call MPI_Status_set_error(status, MPI_ERR_OTHER, ierror)
    CHECK_INT((/SOURCE_OF(status), TAG_OF(status), ERROR_OF(status)/), (/41, 42, MPI_ERR_OTHER/))
    call MPI_Status_get_source(status, place, ierror)
    CHECK_INT(place, 41)
  end subroutine

  ! A buffer of one communicator, and one that the library makes.
  subroutine buffers
    A_COMM :: comm
    A_REQUEST :: request
    integer :: room(500), x, y
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_attach_buffer(comm, room, 2000, ierror)
    x = 12
    call MPI_Bsend(x, 1, MPI_INTEGER, rank, 1, comm, ierror)
    call MPI_Recv(y, 1, MPI_INTEGER, rank, 1, comm, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y, 12)
    call MPI_Comm_flush_buffer(comm, ierror)
    call MPI_Comm_iflush_buffer(comm, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call detach(comm, x)
    CHECK_INT(x, 2000)
    call MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    x = 13
    call MPI_Bsend(x, 1, MPI_INTEGER, rank, 1, comm, ierror)
    call MPI_Recv(y, 1, MPI_INTEGER, rank, 1, comm, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(y, 13)
    call detach(comm, x)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine detach(comm, bytes)
#if defined(WITH_MPI_F08)
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: address
#else
    integer(MPI_ADDRESS_KIND) :: address
#endif
    A_COMM, intent(in) :: comm
    integer, intent(out) :: bytes
    call MPI_Comm_detach_buffer(comm, address, bytes, ierror)
  end subroutine

  subroutine infos
    AN_INFO :: info
    integer :: many
    call MPI_Info_create_env(info, ierror)
    CHECK(info /= MPI_INFO_NULL)
    call MPI_Info_get_nkeys(info, many, ierror)
    CHECK(many >= 0)
    call MPI_Info_free(info, ierror)
    call MPI_Abi_get_info(info, ierror)
    CHECK(info /= MPI_INFO_NULL)
    call MPI_Info_free(info, ierror)
    call MPI_Abi_get_fortran_info(info, ierror)
    if (info /= MPI_INFO_NULL) call fortran_is_known(info)
  end subroutine

  subroutine fortran_is_known(info)
    AN_INFO, intent(inout) :: info
    character(12) :: value
    logical :: flag
    call MPI_Info_get(info, 'mpi_integer_size', 12, value, flag, ierror)
    if (flag) then
      CHECK_TEXT(value, '4           ')
    end if
    call MPI_Info_free(info, ierror)
  end subroutine

  subroutine grouped
    A_DATATYPE :: type
    integer :: bytes
    call MPI_Type_get_value_index(MPI_REAL, MPI_INTEGER, type, ierror)
    CHECK_INT(ierror, MPI_SUCCESS)
    if (type /= MPI_DATATYPE_NULL) then
      call MPI_Type_size(type, bytes, ierror)
      CHECK_INT(bytes, 8)
    end if
    call MPI_F_sync_reg(bytes)
  end subroutine

end module
