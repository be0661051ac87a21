! The statements that make MPI known in a scope: after its USE statements, in place of IMPLICIT NONE.
#if defined(WITH_MPI_F08)
  use mpi_f08
  implicit none
#elif defined(WITH_MPI)
  use mpi
  implicit none
#elif defined(WITH_MPIF_H)
  implicit none
  include 'mpif.h'
#else
#error "compile with WITH_MPI_F08, WITH_MPI or WITH_MPIF_H"
#endif
