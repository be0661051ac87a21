! Packing in this machine's form and in the external one.
#include "interface.h"
module packing_program
  use check
#include "scope.h"
contains

  subroutine packing
    call native
    call external
  end subroutine

  subroutine native
    integer :: n, m, position, bytes, more, i
    real(8) :: x(3), y(3)
    character(5) :: word, heard
    character(200) :: room
    A_STATUS :: status
    n = 7 + rank
    x = (/1.25d0, 2.5d0, -3d0/) + rank
    word = 'hello'
    call MPI_Pack_size(1, MPI_INTEGER, MPI_COMM_WORLD, bytes, ierror)
    call MPI_Pack_size(3, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, more, ierror)
    CHECK(bytes >= 4 .and. more >= 24)
    position = 0
    call MPI_Pack(n, 1, MPI_INTEGER, room, 200, position, MPI_COMM_WORLD, ierror)
    call MPI_Pack(x, 3, MPI_DOUBLE_PRECISION, room, 200, position, MPI_COMM_WORLD, ierror)
    call MPI_Pack(word, 5, MPI_CHARACTER, room, 200, position, MPI_COMM_WORLD, ierror)
    CHECK(position >= 33 .and. position <= 200)
    bytes = position
    call MPI_Sendrecv_replace(room, position, MPI_PACKED, mod(rank + 1, ranks), 1, mod(rank + ranks - 1, ranks), 1, &
                              MPI_COMM_WORLD, status, ierror)
    call MPI_Get_count(status, MPI_PACKED, i, ierror)
    CHECK_INT(i, bytes)
    position = 0
    call MPI_Unpack(room, bytes, position, m, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call MPI_Unpack(room, bytes, position, y, 3, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
    call MPI_Unpack(room, bytes, position, heard, 5, MPI_CHARACTER, MPI_COMM_WORLD, ierror)
    CHECK_INT(position, bytes)
    CHECK_INT(m, 7 + mod(rank + ranks - 1, ranks))
    CHECK_REAL(y, (/1.25d0, 2.5d0, -3d0/) + mod(rank + ranks - 1, ranks))
    CHECK_TEXT(heard, 'hello')
    ! A message of integers is unpacked as it is.
    call MPI_Sendrecv((/n, 2*n/), 2, MPI_INTEGER, rank, 2, room, 8, MPI_PACKED, rank, 2, MPI_COMM_WORLD, status, ierror)
    position = 0
    call MPI_Unpack(room, 8, position, m, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    CHECK_INT((/m, position/), (/n, 4/))
  end subroutine

  ! Big-endian.
  subroutine external
    integer(MPI_ADDRESS_KIND) :: bytes, position, whole
    integer :: n(2), m(2), i
    real :: x, y
    character(1) :: room(40)
    n = (/1, -2/)
    x = 1.0
    call MPI_Pack_external_size('external32', 2, MPI_INTEGER, bytes, ierror)
    CHECK_INT(bytes, 8)
    whole = 40
    position = 0
    call MPI_Pack_external('external32', n, 2, MPI_INTEGER, room, whole, position, ierror)
    call MPI_Pack_external('external32  ', x, 1, MPI_REAL, room, whole, position, ierror)
    CHECK_INT(position, 12)
    CHECK_INT((/(iachar(room(i)), i=1, 12)/), (/0, 0, 0, 1, 255, 255, 255, 254, 63, 128, 0, 0/))
    position = 0
    call MPI_Unpack_external('external32', room, whole, position, m, 2, MPI_INTEGER, ierror)
    call MPI_Unpack_external('external32', room, whole, position, y, 1, MPI_REAL, ierror)
    CHECK_INT(m, n)
    CHECK_REAL(y, x)
    CHECK_INT(position, 12)
  end subroutine

end module
