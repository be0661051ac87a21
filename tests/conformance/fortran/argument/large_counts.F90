! Counts of MPI_COUNT_KIND by the same names, and the questions that give such counts.
! interfaces: mpi_f08
! differs: MPICH 4.0 lacks MPI_Op_create_c
#include "interface.h"
module large_counts_program
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use check
#include "scope.h"
contains

  subroutine large_counts
    call messages
    call collectives
    call datatypes
    call operations
    call huge_types
  end subroutine

  subroutine messages
    integer(MPI_COUNT_KIND) :: many, got
    integer :: a(6), b(6), narrow, next, last
    type(MPI_Status) :: status
    type(MPI_Request) :: requests(2)
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    many = 3
    a = [1, 2, 3, 4, 5, 6] + 10*rank
    b = -1
    call MPI_Sendrecv(a, many, MPI_INTEGER, next, 1, b, many, MPI_INTEGER, last, 1, MPI_COMM_WORLD, status)
    CHECK_INT(b, (/1 + 10*last, 2 + 10*last, 3 + 10*last, -1, -1, -1/))
    call MPI_Get_count(status, MPI_INTEGER, got)
    CHECK_INT(got, 3)
    call MPI_Get_elements(status, MPI_INTEGER, got)
    CHECK_INT(got, 3)
    call MPI_Get_count(status, MPI_INTEGER, narrow)
    CHECK_INT(narrow, 3)
    b = -1
    call MPI_Irecv(b(::2), many, MPI_INTEGER, last, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(6:1:-2), many, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    CHECK_INT(b(::2), (/6, 4, 2/) + 10*last)
    CHECK_INT(b(2::2), -1)
  end subroutine

  subroutine collectives
    integer(MPI_COUNT_KIND) :: one, ones(ranks)
    integer(MPI_ADDRESS_KIND) :: places(ranks)
    integer :: i, a(ranks), b(ranks), sums(2)
    one = 1
    ones = 1
    places = [(i, i=ranks - 1, 0, -1)]
    a = rank
    b = -1
    call MPI_Allgatherv(a, one, MPI_INTEGER, b, ones, places, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b, places)
    call MPI_Alltoallv(a, ones, places, MPI_INTEGER, b, ones, places, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b, places)
    call MPI_Allreduce([rank, 1], sums, 2_MPI_COUNT_KIND, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    CHECK_INT(sums, (/ranks*(ranks - 1)/2, ranks/))
    call MPI_Bcast(sums, one, MPI_INTEGER, 0, MPI_COMM_WORLD)
  end subroutine

  subroutine datatypes
    type(MPI_Datatype) :: type
    integer(MPI_COUNT_KIND) :: bytes, low, extent
    integer :: a(8), b(4), i
    a = [(i, i=1, 8)]
    call MPI_Type_vector(2_MPI_COUNT_KIND, 2_MPI_COUNT_KIND, 4_MPI_COUNT_KIND, MPI_INTEGER, type)
    call MPI_Type_commit(type)
    call MPI_Type_size(type, bytes)
    CHECK_INT(bytes, 16)
    call MPI_Type_get_extent(type, low, extent)
    CHECK_INT((/low, extent/), (/0, 24/))
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 4, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_INT(b, (/1, 2, 5, 6/))
    call MPI_Type_free(type)
    call MPI_Type_create_struct(2_MPI_COUNT_KIND, [1_MPI_COUNT_KIND, 2_MPI_COUNT_KIND], &
                                [0_MPI_COUNT_KIND, 12_MPI_COUNT_KIND], [MPI_INTEGER, MPI_INTEGER], type)
    call MPI_Type_commit(type)
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 4, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_INT(b(:3), (/1, 4, 5/))
    call MPI_Type_free(type)
  end subroutine

  ! A user's operation whose length is a large count.
  subroutine operations
    type(MPI_Op) :: op
    integer :: x(2), y(2)
    call MPI_Op_create_c(larger, .true., op)
    x = [rank, -rank]
    call MPI_Allreduce(x, y, 2_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
    CHECK_INT(y, (/ranks - 1, 0/))
    call MPI_Allreduce(x, y, 2, MPI_INTEGER, op, MPI_COMM_WORLD)
    CHECK_INT(y, (/ranks - 1, 0/))
    call MPI_Op_free(op)
  end subroutine

  subroutine larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: x(:), y(:)
    call c_f_pointer(invec, x, [len])
    call c_f_pointer(inoutvec, y, [len])
    CHECK(datatype == MPI_INTEGER)
    y = max(x, y)
  end subroutine

  ! Sizes that no INTEGER holds.
  subroutine huge_types
    type(MPI_Datatype) :: long, longer
    integer(MPI_COUNT_KIND) :: bytes, low, extent
    integer :: narrow
    integer(MPI_COUNT_KIND), parameter :: wanted = 8_MPI_COUNT_KIND*1500000000_MPI_COUNT_KIND
    call MPI_Type_contiguous(1500000000, MPI_INTEGER8, long)
    call MPI_Type_size_x(long, bytes)
    CHECK_INT(bytes, wanted)
    call MPI_Type_size(long, narrow)
    CHECK_INT(narrow, MPI_UNDEFINED)
    call MPI_Type_get_extent_x(long, low, extent)
    CHECK_INT((/low, extent/), (/0_MPI_COUNT_KIND, wanted/))
    call MPI_Type_get_true_extent_x(long, low, extent)
    CHECK_INT((/low, extent/), (/0_MPI_COUNT_KIND, wanted/))
    call MPI_Type_contiguous(3000000000_MPI_COUNT_KIND, MPI_INTEGER8, longer)
    call MPI_Type_size(longer, bytes)
    CHECK_INT(bytes, 2*wanted)
    call MPI_Type_free(long)
    call MPI_Type_free(longer)
  end subroutine

end module
