! Handles and statuses on their way between C and Fortran.
! with: other_side.c
#include "interface.h"
module shared_handles_program
  use check
#include "scope.h"

  external :: c_knows, c_uses_group_and_info, c_receives, c_waits, c_reads_status, c_reads_status_f08
  external :: c_writes_status, c_writes_status_f08, c_duplicates, c_frees

contains

  subroutine shared_handles
    integer :: wrong
    call c_knows(HANDLE_VALUE(MPI_COMM_WORLD), HANDLE_VALUE(MPI_COMM_SELF), HANDLE_VALUE(MPI_INTEGER), &
                 HANDLE_VALUE(MPI_SUM), HANDLE_VALUE(MPI_GROUP_EMPTY), HANDLE_VALUE(MPI_INFO_NULL), &
                 HANDLE_VALUE(MPI_REQUEST_NULL), HANDLE_VALUE(MPI_ERRORS_RETURN), HANDLE_VALUE(MPI_WIN_NULL), wrong)
    CHECK_INT(wrong, 0)
    call objects
    call requests
    call statuses
#if defined(WITH_MPI_F08) || (defined(WITH_MPI) && !defined(WITH_PEER))
    call between_modules
#endif
  end subroutine

  subroutine objects
    A_COMM :: comm
    A_GROUP :: group
    AN_INFO :: info
    integer :: many, wrong
    character(10) :: value
    logical :: flag
    call c_duplicates(HANDLE_VALUE(MPI_COMM_WORLD), HANDLE_VALUE(comm))
    call MPI_Comm_size(comm, many, ierror)
    CHECK_INT(many, ranks)
    call MPI_Comm_group(comm, group, ierror)
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, 'colour', 'dark blue', ierror)
    call c_uses_group_and_info(HANDLE_VALUE(group), HANDLE_VALUE(info), many, wrong)
    CHECK_INT(wrong, 0)
    call MPI_Info_get(info, 'taste', 10, value, flag, ierror)
    CHECK(flag)
    CHECK_TEXT(value, 'sweet     ')
    call MPI_Info_free(info, ierror)
    call MPI_Group_free(group, ierror)
    call c_frees(HANDLE_VALUE(comm))
    CHECK(comm == MPI_COMM_NULL)
  end subroutine

  subroutine requests
    A_REQUEST :: request, mine
    A_STATUS :: status
    integer, target :: x(2), y(2)   ! not ASYNCHRONOUS: the procedures of C have no interface
    integer :: wrong, got
    x = (/5, 6/)
    call c_receives(y, 2, rank, 1, HANDLE_VALUE(MPI_COMM_WORLD), HANDLE_VALUE(request))
    call MPI_Send(x, 2, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, ierror)
    call MPI_Wait(request, status, ierror)
    CHECK(request == MPI_REQUEST_NULL)
    CHECK_INT(y, x)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 2)
    y = 0
    call MPI_Irecv(y, 2, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, mine, ierror)
    call MPI_Send(x, 2, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, ierror)
    call c_waits(HANDLE_VALUE(mine), rank, wrong)
    CHECK_INT(wrong, 0)
    CHECK(mine == MPI_REQUEST_NULL)
    CHECK_INT(y, x)
  end subroutine

  subroutine statuses
    A_STATUS :: status
    integer :: source, tag, got
    logical :: flag
    call MPI_Recv(got, 0, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD, status, ierror)
    call reads(status, source, tag, got)
    CHECK_INT((/source, tag, got/), (/MPI_PROC_NULL, MPI_ANY_TAG, 0/))
    call writes(status)
    CHECK_INT(SOURCE_OF(status), 31)
    CHECK_INT(TAG_OF(status), 32)
    CHECK_INT(ERROR_OF(status), MPI_ERR_TRUNCATE)
    call MPI_Get_count(status, MPI_INTEGER, got, ierror)
    CHECK_INT(got, 33)
    call MPI_Test_cancelled(status, flag, ierror)
    CHECK(flag)
    call reads(status, source, tag, got)
    CHECK_INT((/source, tag, got/), (/31, 32, 33/))
  end subroutine

  subroutine reads(status, source, tag, got)
    A_STATUS :: status
    integer, intent(out) :: source, tag, got
#if defined(WITH_MPI_F08)
    call c_reads_status_f08(status, source, tag, got)
#else
    call c_reads_status(status, source, tag, got)
#endif
  end subroutine

  subroutine writes(status)
    A_STATUS :: status
#if defined(WITH_MPI_F08)
    call c_writes_status_f08(status)
#else
    call c_writes_status(status)
#endif
  end subroutine

#if defined(WITH_MPI_F08) || (defined(WITH_MPI) && !defined(WITH_PEER))
  ! The form of mpi_f08 and the older one.
  subroutine between_modules
    integer :: old(MPI_STATUS_SIZE), other(MPI_STATUS_SIZE)
    type(MPI_Status) :: new
    call c_writes_status(old)
    call MPI_Status_f2f08(old, new, ierror)
    CHECK_INT(new%MPI_SOURCE, 31)
    CHECK_INT(new%MPI_TAG, 32)
    CHECK_INT(new%MPI_ERROR, MPI_ERR_TRUNCATE)
    other = 0
    call MPI_Status_f082f(new, other, ierror)
    CHECK_INT(other, old)
  end subroutine
#endif

end module
