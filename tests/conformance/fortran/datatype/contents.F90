! What a datatype was made of.
#include "interface.h"
module contents_program
  use check
#include "scope.h"
contains

  subroutine contents
    A_DATATYPE :: type
    integer :: integers, addresses, types, combiner
    call MPI_Type_get_envelope(MPI_INTEGER, integers, addresses, types, combiner, ierror)
    CHECK_INT((/integers, addresses, types, combiner/), (/0, 0, 0, MPI_COMBINER_NAMED/))
    call MPI_Type_contiguous(3, MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_CONTIGUOUS, (/3/), (/0/), 0, 1)
    call MPI_Type_vector(3, 2, 5, MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_VECTOR, (/3, 2, 5/), (/0/), 0, 1)
    call MPI_Type_create_hvector(3, 2, -50_MPI_ADDRESS_KIND, MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_HVECTOR, (/3, 2/), (/-50/), 1, 1)
    call MPI_Type_indexed(2, (/1, 4/), (/7, 0/), MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_INDEXED, (/2, 1, 4, 7, 0/), (/0/), 0, 1)
    call MPI_Type_create_hindexed(2, (/1, 4/), (/70_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND/), MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_HINDEXED, (/2, 1, 4/), (/70, 0/), 2, 1)
    call MPI_Type_create_indexed_block(2, 3, (/9, 1/), MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_INDEXED_BLOCK, (/2, 3, 9, 1/), (/0/), 0, 1)
    call MPI_Type_dup(MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_DUP, (/0/), (/0/), 0, 1)
    call MPI_Type_create_resized(MPI_REAL, -4_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, type, ierror)
    call holds(type, MPI_COMBINER_RESIZED, (/0/), (/-4, 12/), 2, 1)
    call MPI_Type_create_subarray(2, (/4, 6/), (/2, 3/), (/1, 2/), MPI_ORDER_FORTRAN, MPI_REAL, type, ierror)
    call holds(type, MPI_COMBINER_SUBARRAY, (/2, 4, 6, 2, 3, 1, 2, MPI_ORDER_FORTRAN/), (/0/), 0, 1)
    call structure
    call derived
  end subroutine

  ! Integers (/0/) stand for none where the combiner has none.
  subroutine holds(type, combiner, integers, addresses, many_addresses, many_types)
    A_DATATYPE, intent(inout) :: type
    integer, intent(in) :: combiner, integers(:), addresses(:), many_addresses, many_types
    integer :: many(3), found, got(20), expected
    integer(MPI_ADDRESS_KIND) :: places(20)
    A_DATATYPE :: types(20)
    expected = size(integers)
    if (combiner == MPI_COMBINER_DUP .or. combiner == MPI_COMBINER_RESIZED) expected = 0
    call MPI_Type_get_envelope(type, many(1), many(2), many(3), found, ierror)
    CHECK_INT(found, combiner)
    CHECK_INT(many, (/expected, many_addresses, many_types/))
    got = -77
    places = -77
    call MPI_Type_get_contents(type, many(1), many(2), many(3), got, places, types, ierror)
    CHECK_INT(got(:expected), integers(:expected))
    CHECK_INT(got(expected + 1:), -77)
    CHECK_INT(places(:many_addresses), addresses(:many_addresses))
    CHECK(types(1) == MPI_REAL)
    call MPI_Type_free(type, ierror)
  end subroutine

  subroutine structure
    A_DATATYPE :: made, types(2), found(2)
    integer :: integers(3), bytes
    integer(MPI_ADDRESS_KIND) :: places(2)
    types(1) = MPI_CHARACTER
    types(2) = MPI_DOUBLE_COMPLEX
    call MPI_Type_create_struct(2, (/5, 1/), (/0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND/), types, made, ierror)
    call MPI_Type_get_contents(made, 3, 2, 2, integers, places, found, ierror)
    CHECK_INT(integers, (/2, 5, 1/))
    CHECK_INT(places, (/0, 16/))
    CHECK(found(1) == MPI_CHARACTER .and. found(2) == MPI_DOUBLE_COMPLEX)
    call MPI_Type_size(made, bytes, ierror)
    CHECK_INT(bytes, 21)
    call MPI_Type_free(made, ierror)
  end subroutine

  ! A datatype in another is a new handle, which the program frees.
  subroutine derived
    A_DATATYPE :: inner, outer, found(1)
    integer :: integers(1), bytes
    integer(MPI_ADDRESS_KIND) :: places(1)
    call MPI_Type_contiguous(3, MPI_INTEGER, inner, ierror)
    call MPI_Type_contiguous(2, inner, outer, ierror)
    call MPI_Type_free(inner, ierror)
    call MPI_Type_get_contents(outer, 1, 0, 1, integers, places, found, ierror)
    call MPI_Type_size(found(1), bytes, ierror)
    CHECK_INT(bytes, 12)
    call MPI_Type_free(found(1), ierror)
    call MPI_Type_size(outer, bytes, ierror)
    CHECK_INT(bytes, 24)
    call MPI_Type_free(outer, ierror)
  end subroutine

end module
