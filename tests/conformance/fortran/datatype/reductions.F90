! The types of Fortran in reductions, by values.
#include "interface.h"
module reductions_program
  use check
#include "scope.h"

contains

  subroutine reductions
    call integers
    call reals
    call complexes
    call logicals
    call pairs
  end subroutine

  subroutine integers
    integer(1) :: a(2), b(2)
    integer(2) :: c(2), d(2)
    integer(4) :: e(2), f(2)
    integer(8) :: g(2), h(2)
    integer :: all_ranks, i
    all_ranks = ranks*(ranks - 1)/2
    a = int((/1 + rank, -1 - rank/), 1)
    c = a
    e = a
    g = a
    call MPI_Allreduce(a, b, 2, MPI_INTEGER1, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(b, (/1, -1/)*(ranks + all_ranks))
    call MPI_Allreduce(c, d, 2, MPI_INTEGER2, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(d, (/1, -1/)*(ranks + all_ranks))
    call MPI_Allreduce(e, f, 2, MPI_INTEGER4, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(f, (/1, -1/)*(ranks + all_ranks))
    call MPI_Allreduce(g, h, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_INT(h, (/1, -1/)*(ranks + all_ranks))
    call MPI_Allreduce(a, b, 2, MPI_INTEGER1, MPI_MIN, MPI_COMM_WORLD, ierror)
    CHECK_INT(b, (/1, -ranks/))
    call MPI_Allreduce(c, d, 2, MPI_INTEGER2, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK_INT(d, (/ranks, -1/))
    call MPI_Allreduce(e, f, 2, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, ierror)
    CHECK_INT(f, (/product((/(i, i=1, ranks)/)), product((/(-i, i=1, ranks)/))/))
    g = (/2_8**40, 6_8/)
    call MPI_Allreduce(g, h, 2, MPI_INTEGER8, MPI_BAND, MPI_COMM_WORLD, ierror)
    CHECK_INT(h, g)
    e = ibset(0, rank)
    call MPI_Allreduce(e, f, 2, MPI_INTEGER4, MPI_BOR, MPI_COMM_WORLD, ierror)
    CHECK_INT(f, 2**ranks - 1)
    call MPI_Allreduce(e, f, 2, MPI_INTEGER, MPI_BXOR, MPI_COMM_WORLD, ierror)
    CHECK_INT(f, 2**ranks - 1)
  end subroutine

  subroutine reals
    real(4) :: a(2), b(2)
    real(8) :: c(2), d(2)
    a = (/0.5, 2.0/) + rank
    c = a
    call MPI_Allreduce(a, b, 2, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK_REAL(b, (/0.5, 2.0/) + (ranks - 1))
    call MPI_Allreduce(a, b, 2, MPI_REAL4, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_REAL(b, ranks*(/0.5, 2.0/) + ranks*(ranks - 1)/2)
    call MPI_Allreduce(c, d, 2, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierror)
    CHECK_REAL(d, (/0.5, 2.0/))
    c = 2
    call MPI_Allreduce(c, d, 2, MPI_REAL8, MPI_PROD, MPI_COMM_WORLD, ierror)
    CHECK_REAL(d, 2**ranks)
  end subroutine

  subroutine complexes
    complex(4) :: a, b
    complex(8) :: c, d
    a = (1.0, 2.0)
    c = (0.0, 1.0)
    call MPI_Allreduce(a, b, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(b == ranks*a)
    call MPI_Allreduce(a, b, 1, MPI_COMPLEX8, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(b == ranks*a)
    call MPI_Allreduce(c, d, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierror)
    CHECK(d == c**ranks)
    call MPI_Allreduce(c, d, 1, MPI_COMPLEX16, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(d == ranks*c)
  end subroutine

  subroutine logicals
    logical :: a(2), b(2)
    a = (/.true., rank == 0/)
    call MPI_Allreduce(a, b, 2, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    CHECK(b(1) .and. (b(2) .eqv. ranks == 1))
    call MPI_Allreduce(a, b, 2, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
    CHECK(b(1) .and. b(2))
    call MPI_Allreduce(a, b, 2, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierror)
    CHECK((b(1) .eqv. mod(ranks, 2) == 1) .and. b(2))
    ! What comes out is a LOGICAL of this compiler, also where it is negated.
    CHECK(.not. (.not. b(2)))
  end subroutine

  subroutine pairs
    real :: a(2), b(2)
    real(8) :: c(2), d(2)
    integer :: e(4), f(4)
    a = (/-real(rank), real(rank)/)
    call MPI_Allreduce(a, b, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD, ierror)
    CHECK_REAL(b, (/1 - ranks, ranks - 1/))
    c = (/1d0, 10d0 - rank/)
    call MPI_Allreduce(c, d, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    CHECK_REAL(d, (/1, 11 - ranks/))
    e = (/rank, 5, -rank, 7/)
    call MPI_Allreduce(e, f, 2, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    CHECK_INT(f, (/ranks - 1, 5, 0, 7/))
  end subroutine

end module
