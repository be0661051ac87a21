! Array sections as buffers of messages: what lies between the elements stays as it was.
! interfaces: mpi_f08
! differs: MPICH 4.0 makes one element of a section, which collective operations cannot divide
#include "interface.h"
module strides_program
  use check
#include "scope.h"
contains

  subroutine strides
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call rank_one
    call rank_two
    call rank_three
    call several_at_once
    call replaced
    call pieces
  end subroutine

  subroutine swap(send_to, receive_from)
    integer, intent(out) :: send_to, receive_from
    send_to = mod(rank + 1, ranks)
    receive_from = mod(rank + ranks - 1, ranks)
  end subroutine

  subroutine rank_one
    integer, BUFFER :: a(12), b(12)
    integer :: next, last, i, got
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    call swap(next, last)
    a = [(100*rank + i, i=1, 12)]
    ! Every third, into every second.
    b = -1
    call MPI_Irecv(b(2:8:2), 4, MPI_INTEGER, last, 1, MPI_COMM_WORLD, request)
    call MPI_Send(a(1:12:3), 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, status)
    CHECK_INT(b, (/-1, 1, -1, 4, -1, 7, -1, 10, -1, -1, -1, -1/) + merge(0, 100*last, b == -1))
    call MPI_Get_count(status, MPI_INTEGER, got)
    CHECK_INT(got, 4)
    ! Backwards.
    b = -1
    call MPI_Irecv(b(12:1:-1), 12, MPI_INTEGER, last, 2, MPI_COMM_WORLD, request)
    call MPI_Send(a, 12, MPI_INTEGER, next, 2, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(b, (/(100*last + 13 - i, i=1, 12)/))
    b = -1
    call MPI_Irecv(b(1:4), 4, MPI_INTEGER, last, 3, MPI_COMM_WORLD, request)
    call MPI_Ssend(a(10:1:-3), 4, MPI_INTEGER, next, 3, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(b(1:4), (/10, 7, 4, 1/) + 100*last)
    CHECK_INT(b(5:), -1)
    ! Fewer than the section holds, on both sides.
    b = -1
    call MPI_Sendrecv(a(1::2), 2, MPI_INTEGER, next, 4, b(12:1:-2), 5, MPI_INTEGER, last, 4, MPI_COMM_WORLD, status)
    CHECK_INT(b((/12, 10/)), (/1, 3/) + 100*last)
    b((/12, 10/)) = -1
    CHECK_INT(b, -1)
    call MPI_Get_count(status, MPI_INTEGER, got)
    CHECK_INT(got, 2)
    ! One element, none, and a section without any.
    call MPI_Sendrecv(a(5:5:7), 1, MPI_INTEGER, next, 5, b(3::20), 1, MPI_INTEGER, last, 5, MPI_COMM_WORLD, status)
    CHECK_INT(b(3), 5 + 100*last)
    call MPI_Sendrecv(a(1::2), 0, MPI_INTEGER, next, 6, b(2:1), 0, MPI_INTEGER, last, 6, MPI_COMM_WORLD, status)
    CHECK_INT(b(4:), -1)
  end subroutine

  subroutine rank_two
    real(8), BUFFER :: a(5, 6), b(5, 6), wanted(5, 6)
    integer :: next, last, i
    type(MPI_Request) :: request
    call swap(next, last)
    a = reshape([(i + 100d0*rank, i=1, 30)], [5, 6])
    ! A row into a row.
    b = -1
    call MPI_Irecv(b(4, :), 6, MPI_DOUBLE_PRECISION, last, 1, MPI_COMM_WORLD, request)
    call MPI_Send(a(2, :), 6, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    wanted = -1
    wanted(4, :) = a(2, :) + 100*(last - rank)
    call compare(b, wanted)
    ! A block into a block with gaps.
    b = -1
    call MPI_Irecv(b(1:5:2, 6:1:-2), 9, MPI_DOUBLE_PRECISION, last, 2, MPI_COMM_WORLD, request)
    call MPI_Send(a(2:4, 3:5), 9, MPI_DOUBLE_PRECISION, next, 2, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    wanted = -1
    wanted(1:5:2, 6:1:-2) = a(2:4, 3:5) + 100*(last - rank)
    call compare(b, wanted)
    ! Whole columns with columns between them; five of the ten elements.
    b = -1
    call MPI_Irecv(b(:, 1:6:3), 10, MPI_DOUBLE_PRECISION, last, 3, MPI_COMM_WORLD, request)
    call MPI_Send(a(:, 2:6:4), 7, MPI_DOUBLE_PRECISION, next, 3, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    wanted = -1
    wanted(:, 1) = a(:, 2) + 100*(last - rank)
    wanted(1:2, 4) = a(1:2, 6) + 100*(last - rank)
    call compare(b, wanted)
  end subroutine

  subroutine compare(got, wanted)
    real(8), intent(in) :: got(:, :), wanted(:, :)
    CHECK_REAL(reshape(got, (/size(got)/)), reshape(wanted, (/size(wanted)/)))
  end subroutine

  subroutine rank_three
    complex, BUFFER :: a(3, 4, 5), b(3, 4, 5), wanted(3, 4, 5)
    integer :: next, last, i
    type(MPI_Request) :: request
    call swap(next, last)
    a = reshape([(cmplx(i, rank), i=1, 60)], [3, 4, 5])
    b = -1
    call MPI_Irecv(b(3:1:-2, 1:3, 2::2), 12, MPI_COMPLEX, last, 1, MPI_COMM_WORLD, request)
    call MPI_Send(a(1:2, 2:4, 1:4:3), 12, MPI_COMPLEX, next, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    wanted = -1
    wanted(3:1:-2, 1:3, 2::2) = a(1:2, 2:4, 1:4:3) + cmplx(0, last - rank)
    CHECK(all(b == wanted))
    b = -1
    call MPI_Irecv(b(2, 3, :), 5, MPI_COMPLEX, last, 2, MPI_COMM_WORLD, request)
    call MPI_Send(a(3, 1, ::1), 5, MPI_COMPLEX, next, 2, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    wanted = -1
    wanted(2, 3, :) = a(3, 1, :) + cmplx(0, last - rank)
    CHECK(all(b == wanted))
  end subroutine

  ! Requests of different sections of one array, and persistent ones.
  subroutine several_at_once
    integer, BUFFER :: a(10, 4), b(10, 4)
    integer :: next, last, i, j, round
    type(MPI_Request) :: list(8)
    call swap(next, last)
    b = -1
    a = reshape([(1000*rank + i, i=1, 40)], [10, 4])
    do j = 1, 4
      call MPI_Irecv(b(j::3, j), 3, MPI_INTEGER, last, j, MPI_COMM_WORLD, list(j))
      call MPI_Isend(a(j:j + 4:2, j), 3, MPI_INTEGER, next, j, MPI_COMM_WORLD, list(j + 4))
    end do
    call MPI_Waitall(8, list, MPI_STATUSES_IGNORE)
    do j = 1, 4
      CHECK_INT(b(j:j + 6:3, j), (/(1000*last + 10*(j - 1) + j + i, i=0, 4, 2)/))
    end do
    CHECK_INT(count(b == -1), 28)
    do j = 1, 4
      call MPI_Recv_init(b(11 - j, :), 4, MPI_INTEGER, last, j, MPI_COMM_WORLD, list(j))
      call MPI_Send_init(a(j, 4:1:-1), 4, MPI_INTEGER, next, j, MPI_COMM_WORLD, list(j + 4))
    end do
    do round = 1, 3
      b = -1
      a = reshape([(1000*rank + 100*round + i, i=1, 40)], [10, 4])
      call MPI_Startall(8, list)
      call MPI_Waitall(8, list, MPI_STATUSES_IGNORE)
      do j = 1, 4
        CHECK_INT(b(11 - j, :), (/(1000*last + 100*round + 10*i + j, i=3, 0, -1)/))
      end do
      CHECK_INT(count(b == -1), 24)
    end do
    do j = 1, 8
      call MPI_Request_free(list(j))
    end do
  end subroutine

  subroutine replaced
    integer, BUFFER :: a(9)
    integer :: next, last, i
    type(MPI_Request) :: request
    call swap(next, last)
    a = [(100*rank + i, i=1, 9)]
    call MPI_Sendrecv_replace(a(1::4), 3, MPI_INTEGER, next, 1, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK_INT(a(1::4), (/1, 5, 9/) + 100*last)
    CHECK_INT(a(2:4), (/2, 3, 4/) + 100*rank)
    call MPI_Isendrecv_replace(a(8:2:-3), 3, MPI_INTEGER, next, 2, last, 2, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK_INT(a(2:8:3), (/2, 5, 8/) + 100*(/last, mod(last + ranks - 1, ranks), last/))
    CHECK_INT(a((/3, 4, 6, 7/)), (/3, 4, 6, 7/) + 100*rank)
  end subroutine

  ! Matched receives, probes and buffered sends.
  subroutine pieces
    integer, BUFFER :: a(8), b(8)
    integer :: next, last, i
    logical :: flag
    type(MPI_Message) :: message
    type(MPI_Request) :: list(2)
    integer, BUFFER :: room(1000)
    integer :: bytes
    call swap(next, last)
    a = [(100*rank + i, i=1, 8)]
    b = -1
    call MPI_Buffer_attach(room, 4000)
    call MPI_Bsend(a(1::2), 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
    call MPI_Ibsend(a(2::2), 4, MPI_INTEGER, next, 2, MPI_COMM_WORLD, list(1))
    call MPI_Mprobe(last, 1, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
    call MPI_Mrecv(b(2::2), 4, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(last, 2, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE)
    end do
    call MPI_Imrecv(b(7:1:-2), 4, MPI_INTEGER, message, list(2))
    call MPI_Waitall(2, list, MPI_STATUSES_IGNORE)
    CHECK_INT(b, (/8, 1, 6, 3, 4, 5, 2, 7/) + 100*last)
    call detach(bytes)
    CHECK_INT(bytes, 4000)
  end subroutine

  subroutine detach(bytes)
    use, intrinsic :: iso_c_binding, only: c_ptr
    integer, intent(out) :: bytes
    type(c_ptr) :: address
    call MPI_Buffer_detach(address, bytes)
  end subroutine

end module
