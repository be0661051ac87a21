! Constructors of datatypes, with what they say of themselves and the data they move.
#include "interface.h"
module constructors_program
  use check
#include "scope.h"

  integer(MPI_ADDRESS_KIND), parameter :: zero = 0

contains

  subroutine constructors
    call regular
    call irregular
    call records
    call bounds
  end subroutine

  ! Sends one element of a datatype over a(1:24) = 1 to 24 to itself as integers.
  subroutine gives(type, wanted)
    A_DATATYPE, intent(inout) :: type
    integer, intent(in) :: wanted(:)
    integer :: a(24), b(24), i, bytes
    a = (/(i, i=1, 24)/)
    b = -1
    call MPI_Type_commit(type, ierror)
    call MPI_Type_size(type, bytes, ierror)
    CHECK_INT(bytes, 4*size(wanted))
    call MPI_Sendrecv(a, 1, type, rank, 1, b, 24, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b(:size(wanted)), wanted)
    CHECK_INT(b(size(wanted) + 1:), -1)
    ! The other way round.
    b = -1
    call MPI_Sendrecv(wanted, size(wanted), MPI_INTEGER, rank, 1, b, 1, type, rank, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
    CHECK_INT(b(wanted), wanted)
    CHECK_INT(count(b == -1), 24 - size(wanted))
    call MPI_Type_free(type, ierror)
    CHECK(type == MPI_DATATYPE_NULL)
  end subroutine

  subroutine regular
    A_DATATYPE :: type, pair
    integer(MPI_ADDRESS_KIND) :: stride
    call MPI_Type_contiguous(3, MPI_INTEGER, type, ierror)
    call gives(type, (/1, 2, 3/))
    call MPI_Type_vector(3, 2, 5, MPI_INTEGER, type, ierror)
    call gives(type, (/1, 2, 6, 7, 11, 12/))
    stride = 28
    call MPI_Type_create_hvector(3, 1, stride, MPI_INTEGER, type, ierror)
    call gives(type, (/1, 8, 15/))
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
    call MPI_Type_vector(2, 1, 3, pair, type, ierror)
    call gives(type, (/1, 2, 7, 8/))
    call MPI_Type_dup(pair, type, ierror)
    call MPI_Type_free(pair, ierror)
    call gives(type, (/1, 2/))
  end subroutine

  subroutine irregular
    A_DATATYPE :: type
    call MPI_Type_indexed(3, (/1, 3, 2/), (/20, 4, 0/), MPI_INTEGER, type, ierror)
    call gives(type, (/21, 5, 6, 7, 1, 2/))
    call MPI_Type_create_hindexed(2, (/2, 1/), (/8_MPI_ADDRESS_KIND, 40_MPI_ADDRESS_KIND/), MPI_INTEGER, type, ierror)
    call gives(type, (/3, 4, 11/))
    call MPI_Type_create_indexed_block(3, 2, (/4, 0, 8/), MPI_INTEGER, type, ierror)
    call gives(type, (/5, 6, 1, 2, 9, 10/))
    call MPI_Type_create_hindexed_block(2, 3, (/60_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND/), MPI_INTEGER, type, ierror)
    call gives(type, (/16, 17, 18, 2, 3, 4/))
  end subroutine

  ! A sequence of what compilers lay out themselves, by addresses.
  subroutine records
    type record
      sequence
      real(8) :: x
      integer :: n
      character(4) :: word
      logical :: flag
      integer :: unused
    end type
    type(record) :: mine(2), theirs(2)
    integer(MPI_ADDRESS_KIND) :: places(5), begin, low, extent
    A_DATATYPE :: types(4), made, whole
    integer :: next, last
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    call MPI_Get_address(mine(1), begin, ierror)
    call MPI_Get_address(mine(1)%x, places(1), ierror)
    call MPI_Get_address(mine(1)%n, places(2), ierror)
    call MPI_Get_address(mine(1)%word, places(3), ierror)
    call MPI_Get_address(mine(1)%flag, places(4), ierror)
    call MPI_Get_address(mine(2), places(5), ierror)
    places = places - begin
    types(1) = MPI_DOUBLE_PRECISION
    types(2) = MPI_INTEGER
    types(3) = MPI_CHARACTER
    types(4) = MPI_LOGICAL
    call MPI_Type_create_struct(4, (/1, 1, 4, 1/), places, types, made, ierror)
    call MPI_Type_create_resized(made, zero, places(5), whole, ierror)
    call MPI_Type_commit(whole, ierror)
    call MPI_Type_get_extent(whole, low, extent, ierror)
    CHECK_INT((/low, extent/), (/zero, places(5)/))
    mine(1) = record(1.5d0 + rank, rank, 'ab'//achar(48 + rank)//'z', .true., 1)
    mine(2) = record(-1.5d0, -rank, 'last', .false., 2)
    theirs%unused = -4
    call MPI_Sendrecv(mine, 2, whole, next, 1, theirs, 2, whole, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_REAL(theirs%x, (/1.5d0 + last, -1.5d0/))
    CHECK_INT(theirs%n, (/last, -last/))
    CHECK_TEXT(theirs(1)%word//theirs(2)%word, 'ab'//achar(48 + last)//'zlast')
    CHECK(theirs(1)%flag .and. .not. theirs(2)%flag)
    CHECK_INT(theirs%unused, -4)
    call MPI_Type_free(made, ierror)
    call MPI_Type_free(whole, ierror)
  end subroutine

  subroutine bounds
    A_DATATYPE :: type, wide
    integer(MPI_ADDRESS_KIND) :: low, extent, minus, many
    integer(MPI_COUNT_KIND) :: size_x, low_x, extent_x
    call MPI_Type_vector(2, 1, 3, MPI_INTEGER, type, ierror)
    minus = -8
    many = 100
    call MPI_Type_create_resized(type, minus, many, wide, ierror)
    call MPI_Type_get_extent(wide, low, extent, ierror)
    CHECK_INT((/low, extent/), (/-8, 100/))
    call MPI_Type_get_true_extent(wide, low, extent, ierror)
    CHECK_INT((/low, extent/), (/0, 16/))
    call MPI_Type_get_extent_x(wide, low_x, extent_x, ierror)
    CHECK_INT((/low_x, extent_x/), (/-8, 100/))
    call MPI_Type_get_true_extent_x(wide, low_x, extent_x, ierror)
    CHECK_INT((/low_x, extent_x/), (/0, 16/))
    call MPI_Type_size_x(wide, size_x, ierror)
    CHECK_INT(size_x, 8)
    call MPI_Type_free(type, ierror)
    call MPI_Type_free(wide, ierror)
  end subroutine

end module
