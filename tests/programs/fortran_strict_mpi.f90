! What a compiler that warns of everything says nothing about: one procedure takes buffers of all types.
program strict
  use mpi
  implicit none
  integer :: rank, ierror, status(MPI_STATUS_SIZE), n
  real :: x(3, 3)
  double precision :: y
  character(8) :: word
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  n = rank
  x = real(rank)
  y = rank
  word = 'strict'
  call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Bcast(x, 9, MPI_REAL, 0, MPI_COMM_WORLD, ierror)
  call MPI_Bcast(y, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  call MPI_Bcast(word, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Sendrecv(x(1, 2), 3, MPI_REAL, rank, 0, x, 3, MPI_REAL, rank, 0, MPI_COMM_WORLD, status, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  print *, n, x, y, word, status(MPI_SOURCE)
  call MPI_Finalize(ierror)
end program
