! Datatypes for KINDs: by precision and range, by size, of a variable.
#include "interface.h"
module kinds_program
  use check
#include "scope.h"
contains

  subroutine kinds
    call by_precision
    call by_size
#if !defined(WITH_MPIF_H)
    call of_variables
#endif
  end subroutine

  subroutine by_precision
    A_DATATYPE :: type, again
    integer, parameter :: wide = selected_int_kind(15), exact = selected_real_kind(12, 200)
    integer(wide) :: n, all
    real(exact) :: x, y
    complex(exact) :: z, w
    integer :: integers, addresses, types, combiner, values(2), bytes
    A_DATATYPE :: none(1)
    integer(MPI_ADDRESS_KIND) :: places(1)
    call MPI_Type_create_f90_integer(15, type, ierror)
    call MPI_Type_size(type, bytes, ierror)
    CHECK_INT(bytes, 8)
    n = 10_wide**14 + rank
    call MPI_Allreduce(n, all, 1, type, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK_INT(all, 10_wide**14 + ranks - 1)
    ! Equal arguments give equal handles, which are never freed.
    call MPI_Type_create_f90_integer(15, again, ierror)
    CHECK(type == again)
    call MPI_Type_get_envelope(type, integers, addresses, types, combiner, ierror)
    CHECK_INT((/integers, addresses, types, combiner/), (/1, 0, 0, MPI_COMBINER_F90_INTEGER/))
    call MPI_Type_get_contents(type, 1, 0, 0, values, places, none, ierror)
    CHECK_INT(values(1), 15)
    call MPI_Type_create_f90_real(12, 200, type, ierror)
    x = 1.5_exact + rank
    call MPI_Allreduce(x, y, 1, type, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_REAL(y, 1.5d0*ranks + ranks*(ranks - 1)/2)
    call MPI_Type_get_envelope(type, integers, addresses, types, combiner, ierror)
    CHECK_INT((/integers, addresses, types, combiner/), (/2, 0, 0, MPI_COMBINER_F90_REAL/))
    call MPI_Type_get_contents(type, 2, 0, 0, values, places, none, ierror)
    CHECK_INT(values, (/12, 200/))
    call MPI_Type_create_f90_complex(12, MPI_UNDEFINED, type, ierror)
    z = cmplx(rank, 1, exact)
    call MPI_Allreduce(z, w, 1, type, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK_REAL(real(w), ranks*(ranks - 1)/2)
    CHECK_REAL(aimag(w), ranks)
    call MPI_Type_create_f90_real(6, 30, type, ierror)
    call MPI_Type_size(type, bytes, ierror)
    CHECK_INT(bytes, 4)
    call quiet
    call MPI_Type_create_f90_real(1000, 10, type, ierror)
    bytes = ierror
    CHECK(bytes /= MPI_SUCCESS)
    call loud
  end subroutine

  subroutine by_size
    A_DATATYPE :: type
    integer :: bytes, i
    integer, parameter :: sizes(7) = (/1, 2, 4, 8, 4, 8, 16/)
    integer :: class
    do i = 1, 7
      class = MPI_TYPECLASS_INTEGER
      if (i == 5 .or. i == 6) class = MPI_TYPECLASS_REAL
      if (i == 7) class = MPI_TYPECLASS_COMPLEX
      call MPI_Type_match_size(class, sizes(i), type, ierror)
      CHECK(type /= MPI_DATATYPE_NULL)
      call MPI_Type_size(type, bytes, ierror)
      CHECK_INT(bytes, sizes(i))
    end do
    call quiet
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, type, ierror)
    bytes = ierror
    CHECK_CLASS(bytes, MPI_ERR_ARG)
    call loud
  end subroutine

#if !defined(WITH_MPIF_H)
  subroutine of_variables
    integer :: i, bytes
    integer(8) :: j(3)
    real :: x(4)
    real(8) :: y
    complex :: z
    logical :: l
    character :: c
    call MPI_Sizeof(i, bytes, ierror)
    CHECK_INT(bytes, 4)
    call MPI_Sizeof(j, bytes, ierror)
    CHECK_INT(bytes, 8)
    call MPI_Sizeof(x, bytes, ierror)
    CHECK_INT(bytes, 4)
    call MPI_Sizeof(y, bytes, ierror)
    CHECK_INT(bytes, 8)
    call MPI_Sizeof(z, bytes, ierror)
    CHECK_INT(bytes, 8)
    call MPI_Sizeof(l, bytes, ierror)
    CHECK_INT(bytes, 4)
    call MPI_Sizeof(c, bytes, ierror)
    CHECK_INT(bytes, 1)
  end subroutine
#endif

end module
