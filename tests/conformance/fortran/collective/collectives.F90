! The blocking collective operations, with and without MPI_IN_PLACE.
#include "interface.h"
module collectives_program
  use check
#include "scope.h"
contains

  subroutine collectives
    integer :: root
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    do root = 0, ranks - 1
      call from_root(root)
      call to_root(root)
    end do
    call among_all
    call reductions
    call in_place
  end subroutine

  ! Block i of a vector whose blocks have i elements, and where it begins.
  subroutine blocks(counts, places)
    integer, intent(out) :: counts(0:ranks - 1), places(0:ranks - 1)
    integer :: i
    counts = (/(i + 1, i=0, ranks - 1)/)
    places = (/(i*(i + 3)/2, i=0, ranks - 1)/)   ! a gap of one behind each
  end subroutine

  subroutine from_root(root)
    integer, intent(in) :: root
    integer :: counts(0:ranks - 1), places(0:ranks - 1), long, i, j
    real(8) :: x(4)
    character(6) :: word
    integer, allocatable :: all(:), mine(:)
    x = -1
    if (rank == root) x = (/1, 2, 3, 4/) + 0.25d0*root
    call MPI_Bcast(x, 4, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, ierror)
    CHECK_REAL(x, (/1, 2, 3, 4/) + 0.25d0*root)
    word = ' '
    if (rank == root) word = 'orange'
    call MPI_Bcast(word, 6, MPI_CHARACTER, root, MPI_COMM_WORLD, ierror)
    CHECK_TEXT(word, 'orange')
    allocate (mine(2), all(2*ranks))
    all = (/(10*root + i, i=1, 2*ranks)/)
    call MPI_Scatter(all, 2, MPI_INTEGER, mine, 2, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    CHECK_INT(mine, (/10*root + 2*rank + 1, 10*root + 2*rank + 2/))
    deallocate (mine, all)
    call blocks(counts, places)
    long = places(ranks - 1) + counts(ranks - 1)
    allocate (mine(ranks), all(0:long - 1))
    do i = 0, ranks - 1
      do j = 0, counts(i) - 1
        all(places(i) + j) = 100*i + j
      end do
    end do
    mine = -7
    call MPI_Scatterv(all, counts, places, MPI_INTEGER, mine, counts(rank), MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    CHECK_INT(mine(:rank + 1), (/(100*rank + j, j=0, rank)/))
    CHECK_INT(mine(rank + 2:), -7)
  end subroutine

  subroutine to_root(root)
    integer, intent(in) :: root
    integer :: counts(0:ranks - 1), places(0:ranks - 1), long, i, j
    integer :: mine(ranks), all(2*ranks)
    integer, allocatable :: gaps(:)
    all = -1
    mine(1) = 5*rank
    if (ranks > 1) mine(2:) = 0
    call MPI_Gather(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    if (rank == root) then
      CHECK_INT(all(:ranks), (/(5*i, i=0, ranks - 1)/))
    else
      CHECK_INT(all, -1)
    end if
    call blocks(counts, places)
    long = places(ranks - 1) + counts(ranks - 1)
    allocate (gaps(0:long))
    gaps = -3
    mine = rank
    call MPI_Gatherv(mine, rank + 1, MPI_INTEGER, gaps, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    if (rank == root) then
      do i = 0, ranks - 1
        CHECK_INT((/(gaps(places(i) + j), j=0, i)/), i)
        CHECK_INT(gaps(places(i) + counts(i)), -3)
      end do
    end if
    mine(1) = rank + 1
    call MPI_Reduce(mine, all, 1, MPI_INTEGER, MPI_PROD, root, MPI_COMM_WORLD, ierror)
    if (rank == root) then
      CHECK_INT(all(1), product((/(i, i=1, ranks)/)))
    end if
  end subroutine

  subroutine among_all
    integer :: counts(0:ranks - 1), places(0:ranks - 1), types_bytes(0:ranks - 1), long, i, j
    integer :: mine(ranks), all(ranks), theirs(ranks)
    A_DATATYPE :: types(0:ranks - 1)
    integer, allocatable :: gaps(:)
    call MPI_Allgather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, (/(i, i=0, ranks - 1)/))
    call blocks(counts, places)
    long = places(ranks - 1) + counts(ranks - 1)
    allocate (gaps(0:long))
    gaps = -3
    mine = 3*rank
    call MPI_Allgatherv(mine, rank + 1, MPI_INTEGER, gaps, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do i = 0, ranks - 1
      CHECK_INT((/(gaps(places(i) + j), j=0, i)/), 3*i)
      CHECK_INT(gaps(places(i) + counts(i)), -3)
    end do
    mine = (/(100*rank + i, i=0, ranks - 1)/)
    call MPI_Alltoall(mine, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(theirs, (/(100*i + rank, i=0, ranks - 1)/))
    ! One element to each, in reverse order on both sides.
    counts = 1
    places = (/(ranks - 1 - i, i=0, ranks - 1)/)
    theirs = -1
    call MPI_Alltoallv(mine, counts, places, MPI_INTEGER, theirs, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(theirs, (/(100*(ranks - 1 - i) + ranks - 1 - rank, i=0, ranks - 1)/))
    types = MPI_INTEGER
    types_bytes = 4*places
    theirs = -1
    call MPI_Alltoallw(mine, counts, types_bytes, types, theirs, counts, types_bytes, types, MPI_COMM_WORLD, ierror)
    CHECK_INT(theirs, (/(100*(ranks - 1 - i) + ranks - 1 - rank, i=0, ranks - 1)/))
  end subroutine

  subroutine reductions
    integer :: counts(0:ranks - 1), i, mine(ranks), sums(ranks), one(2), two(2)
    real :: x(2), y(2)
    logical :: truth, all
    mine = (/(rank + i, i=1, ranks)/)
    call MPI_Allreduce(mine, sums, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(sums, (/(ranks*(ranks - 1)/2 + ranks*i, i=1, ranks)/))
    x = (/rank + 1.0, -rank - 1.0/)
    call MPI_Allreduce(x, y, 2, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK_REAL(y, (/real(ranks), -1.0/))
    truth = rank /= ranks - 1
    call MPI_Allreduce(truth, all, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    CHECK(.not. all)
    call MPI_Allreduce(truth, all, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
    CHECK(all .eqv. ranks > 1)
    counts = 1
    call MPI_Reduce_scatter(mine, one, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(one(1), ranks*(ranks - 1)/2 + ranks*(rank + 1))
    call MPI_Reduce_scatter_block(mine, one, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK_INT(one(1), ranks - 1 + rank + 1)
    one = (/rank, 1/)
    two = -1
    call MPI_Scan(one, two, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(two, (/rank*(rank + 1)/2, rank + 1/))
    two = -1
    call MPI_Exscan(one, two, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank > 0) then
      CHECK_INT(two, (/rank*(rank - 1)/2, rank/))
    end if
    one = (/3, 4/)
    two = (/10, 20/)
    call MPI_Reduce_local(one, two, 2, MPI_INTEGER, MPI_SUM, ierror)
    CHECK_INT(two, (/13, 24/))
    one = (/rank, 10 - rank/)
    call MPI_Allreduce((/rank, 100 + rank/), two, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    CHECK_INT(two, (/ranks - 1, 99 + ranks/))
  end subroutine

  subroutine in_place
    integer :: all(ranks), i, counts(ranks), places(ranks), mine
    A_DATATYPE :: types(ranks)
    counts = 1
    places = (/(i, i=0, ranks - 1)/)
    types = MPI_INTEGER
    all = rank
    call MPI_Allreduce(MPI_IN_PLACE, all, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, ranks*(ranks - 1)/2)
    all = -1
    all(rank + 1) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, places)
    all = -1
    all(rank + 1) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, places)
    all = 10*rank + places
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, 10*places + rank)
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, all, counts, 4*places, types, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, 10*rank + places)
    all = -1
    all(rank + 1) = rank
    if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      CHECK_INT(all, places)
      call MPI_Scatter(all, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      mine = 1
      call MPI_Reduce(MPI_IN_PLACE, mine, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
      CHECK_INT(mine, 1 + ranks*(ranks - 1)/2)
    else
      call MPI_Gather(all(rank + 1), 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call MPI_Scatter(all, 1, MPI_INTEGER, mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      CHECK_INT(mine, rank)
      call MPI_Reduce(mine, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    end if
    all = rank + places
    call MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(all(1), ranks*(ranks - 1)/2 + ranks*rank)
    all = rank + 1
    call MPI_Scan(MPI_IN_PLACE, all, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, (rank + 1)*(rank + 2)/2)
  end subroutine

end module
