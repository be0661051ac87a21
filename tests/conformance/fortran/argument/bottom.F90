! Absolute addresses: MPI_BOTTOM and MPI_Get_address.
#include "interface.h"
module bottom_program
  use check
#include "scope.h"

  ! Variables of a module, which any call may change.
  integer, BUFFER :: number, other, list(5)
  real(8), BUFFER :: x(3), y

contains

  subroutine bottom
    integer(MPI_ADDRESS_KIND) :: places(3), begin
    A_DATATYPE :: types(3), all
    A_REQUEST :: request
    integer :: next, last, i
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    call MPI_Get_address(list(1), places(1), ierror)
    call MPI_Get_address(list(4), places(2), ierror)
    CHECK_INT(places(2) - places(1), 12)
    call MPI_Get_address(MPI_BOTTOM, begin, ierror)
    CHECK_INT(begin, 0)
    call MPI_Get_address(number, places(1), ierror)
    call MPI_Get_address(x, places(2), ierror)
    call MPI_Get_address(y, places(3), ierror)
    types(1) = MPI_INTEGER
    types(2) = MPI_DOUBLE_PRECISION
    types(3) = MPI_DOUBLE_PRECISION
    call MPI_Type_create_struct(3, (/1, 3, 1/), places, types, all, ierror)
    call MPI_Type_commit(all, ierror)
    number = rank
    x = (/1, 2, 3/) + 10*rank
    y = -rank
    ! A message that is taken apart by a struct of absolute addresses, and put together by one.
    call MPI_Irecv(list, 5, MPI_INTEGER, last, 1, MPI_COMM_WORLD, request, ierror)
    call MPI_Send((/1, 2, 3, 4, 5/), 5, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(list, (/1, 2, 3, 4, 5/))
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, all, next, 2, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call seen(number, x, y, last)
    call MPI_Bcast(MPI_BOTTOM, 1, all, ranks - 1, MPI_COMM_WORLD, ierror)
    call seen(number, x, y, mod(ranks - 1 + ranks - 1, ranks))
    number = rank
    call MPI_Isend(MPI_BOTTOM, 1, all, rank, 3, MPI_COMM_WORLD, request, ierror)
    call into_others(rank)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    ! A reduction at absolute addresses.
    call MPI_Get_address(other, places(1), ierror)
    call MPI_Type_free(all, ierror)
    call MPI_Type_create_hindexed(1, (/1/), places, MPI_INTEGER, all, ierror)
    call MPI_Type_commit(all, ierror)
    other = -1
    number = 3
    call MPI_Sendrecv(number, 1, MPI_INTEGER, rank, 4, MPI_BOTTOM, 1, all, rank, 4, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
    i = other
    CHECK_INT(i, 3)
    call MPI_Type_free(all, ierror)
  end subroutine

  ! The program's variables change behind the compiler's back: it looks at them in a procedure.
  subroutine seen(number, x, y, sender)
    integer, intent(in) :: number, sender
    real(8), intent(in) :: x(3), y
    CHECK_INT(number, sender)
    CHECK_REAL(x, (/1, 2, 3/) + 10*sender)
    CHECK_REAL(y, -sender)
  end subroutine

  subroutine into_others(sender)
    integer, intent(in) :: sender
    real(8) :: whole(4)
    integer :: n
    integer(MPI_ADDRESS_KIND) :: places(2)
    A_DATATYPE :: types(2), made
    call MPI_Get_address(n, places(1), ierror)
    call MPI_Get_address(whole, places(2), ierror)
    types(1) = MPI_INTEGER
    types(2) = MPI_DOUBLE_PRECISION
    call MPI_Type_create_struct(2, (/1, 4/), places, types, made, ierror)
    call MPI_Type_commit(made, ierror)
    call MPI_Recv(MPI_BOTTOM, 1, made, sender, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    CHECK_INT(n, rank)
    call seen(mod(2*ranks - 2, ranks), whole(1:3), whole(4), mod(2*ranks - 2, ranks))
    call MPI_Type_free(made, ierror)
  end subroutine

end module
