! Communicators: copies, parts, and those between two groups.
#include "interface.h"
module communicators_program
  use check
#include "scope.h"
contains

  subroutine communicators
    call copies
    call parts
    call between
  end subroutine

  subroutine copies
    A_COMM :: comm, other
    A_REQUEST :: request
    AN_INFO :: info
    integer :: answer, many
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_compare(MPI_COMM_WORLD, comm, answer, ierror)
    CHECK_INT(answer, MPI_CONGRUENT)
    call MPI_Comm_compare(comm, comm, answer, ierror)
    CHECK_INT(answer, MPI_IDENT)
    call MPI_Comm_idup(comm, other, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Comm_size(other, many, ierror)
    CHECK_INT(many, ranks)
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, other, ierror)
    call MPI_Comm_get_info(other, info, ierror)
    CHECK(info /= MPI_INFO_NULL)
    call MPI_Comm_set_info(other, info, ierror)
    call MPI_Info_free(info, ierror)
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_free(comm, ierror)
    CHECK(comm == MPI_COMM_NULL)
  end subroutine

  subroutine parts
    A_COMM :: half, comm
    A_GROUP :: world, first
    integer :: here, many, i
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
    call MPI_Comm_rank(half, here, ierror)
    call MPI_Comm_size(half, many, ierror)
    CHECK_INT(many, (ranks + 1 - mod(rank, 2))/2)
    CHECK_INT(here, many - 1 - rank/2)
    call MPI_Allreduce(rank, i, 1, MPI_INTEGER, MPI_MAX, half, ierror)
    CHECK_INT(i, 2*(many - 1) + mod(rank, 2))
    call MPI_Comm_free(half, ierror)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, rank == 0), 0, half, ierror)
    CHECK((half == MPI_COMM_NULL) .eqv. rank /= 0)
    if (rank == 0) call MPI_Comm_free(half, ierror)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
    call MPI_Group_incl(world, 1, (/ranks - 1/), first, ierror)
    call MPI_Comm_create(MPI_COMM_WORLD, first, comm, ierror)
    CHECK((comm == MPI_COMM_NULL) .eqv. rank /= ranks - 1)
    if (comm /= MPI_COMM_NULL) call MPI_Comm_free(comm, ierror)
    if (rank == ranks - 1) then
      call MPI_Comm_create_group(MPI_COMM_WORLD, first, 17, comm, ierror)
      call MPI_Comm_size(comm, many, ierror)
      CHECK_INT(many, 1)
      call MPI_Comm_free(comm, ierror)
    end if
    call MPI_Group_free(first, ierror)
    call MPI_Group_free(world, ierror)
  end subroutine

  ! Rank 0 on one side, all others on the other.
  subroutine between
    A_COMM :: side, both, merged
    integer :: many, here, x, i
    logical :: flag
    integer :: all(ranks)
    call MPI_Comm_test_inter(MPI_COMM_WORLD, flag, ierror)
    CHECK(.not. flag)
    if (ranks == 1) return
    call MPI_Comm_split(MPI_COMM_WORLD, min(rank, 1), rank, side, ierror)
    call MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, merge(1, 0, rank == 0), 5, both, ierror)
    call MPI_Comm_test_inter(both, flag, ierror)
    CHECK(flag)
    call MPI_Comm_remote_size(both, many, ierror)
    CHECK_INT(many, merge(ranks - 1, 1, rank == 0))
    x = 40 + rank
    if (rank == 0) then
      call MPI_Bcast(x, 1, MPI_INTEGER, MPI_ROOT, both, ierror)
    else
      call MPI_Bcast(x, 1, MPI_INTEGER, 0, both, ierror)
    end if
    CHECK_INT(x, 40)
    all = -1
    call MPI_Allgather(100 + rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, both, ierror)
    if (rank == 0) then
      CHECK_INT(all(:ranks - 1), (/(100 + i, i=1, ranks - 1)/))
    else
      CHECK_INT(all(1), 100)
    end if
    call MPI_Intercomm_merge(both, rank == 0, merged, ierror)
    call MPI_Comm_size(merged, many, ierror)
    call MPI_Comm_rank(merged, here, ierror)
    CHECK_INT((/many, here/), (/ranks, mod(rank + ranks - 1, ranks)/))
    call MPI_Comm_free(merged, ierror)
    call MPI_Comm_free(both, ierror)
    call MPI_Comm_free(side, ierror)
  end subroutine

end module
