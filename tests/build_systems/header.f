! Adds a number of each rank through mpif.h; fails where it runs alone, as another MPI's ranks would.
      program header
      implicit none
      include 'mpif.h'
      integer ierror, rank, ranks, total
      call MPI_Init(ierror)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
      call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierror)
      if (ranks .ne. 2 .or. total .ne. 3) error stop 1
      call MPI_Finalize(ierror)
      end program
