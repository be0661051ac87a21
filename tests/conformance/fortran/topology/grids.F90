! Cartesian topologies: LOGICAL periods, coordinates, shifts, parts.
#include "interface.h"
module grids_program
  use check
#include "scope.h"
contains

  subroutine grids
    A_COMM :: grid, line
    integer :: dims(2), found(2), place(2), here, many, kind, last, next, mapped, other
    logical :: periods(2), kept(2)
    dims = (/0, 1/)
    call MPI_Dims_create(ranks, 2, dims, ierror)
    CHECK_INT(dims, (/ranks, 1/))
    periods = (/.true., .false./)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierror)
    call MPI_Topo_test(grid, kind, ierror)
    CHECK_INT(kind, MPI_CART)
    call MPI_Topo_test(MPI_COMM_WORLD, kind, ierror)
    CHECK_INT(kind, MPI_UNDEFINED)
    call MPI_Cartdim_get(grid, many, ierror)
    CHECK_INT(many, 2)
    call MPI_Comm_rank(grid, here, ierror)
    found = -1
    kept = .false.
    call MPI_Cart_get(grid, 2, found, kept, place, ierror)
    CHECK_INT(found, dims)
    CHECK(kept(1) .and. .not. kept(2))
    CHECK_INT(place, (/here, 0/))
    call MPI_Cart_coords(grid, ranks - 1, 2, place, ierror)
    CHECK_INT(place, (/ranks - 1, 0/))
    call MPI_Cart_rank(grid, (/ranks, 0/), other, ierror)
    CHECK_INT(other, 0)
    call MPI_Cart_shift(grid, 0, 1, last, next, ierror)
    CHECK_INT((/last, next/), (/mod(here + ranks - 1, ranks), mod(here + 1, ranks)/))
    call MPI_Cart_shift(grid, 1, 1, last, next, ierror)
    CHECK_INT((/last, next/), MPI_PROC_NULL)
    call MPI_Cart_sub(grid, (/.false., .true./), line, ierror)
    call MPI_Comm_size(line, many, ierror)
    CHECK_INT(many, 1)
    call MPI_Comm_free(line, ierror)
    call MPI_Cart_sub(grid, (/.true., .false./), line, ierror)
    call MPI_Comm_size(line, many, ierror)
    CHECK_INT(many, ranks)
    call MPI_Cart_get(line, 1, found, kept, place, ierror)
    CHECK(kept(1))
    CHECK_INT(found(1), ranks)
    call MPI_Comm_free(line, ierror)
    call MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, mapped, ierror)
    CHECK(mapped >= 0 .and. mapped < ranks)
    call MPI_Comm_free(grid, ierror)
    ! Who is left over gets no communicator.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, (/1/), (/.false./), .false., grid, ierror)
    if (rank == 0) then
      CHECK(grid /= MPI_COMM_NULL)
      call MPI_Comm_free(grid, ierror)
    else
      CHECK(grid == MPI_COMM_NULL)
    end if
  end subroutine

end module
