! Calls without an error code, by keywords, and in an expression: mpi_f08 alone.
! interfaces: mpi_f08
#include "interface.h"
module optional_codes_program
  use check
#include "scope.h"
contains

  subroutine optional_codes
    type(MPI_Comm) :: comm
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    type(MPI_Op) :: op
    type(MPI_Win) :: win
    type(MPI_Info) :: info
    integer :: many, x, y, code
    integer, BUFFER :: memory(4)
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, newcomm=comm)
    call MPI_Comm_size(comm=comm, size=many)
    CHECK_INT(many, ranks)
    x = rank
    call MPI_Irecv(buf=y, count=1, datatype=MPI_INTEGER, source=rank, tag=3, comm=comm, request=request)
    call MPI_Send(x, 1, MPI_INTEGER, dest=rank, tag=3, comm=comm)
    call MPI_Wait(request, status)
    CHECK_INT(y, rank)
    code = -1
    call MPI_Allreduce(sendbuf=x, recvbuf=y, count=1, datatype=MPI_INTEGER, op=MPI_SUM, comm=comm, ierror=code)
    CHECK_INT(code, MPI_SUCCESS)
    CHECK_INT(y, ranks*(ranks - 1)/2)
    call MPI_Info_create(info)
    call MPI_Info_set(info, key='k', value='v')
    call MPI_Info_free(info)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, win)
    call MPI_Win_free(win)
    call MPI_Iprobe(MPI_PROC_NULL, 0, comm, flag, status)
    CHECK(flag)
    call hand_on(comm, code)
    CHECK_INT(code, MPI_SUCCESS)
    call hand_on(comm)
    op = MPI_SUM
    CHECK(op == MPI_SUM .and. op /= MPI_MAX)
    CHECK(count([MPI_INTEGER, MPI_REAL, MPI_INTEGER] == MPI_INTEGER) == 2)
    request = MPI_Request(HANDLE_VALUE(MPI_REQUEST_NULL))
    CHECK(request == MPI_REQUEST_NULL)
    call MPI_Comm_free(comm)
  end subroutine

  ! An absent code handed on stays absent.
  subroutine hand_on(comm, code)
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: code
    call MPI_Barrier(comm, code)
  end subroutine

end module
