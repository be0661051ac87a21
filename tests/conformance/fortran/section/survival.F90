! What waits for a request on a section survives other requests, inquiries and calls that fail.
! interfaces: mpi_f08
! only: pamir
#include "interface.h"
module survival_program
  use check
#include "scope.h"
contains

  subroutine survival
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call other_request_freed
    call inquired
    call refused
    call not_there
    call out_of_order
    call packed
  end subroutine

  ! Requests that are complete at once may share a handle.
  subroutine other_request_freed
    integer, BUFFER :: a(8), b(8), x, y
    type(MPI_Request) :: collective, message
    a = 3
    b = -1
    x = 9
    call MPI_Iallreduce(a(::2), b(::2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, collective)
    call MPI_Isend(x, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, message)
    call MPI_Request_free(message)
    call MPI_Wait(collective, MPI_STATUS_IGNORE)
    CHECK_INT(b, (/3, -1, 3, -1, 3, -1, 3, -1/))
    call MPI_Recv(y, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_INT(y, 9)
  end subroutine

  ! A program may read the buffer when it has seen that the operation is complete.
  subroutine inquired
    integer, BUFFER :: a(8), b(8)
    type(MPI_Request) :: request
    logical :: done
    a = 3
    b = -1
    done = .false.
    call MPI_Iallreduce(a(::2), b(::2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    do while (.not. done)
      call MPI_Request_get_status(request, done, MPI_STATUS_IGNORE)
    end do
    CHECK_INT(b(::2), 3*ranks)
    b = 7
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(b, 7)
  end subroutine

  subroutine refused
    integer, BUFFER :: a(8), b(8)
    integer :: place, many, places(2), code
    type(MPI_Request) :: list(2)
    type(MPI_Errhandler) :: before
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, before)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    a = 3
    b = -1
    call MPI_Iallreduce(a(::2), b(::2), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, list(2))
    list(1) = MPI_Request(5000)
    call MPI_Waitall(2, list, MPI_STATUSES_IGNORE, code)
    CHECK(code /= MPI_SUCCESS)
    place = 77
    call MPI_Waitany(2, list, place, MPI_STATUS_IGNORE, code)
    CHECK(code /= MPI_SUCCESS)
    many = 99
    call MPI_Waitsome(-1, list, many, places, MPI_STATUSES_IGNORE, code)
    CHECK(code /= MPI_SUCCESS)
    call MPI_Wait(list(2), MPI_STATUS_IGNORE)
    CHECK_INT(b(::2), 3*ranks)
    CHECK_INT(b(2::2), -1)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, before)
  end subroutine

  ! Where a buffer is not significant it may be a pointer to nothing.
  subroutine not_there
    integer, target :: strided(16)
    integer, pointer :: all(:)
    integer :: i
    all => strided(::2)
    nullify (all)
    if (rank == 0) allocate (all(ranks))
    call MPI_Gather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      CHECK_INT(all, (/(i, i=0, ranks - 1)/))
      deallocate (all)
    end if
  end subroutine

  ! A datatype without gaps whose members stand in another order than in memory.
  subroutine out_of_order
    integer :: a(16), b(8), i
    type(MPI_Datatype) :: swapped
    a = [(i, i=1, 16)]
    call MPI_Type_indexed(2, [1, 1], [1, 0], MPI_INTEGER, swapped)
    call MPI_Type_commit(swapped)
    call MPI_Sendrecv(a(1:16:2), 4, swapped, rank, 0, b, 8, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_INT(b, (/3, 1, 7, 5, 11, 9, 15, 13/))
    call MPI_Type_free(swapped)
  end subroutine

  ! A representation of its own is that of the datatype, however the section lies.
  subroutine packed
    real(8) :: parts(8), back(8)
    character :: strided(32), whole(32)
    integer(MPI_ADDRESS_KIND) :: position
    integer :: i
    parts = [(1.5d0*i, i=1, 8)]
    position = 0
    call MPI_Pack_external('external32', parts(1:8:2), 2, MPI_DOUBLE_COMPLEX, strided, 32_MPI_ADDRESS_KIND, position)
    position = 0
    call MPI_Pack_external('external32', [parts(1:8:2)], 2, MPI_DOUBLE_COMPLEX, whole, 32_MPI_ADDRESS_KIND, position)
    CHECK(all(strided == whole))
    back = 0
    position = 0
    call MPI_Unpack_external('external32', strided, 32_MPI_ADDRESS_KIND, position, back(1:8:2), 2, MPI_DOUBLE_COMPLEX)
    CHECK(all(back(1::2) == parts(1::2)) .and. all(back(2::2) == 0))
  end subroutine

end module
