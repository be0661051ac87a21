! Collective operations among neighbours: blocking, nonblocking, persistent.
! differs: MPICH 4.0 asks every topology in mpi_f08 as if it were a distributed graph
#include "interface.h"
module neighbours_program
  use check
#include "scope.h"
contains

  ! A ring: the first neighbour is the one before, the second the one behind.
  subroutine neighbours
    A_COMM :: ring
    A_DATATYPE, BUFFER :: types(2)
    A_REQUEST :: list(10)
    integer, BUFFER :: to(2), from(2, 10), ones(2), places(2)
    integer(MPI_ADDRESS_KIND), BUFFER :: bytes(2)
    integer :: here, last, next, i, round
    call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ranks/), (/.true./), .false., ring, ierror)
    call MPI_Comm_rank(ring, here, ierror)
    call MPI_Cart_shift(ring, 0, 1, last, next, ierror)
    ones = 1
    places = (/0, 1/)
    bytes = (/0, 4/)
    types = MPI_INTEGER
    to = (/10*here + 1, 10*here + 2/)
    from = -1
    call MPI_Neighbor_allgather(to, 1, MPI_INTEGER, from(1, 1), 1, MPI_INTEGER, ring, ierror)
    call MPI_Neighbor_allgatherv(to, 1, MPI_INTEGER, from(1, 2), ones, places, MPI_INTEGER, ring, ierror)
    call MPI_Neighbor_alltoall(to, 1, MPI_INTEGER, from(1, 3), 1, MPI_INTEGER, ring, ierror)
    call MPI_Neighbor_alltoallv(to, ones, places, MPI_INTEGER, from(1, 4), ones, places, MPI_INTEGER, ring, ierror)
    call MPI_Neighbor_alltoallw(to, ones, bytes, types, from(1, 5), ones, bytes, types, ring, ierror)
    call judge(from(:, 1:5), last, next, 0)
    from = -1
    call MPI_Ineighbor_allgather(to, 1, MPI_INTEGER, from(1, 1), 1, MPI_INTEGER, ring, list(1), ierror)
    call MPI_Ineighbor_allgatherv(to, 1, MPI_INTEGER, from(1, 2), ones, places, MPI_INTEGER, ring, list(2), ierror)
    call MPI_Ineighbor_alltoall(to, 1, MPI_INTEGER, from(1, 3), 1, MPI_INTEGER, ring, list(3), ierror)
    call MPI_Ineighbor_alltoallv(to, ones, places, MPI_INTEGER, from(1, 4), ones, places, MPI_INTEGER, ring, list(4), ierror)
    call MPI_Ineighbor_alltoallw(to, ones, bytes, types, from(1, 5), ones, bytes, types, ring, list(5), ierror)
    call MPI_Waitall(5, list, MPI_STATUSES_IGNORE, ierror)
    call judge(from(:, 1:5), last, next, 0)
    call MPI_Neighbor_allgather_init(to, 1, MPI_INTEGER, from(1, 1), 1, MPI_INTEGER, ring, MPI_INFO_NULL, list(1), ierror)
    call MPI_Neighbor_allgatherv_init(to, 1, MPI_INTEGER, from(1, 2), ones, places, MPI_INTEGER, ring, MPI_INFO_NULL, &
                                      list(2), ierror)
    call MPI_Neighbor_alltoall_init(to, 1, MPI_INTEGER, from(1, 3), 1, MPI_INTEGER, ring, MPI_INFO_NULL, list(3), ierror)
    call MPI_Neighbor_alltoallv_init(to, ones, places, MPI_INTEGER, from(1, 4), ones, places, MPI_INTEGER, ring, &
                                     MPI_INFO_NULL, list(4), ierror)
    call MPI_Neighbor_alltoallw_init(to, ones, bytes, types, from(1, 5), ones, bytes, types, ring, MPI_INFO_NULL, &
                                     list(5), ierror)
    do round = 1, 2
      to = (/10*here + 1, 10*here + 2/) + 1000*round
      from = -1
      call MPI_Startall(5, list, ierror)
      call MPI_Waitall(5, list, MPI_STATUSES_IGNORE, ierror)
      call judge(from(:, 1:5), last, next, 1000*round)
    end do
    do i = 1, 5
      call MPI_Request_free(list(i), ierror)
    end do
    call MPI_Comm_free(ring, ierror)
    CHECK(ring == MPI_COMM_NULL)
  end subroutine

  ! Columns 1 and 2: what the neighbours gave to all; 3 to 5: what the one before sent behind it, and the reverse.
  subroutine judge(from, last, next, shift)
    integer, intent(in) :: from(2, 5), last, next, shift
    integer :: i
    do i = 1, 2
      CHECK_INT(from(:, i), (/10*last + 1, 10*next + 1/) + shift)
    end do
    do i = 3, 5
      ! In a ring of two or one both neighbours are the same rank, whose messages come in the order of its neighbours.
      if (ranks > 2) then
        CHECK_INT(from(:, i), (/10*last + 2, 10*next + 1/) + shift)
      else
        CHECK_INT(sum(from(:, i)), 20*last + 3 + 2*shift)
      end if
    end do
  end subroutine

end module
