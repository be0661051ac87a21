! Levels of threads, clocks, versions, what is initialized; Aint_add and Aint_diff.
! differs: MPICH 4.0's mpif.h declares no MPI_Aint_add
#include "interface.h"
module inquiries_program
  use check
#include "scope.h"
contains

  subroutine inquiries
    integer :: level, major, minor
    logical :: flag
    double precision :: before, after, tick
    integer(MPI_ADDRESS_KIND) :: base, further
    call MPI_Initialized(flag, ierror)
    CHECK(flag)
    call MPI_Finalized(flag, ierror)
    CHECK(.not. flag)
    call MPI_Query_thread(level, ierror)
    CHECK(level >= MPI_THREAD_SINGLE .and. level <= MPI_THREAD_MULTIPLE)
    call MPI_Is_thread_main(flag, ierror)
    CHECK(flag)
    before = MPI_Wtime()
    tick = MPI_Wtick()
    CHECK(tick > 0 .and. tick < 1)
    after = MPI_Wtime()
    CHECK(after >= before .and. after - before < 60)
    CHECK(PMPI_Wtime() >= after)
    CHECK_REAL(PMPI_Wtick(), tick)
    base = 1000
    further = MPI_Aint_add(base, -1_MPI_ADDRESS_KIND)
    CHECK_INT(further, 999)
    CHECK_INT(MPI_Aint_diff(base, further), 1)
    CHECK_INT(PMPI_Aint_add(PMPI_Aint_diff(base, further), base), 1001)
    call MPI_Pcontrol(1)
    call MPI_Abi_get_version(major, minor, ierror)
    CHECK_INT((/major, minor/), (/MPI_ABI_VERSION, MPI_ABI_SUBVERSION/))
    CHECK_INT(kind(MPI_WTIME()), kind(1d0))
  end subroutine

end module
