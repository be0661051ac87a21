! Adds a number of each rank through the module mpi; fails where it runs alone, as another MPI's ranks would.
program module
    use mpi
    implicit none
    integer :: ierror, rank, ranks, total
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (ranks /= 2 .or. total /= 3) error stop 1
    call MPI_Finalize(ierror)
end program
