! Groups: making, comparing, translating.
#include "interface.h"
module groups_program
  use check
#include "scope.h"
contains

  subroutine groups
    A_GROUP :: world, some, others, made
    integer :: many, here, i, answer, list(ranks), translated(ranks), triple(3, 1)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
    call MPI_Group_size(world, many, ierror)
    CHECK_INT(many, ranks)
    call MPI_Group_rank(world, here, ierror)
    CHECK_INT(here, rank)
    list = (/(i, i=ranks - 1, 0, -1)/)
    call MPI_Group_incl(world, ranks, list, some, ierror)
    call MPI_Group_compare(world, some, answer, ierror)
    CHECK_INT(answer, merge(MPI_IDENT, MPI_SIMILAR, ranks == 1))
    call MPI_Group_translate_ranks(world, ranks, (/(i, i=0, ranks - 1)/), some, translated, ierror)
    CHECK_INT(translated, list)
    call MPI_Group_excl(world, 1, (/0/), others, ierror)
    if (ranks == 1) then
      CHECK(others == MPI_GROUP_EMPTY)
    else
      call MPI_Group_size(others, many, ierror)
      CHECK_INT(many, ranks - 1)
      call MPI_Group_rank(others, here, ierror)
      CHECK_INT(here, merge(MPI_UNDEFINED, rank - 1, rank == 0))
    end if
    call MPI_Group_union(others, world, made, ierror)
    call MPI_Group_size(made, many, ierror)
    CHECK_INT(many, ranks)
    call MPI_Group_free(made, ierror)
    call MPI_Group_intersection(world, others, made, ierror)
    call MPI_Group_size(made, many, ierror)
    CHECK_INT(many, ranks - 1)
    if (made /= MPI_GROUP_EMPTY) call MPI_Group_free(made, ierror)
    call MPI_Group_difference(world, others, made, ierror)
    call MPI_Group_size(made, many, ierror)
    CHECK_INT(many, 1)
    call MPI_Group_free(made, ierror)
    triple(:, 1) = (/0, ranks - 1, 2/)
    call MPI_Group_range_incl(world, 1, triple, made, ierror)
    call MPI_Group_size(made, many, ierror)
    CHECK_INT(many, (ranks + 1)/2)
    call MPI_Group_free(made, ierror)
    call MPI_Group_range_excl(world, 1, triple, made, ierror)
    call MPI_Group_size(made, many, ierror)
    CHECK_INT(many, ranks/2)
    if (made /= MPI_GROUP_EMPTY) call MPI_Group_free(made, ierror)
    call MPI_Group_free(some, ierror)
    CHECK(some == MPI_GROUP_NULL)
    if (others /= MPI_GROUP_EMPTY) call MPI_Group_free(others, ierror)
    call MPI_Group_free(world, ierror)
  end subroutine

end module
