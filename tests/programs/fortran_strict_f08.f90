! What a compiler that warns of everything says nothing about: sections, handles, callbacks, no error codes.
module strict_operation
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  use mpi_f08
  implicit none
contains
  subroutine add(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: x(:), y(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(invec, x, [len])
    call c_f_pointer(inoutvec, y, [len])
    y = x + y
  end subroutine
end module

program strict
  use mpi_f08
  use strict_operation
  implicit none
  integer :: rank, ranks
  integer, asynchronous :: a(10), b(5)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  type(MPI_Op) :: op
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  a = rank
  b = ranks
  call MPI_Irecv(a(1::2), 5, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(b, 5, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call MPI_Op_create(add, .true., op)
  call MPI_Allreduce(MPI_IN_PLACE, a(2::2), 5, MPI_INTEGER, op, MPI_COMM_WORLD)
  call MPI_Op_free(op)
  print '(10i4)', a, statuses(1)%MPI_SOURCE
  call MPI_Finalize()
end program
