! Sections of components, of characters, and with derived datatypes.
! interfaces: mpi_f08
! differs: MPICH 4.0 makes one element of a section, which collective operations cannot divide
#include "interface.h"
module components_program
  use check
#include "scope.h"

  type particle
    integer :: number
    real(8) :: place(3)
    character(5) :: name
  end type

contains

  subroutine components
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call of_records
    call of_characters
    call of_logicals
    call with_derived_datatypes
    call packed
  end subroutine

  subroutine of_records
    type(particle), BUFFER :: p(6), q(6)
    integer :: i, next, last
    type(MPI_Request) :: list(6)
    real(8) :: sums(3)
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    do i = 1, 6
      p(i) = particle(100*rank + i, [1d0, 2d0, 3d0]*i, 'p'//achar(48 + i)//achar(48 + rank))
      q(i) = particle(-1, -1, '.....')
    end do
    call MPI_Irecv(q%number, 6, MPI_INTEGER, last, 1, MPI_COMM_WORLD, list(1))
    call MPI_Irecv(q(6:1:-1)%place(2), 6, MPI_DOUBLE_PRECISION, last, 2, MPI_COMM_WORLD, list(2))
    call MPI_Irecv(q(::2)%name, 15, MPI_CHARACTER, last, 3, MPI_COMM_WORLD, list(3))
    call MPI_Isend(p%number, 6, MPI_INTEGER, next, 1, MPI_COMM_WORLD, list(4))
    call MPI_Isend(p%place(3), 6, MPI_DOUBLE_PRECISION, next, 2, MPI_COMM_WORLD, list(5))
    call MPI_Isend(p(2::2)%name, 15, MPI_CHARACTER, next, 3, MPI_COMM_WORLD, list(6))
    call MPI_Waitall(6, list, MPI_STATUSES_IGNORE)
    CHECK_INT(q%number, (/(100*last + i, i=1, 6)/))
    CHECK_REAL(q%place(2), (/(3*i, i=6, 1, -1)/))
    CHECK_REAL(q%place(1), -1)
    CHECK_REAL(q%place(3), -1)
    do i = 1, 6
      if (mod(i, 2) == 1) then
        CHECK_TEXT(q(i)%name, 'p'//achar(49 + i)//achar(48 + last)//'  ')
      else
        CHECK_TEXT(q(i)%name, '.....')
      end if
    end do
    call MPI_Allreduce(p(1::2)%place(1), sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    CHECK_REAL(sums, ranks*(/1, 3, 5/))
    call MPI_Allreduce(sums, q(6:2:-2)%place(1), 3, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    CHECK_REAL(q%place(1), (/-1, 5*ranks, -1, 3*ranks, -1, ranks/))
  end subroutine

  subroutine of_characters
    character(4) :: words(5), heard(5)
    character(10) :: text, told
    character(1) :: letters(12), few(12)
    integer :: next, last, i
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    words = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee']
    words(:)(4:4) = achar(48 + rank)
    heard = '----'
    call MPI_Sendrecv(words(1::2), 12, MPI_CHARACTER, next, 1, heard(5:1:-2), 12, MPI_CHARACTER, last, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_TEXT(heard(5), 'aaa'//achar(48 + last))
    CHECK_TEXT(heard(3), 'ccc'//achar(48 + last))
    CHECK_TEXT(heard(1), 'eee'//achar(48 + last))
    CHECK_TEXT(heard(2)//heard(4), '--------')
    ! Substrings of every element.
    heard = '----'
    call MPI_Sendrecv(words(:)(2:3), 10, MPI_CHARACTER, next, 2, heard(:)(3:4), 10, MPI_CHARACTER, last, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_TEXT(heard(1)//heard(2)//heard(5), '--aa--bb--ee')
    ! A substring of one variable.
    text = 'abcdefghij'
    told = '0123456789'
    call MPI_Sendrecv(text(3:6), 4, MPI_CHARACTER, next, 3, told(5:), 4, MPI_CHARACTER, last, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    CHECK_TEXT(told, '0123cdef89')
    letters = [(achar(96 + i), i=1, 12)]
    few = '.'
    call MPI_Sendrecv(letters(2::3), 4, MPI_CHARACTER, next, 4, few(12:3:-3), 4, MPI_CHARACTER, last, 4, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_TEXT(few(12)//few(9)//few(6)//few(3)//few(1), 'behk.')
  end subroutine

  subroutine of_logicals
    logical :: a(6), b(6)
    a = [.true., .false., .true., .false., rank == 0, .false.]
    b = .false.
    call MPI_Allreduce(a(1::2), b(2::2), 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    CHECK(b(2) .and. b(4))
    CHECK(b(6) .eqv. ranks == 1)
    CHECK(.not. any(b(1::2)))
  end subroutine

  ! A datatype's gaps lie in the elements of the section, as if these were contiguous.
  subroutine with_derived_datatypes
    integer, BUFFER :: a(24), b(24), c(4)
    integer :: i, next, last
    type(MPI_Datatype) :: pair, second, wide
    type(MPI_Request) :: request
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    a = [(100*rank + i, i=1, 24)]
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    ! Elements 1 and 3 of 3.
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, second)
    call MPI_Type_commit(second)
    call MPI_Type_create_resized(second, 0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND, wide)
    call MPI_Type_commit(wide)
    b = -1
    call MPI_Irecv(b(2::2), 3, pair, last, 1, MPI_COMM_WORLD, request)
    call MPI_Send(a(1::3), 3, pair, next, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(b(2:12:2), (/1, 4, 7, 10, 13, 16/) + 100*last)
    CHECK_INT(b(1::2), -1)
    CHECK_INT(b(14:), -1)
    ! Elements 1, 3, 5, 7 of the section 2, 4, ... 24 are 2, 6, 10, 14.
    call MPI_Irecv(c, 4, MPI_INTEGER, last, 2, MPI_COMM_WORLD, request)
    call MPI_Send(a(2::2), 2, wide, next, 2, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(c, (/2, 6, 10, 14/) + 100*last)
    b = -1
    call MPI_Irecv(b(23:1:-2), 2, wide, last, 3, MPI_COMM_WORLD, request)
    call MPI_Send(a, 4, MPI_INTEGER, next, 3, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(b(23:11:-4), (/1, 2, 3, 4/) + 100*last)
    CHECK_INT(count(b == -1), 20)
    ! A smaller type than the elements: the bytes of every second element.
    b = -1
    call MPI_Irecv(b(1::4), 12, MPI_BYTE, last, 4, MPI_COMM_WORLD, request)
    call MPI_Send(a(5::5), 12, MPI_BYTE, next, 4, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(b(1:9:4), (/5, 10, 15/) + 100*last)
    CHECK_INT(count(b == -1), 21)
    call MPI_Type_free(pair)
    call MPI_Type_free(second)
    call MPI_Type_free(wide)
  end subroutine

  subroutine packed
    integer :: a(4, 5), b(4, 5), room(100), position, bytes, i
    integer(MPI_ADDRESS_KIND) :: place
    a = reshape([(i, i=1, 20)], [4, 5])
    b = -1
    position = 0
    call MPI_Pack_size(7, MPI_INTEGER, MPI_COMM_WORLD, bytes)
    CHECK(bytes >= 28)
    call MPI_Pack(a(2, :), 5, MPI_INTEGER, room, 400, position, MPI_COMM_WORLD)
    call MPI_Pack(a(4:1:-3, 3), 2, MPI_INTEGER, room, 400, position, MPI_COMM_WORLD)
    CHECK(position <= bytes)
    position = 0
    call MPI_Unpack(room, 400, position, b(3, 5:1:-1), 5, MPI_INTEGER, MPI_COMM_WORLD)
    call MPI_Unpack(room, 400, position, b(1:4:3, 1), 2, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK_INT(b(3, :), (/18, 14, 10, 6, 2/))
    CHECK_INT(b(:, 1), (/12, -1, 18, 9/))
    CHECK_INT(count(b == -1), 13)
    place = 0
    call MPI_Pack_external('external32', a(:, 4:2:-2), 8, MPI_INTEGER, room, 400_MPI_ADDRESS_KIND, place)
    CHECK_INT(place, 32)
    place = 0
    b = -1
    call MPI_Unpack_external('external32', room, 400_MPI_ADDRESS_KIND, place, b(1::2, 1:4), 8, MPI_INTEGER)
    CHECK_INT((/b(1::2, 1), b(1::2, 2), b(1::2, 3), b(1::2, 4)/), (/13, 14, 15, 16, 5, 6, 7, 8/))
    CHECK_INT(b(2::2, 1), -1)
  end subroutine

end module
