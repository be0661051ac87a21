! Adds a number of each rank through the module mpi_f08, with an operator whose object the modules' library has;
! fails where it runs alone, as another MPI's ranks would.
program module_f08
    use mpi_f08
    implicit none
    type(MPI_Comm) :: world
    integer :: rank, ranks, total
    call MPI_Init()
    world = MPI_COMM_WORLD
    if (world /= MPI_COMM_WORLD) error stop 2
    call MPI_Comm_rank(world, rank)
    call MPI_Comm_size(world, ranks)
    call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, world)
    if (ranks /= 2 .or. total /= 3) error stop 1
    call MPI_Finalize()
end program
