! Parts of arrays: subarrays and distributed arrays, in the order of Fortran and of C.
#include "interface.h"
module arrays_program
  use check
#include "scope.h"
contains

  subroutine arrays
    call subarrays
    call columns
    call distributed
  end subroutine

  subroutine subarrays
    A_DATATYPE :: type
    integer :: a(4, 6), b(4, 6), wanted(4, 6), i
    a = reshape((/(i, i=1, 24)/), (/4, 6/))
    call MPI_Type_create_subarray(2, (/4, 6/), (/2, 3/), (/1, 2/), MPI_ORDER_FORTRAN, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    b = -1
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 1, type, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    wanted = -1
    wanted(2:3, 3:5) = a(2:3, 3:5)
    CHECK_INT(reshape(b, (/24/)), reshape(wanted, (/24/)))
    b = -1
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 6, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT((/b(:, 1), b(1:2, 2)/), (/10, 11, 14, 15, 18, 19/))
    call MPI_Type_free(type, ierror)
    ! The same part as C counts dimensions.
    call MPI_Type_create_subarray(2, (/6, 4/), (/3, 2/), (/2, 1/), MPI_ORDER_C, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    b = -1
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 1, type, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(reshape(b, (/24/)), reshape(wanted, (/24/)))
    call MPI_Type_free(type, ierror)
  end subroutine

  ! A row of each rank gathered into a matrix by a resized vector.
  subroutine columns
    A_DATATYPE :: row, next_row
    integer :: mine(5), all(ranks, 5), i, j
    integer(MPI_ADDRESS_KIND) :: low, extent
    call MPI_Type_vector(5, 1, ranks, MPI_INTEGER, row, ierror)
    low = 0
    extent = 4
    call MPI_Type_create_resized(row, low, extent, next_row, ierror)
    call MPI_Type_commit(next_row, ierror)
    mine = (/(10*rank + i, i=1, 5)/)
    all = -1
    call MPI_Allgather(mine, 5, MPI_INTEGER, all, 1, next_row, MPI_COMM_WORLD, ierror)
    do i = 1, 5
      CHECK_INT(all(:, i), (/(10*j + i, j=0, ranks - 1)/))
    end do
    call MPI_Type_free(row, ierror)
    call MPI_Type_free(next_row, ierror)
  end subroutine

  ! Each rank takes its part of a vector and of a matrix.
  subroutine distributed
    A_DATATYPE :: type
    integer :: a(12), b(12), i, m(4, 6), part(24), bytes
    a = (/(i, i=1, 12)/)
    call MPI_Type_create_darray(ranks, rank, 1, (/12/), (/MPI_DISTRIBUTE_CYCLIC/), (/2/), (/ranks/), MPI_ORDER_FORTRAN, &
                                MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Type_size(type, bytes, ierror)
    CHECK_INT(bytes, 48/ranks)
    b = -1
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 12, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b(:2), (/2*rank + 1, 2*rank + 2/))
    if (12/ranks > 2) then
      CHECK_INT(b(3:4), (/2*rank + 1, 2*rank + 2/) + 2*ranks)
    end if
    call MPI_Type_free(type, ierror)
    m = reshape((/(i, i=1, 24)/), (/4, 6/))
    call MPI_Type_create_darray(ranks, rank, 2, (/4, 6/), (/MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK/), &
                                (/MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG/), (/1, ranks/), &
                                MPI_ORDER_FORTRAN, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    part = -1
    call MPI_Sendrecv(m, 1, type, rank, 1, part, 24, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(part(:24/ranks), (/(24/ranks*rank + i, i=1, 24/ranks)/))
    call MPI_Type_free(type, ierror)
  end subroutine

end module
