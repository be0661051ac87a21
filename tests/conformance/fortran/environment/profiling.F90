! The names that begin with PMPI, in every interface, and comparisons of handles.
#include "interface.h"
module profiling_program
  use check
#include "scope.h"
contains

  subroutine profiling
    A_COMM :: comm, other
    A_DATATYPE :: type
    AN_OP :: op
    A_REQUEST :: requests(2)
    A_STATUS :: status
    AN_INFO :: info
    integer, BUFFER :: x(4), y(4)
    integer :: many, here, length
    character(MPI_MAX_OBJECT_NAME) :: name
    logical :: flag
    call PMPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call PMPI_Comm_size(comm, many, ierror)
    call PMPI_Comm_rank(comm, here, ierror)
    CHECK_INT((/many, here/), (/ranks, rank/))
    x = (/1, 2, 3, 4/)*(rank + 1)
    y = -1
    call PMPI_Irecv(y, 4, MPI_INTEGER, rank, 1, comm, requests(1), ierror)
    call PMPI_Isend(x, 4, MPI_INTEGER, rank, 1, comm, requests(2), ierror)
    call PMPI_Wait(requests(1), status, ierror)
    call PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    CHECK_INT(y, x)
    call PMPI_Get_count(status, MPI_INTEGER, many, ierror)
    CHECK_INT(many, 4)
    call PMPI_Allreduce(MPI_IN_PLACE, y, 4, MPI_INTEGER, MPI_MAX, comm, ierror)
    CHECK_INT(y, (/1, 2, 3, 4/)*ranks)
    call PMPI_Type_contiguous(2, MPI_INTEGER, type, ierror)
    call PMPI_Type_commit(type, ierror)
    call PMPI_Bcast(y, 2, type, 0, comm, ierror)
    call PMPI_Comm_set_name(comm, 'profiled', ierror)
    call PMPI_Comm_get_name(comm, name, length, ierror)
    CHECK_TEXT(name(:length), 'profiled')
    call PMPI_Info_create(info, ierror)
    call PMPI_Info_set(info, 'a', 'b', ierror)
    call PMPI_Info_get(info, 'a', 3, name, flag, ierror)
    CHECK(flag)
    call PMPI_Info_free(info, ierror)
    ! Handles are compared as they are.
    other = comm
    CHECK(other == comm)
    CHECK(.not. (other /= comm))
    CHECK(comm /= MPI_COMM_WORLD)
    CHECK(type /= MPI_INTEGER)
    op = MPI_SUM
    CHECK(op == MPI_SUM)
    CHECK(requests(1) == requests(2))
    CHECK(MPI_COMM_NULL /= MPI_COMM_WORLD)
    call PMPI_Type_free(type, ierror)
    call PMPI_Comm_free(comm, ierror)
    call PMPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine

end module
