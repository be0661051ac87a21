! REAL(16) and COMPLEX(16) in reductions, against the compiler's own arithmetic. Not all compilers have them.
! differs: MPICH 4.0 and Open MPI 4.1 take them for C's long double, or do not reduce them
#include "interface.h"
module long_reals_program
  use check
#include "scope.h"
contains

  subroutine long_reals
#if defined(__GFORTRAN__)
    call reals
    call complexes
    call by_precision
    call window
    call any_numbers
#endif
  end subroutine

#if defined(__GFORTRAN__)
  ! Sums and products of all ranks are exact, and need most of 113 bits.
  subroutine reals
    real(16), parameter :: small = 2._16**(-100)
    real(16) :: a(2), b(2)
    integer :: i
    a = (/1 + rank*small, -rank*small/)
    call MPI_Allreduce(a, b, 2, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(all(b == (/ranks + small*(ranks*(ranks - 1)/2), -small*(ranks*(ranks - 1)/2)/)))
    call MPI_Allreduce(a, b, 2, MPI_REAL16, MPI_MAX, MPI_COMM_WORLD, ierror)
    CHECK(all(b == (/1 + (ranks - 1)*small, 0._16/)))
    call MPI_Allreduce(a, b, 2, MPI_REAL16, MPI_MIN, MPI_COMM_WORLD, ierror)
    CHECK(all(b == (/1._16, -(ranks - 1)*small/)))
    a = (/1 + (rank + 1)*2._16**(-18), -2._16**(-900)/)
    call MPI_Allreduce(a, b, 2, MPI_REAL16, MPI_PROD, MPI_COMM_WORLD, ierror)
    CHECK(all(b == (/product((/(1 + i*2._16**(-18), i=1, ranks)/)), (-2._16**(-900))**ranks/)))
  end subroutine

  subroutine complexes
    real(16), parameter :: small = 2._16**(-100)
    complex(16) :: a(2), b(2), i
    i = (0, 1)
    a = (/1 + rank*small*i, rank - i/)
    call MPI_Allreduce(a, b, 2, MPI_COMPLEX32, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(all(b == (/ranks + small*(ranks*(ranks - 1)/2)*i, ranks*(ranks - 1)/2 - ranks*i/)))
    a = (/i, 1 + 2._16**(-20)*i/)
    call MPI_Allreduce(a, b, 2, MPI_COMPLEX32, MPI_PROD, MPI_COMM_WORLD, ierror)
    CHECK(all(b == (/i, 1 + 2._16**(-20)*i/)**ranks))
  end subroutine

  ! The types of parametrised kinds are the same numbers.
  subroutine by_precision
    A_DATATYPE :: type
    integer, parameter :: long = selected_real_kind(30, 4000)
    real(long) :: x, y
    complex(long) :: z, w
    call MPI_Type_create_f90_real(30, 4000, type, ierror)
    x = 1 + rank*epsilon(x)*1000
    call MPI_Allreduce(x, y, 1, type, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(y == ranks + epsilon(x)*1000*(ranks*(ranks - 1)/2))
    call MPI_Type_create_f90_complex(30, 4000, type, ierror)
    z = cmplx(x, 1, long)
    call MPI_Allreduce(z, w, 1, type, MPI_SUM, MPI_COMM_WORLD, ierror)
    CHECK(w == cmplx(y, ranks, long))
  end subroutine

  ! An accumulate of each rank, and one that fetches what they made.
  subroutine window
    real(16), parameter :: small = 2._16**(-100)
    real(16), BUFFER :: a(3), b(3), c(3)
    integer(MPI_ADDRESS_KIND), parameter :: none = 0
    integer(MPI_ADDRESS_KIND) :: bytes
    A_WIN :: win
    a = (/1 + rank*small, 1 + rank*small, rank*small/)
    b = 1
    c = 0
    bytes = 48
    call MPI_Win_create(b, bytes, 16, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    call MPI_Accumulate(a, 1, MPI_REAL16, 0, none, 1, MPI_REAL16, MPI_SUM, win, ierror)
    call MPI_Accumulate(a(2:3), 1, MPI_COMPLEX32, 0, none + 1, 1, MPI_COMPLEX32, MPI_SUM, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    if (rank == 0) then
      CHECK(all(b == (/1, 1, 1/) + (/ranks, ranks, 0/) + small*(ranks*(ranks - 1)/2)))
    end if
    call MPI_Win_fence(0, win, ierror)
    if (rank == ranks - 1) call MPI_Get_accumulate(a, 1, MPI_REAL16, c, 1, MPI_REAL16, 0, none, 1, MPI_REAL16, &
      MPI_MIN, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    if (rank == ranks - 1) then
      CHECK(c(1) == 1 + ranks + small*(ranks*(ranks - 1)/2))
    end if
    if (rank == 0) then
      CHECK(b(1) == 1 + (ranks - 1)*small)
    end if
    call MPI_Win_free(win, ierror)
  end subroutine

  ! Numbers of any bits, also infinite, subnormal and none: what MPI computes is what the compiler computes.
  subroutine any_numbers
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
    integer, parameter :: many = 2000
    real(16) :: x(2*many), y(2*many), z(2*many)
    complex(16) :: v(many), w(many)
    integer(8) :: bits
    integer :: i
    bits = 88172645463325252_8 + rank
    do i = 1, 2*many
      x(i) = number()
      y(i) = number()
      ! Of exponents that are far apart, nothing rounds.
      select case (mod(i, 5))
      case (0, 1)
        y(i) = scale(fraction(y(i)), exponent(x(i)) + mod(i, 117) - 58)
      case (2)
        y(i) = scale(fraction(y(i)), mod(i, 5) - exponent(x(i)))
      case (3)
        y(i) = scale(fraction(y(i)), mod(i, 117) - 16440 - exponent(x(i)))
      end select
      if (mod(i, 40) == 0) x(i) = scale(fraction(x(i)), -16440)
      if (mod(i, 97) == 0) x(i) = sign(ieee_value(x(i), ieee_positive_inf), x(i))
      if (mod(i, 101) == 0) y(i) = sign(0._16, y(i))
    end do
    z = y
    call MPI_Reduce_local(x, z, 2*many, MPI_REAL16, MPI_SUM, ierror)
    CHECK(alike(z, x + y))
    z = y
    call MPI_Reduce_local(x, z, 2*many, MPI_REAL16, MPI_PROD, ierror)
    CHECK(alike(z, x*y))
    z = y
    call MPI_Reduce_local(x, z, 2*many, MPI_REAL16, MPI_MAX, ierror)
    CHECK(alike(z, merge(x, y, x > y)))
    z = y
    call MPI_Reduce_local(x, z, 2*many, MPI_REAL16, MPI_MIN, ierror)
    CHECK(alike(z, merge(x, y, x < y)))
    v = transfer(x, v)
    w = transfer(y, w)
    call MPI_Reduce_local(v, w, many, MPI_COMPLEX32, MPI_SUM, ierror)
    CHECK(alike(transfer(w, z), x + y))
    w = transfer(y, w)
    z = transfer(v*w, z)
    call MPI_Reduce_local(v, w, many, MPI_COMPLEX32, MPI_PROD, ierror)
    CHECK(alike(transfer(w, y), z))

  contains

    ! Xorshift: random bits without an overflow.
    real(16) function number()
      integer(8) :: words(2)
      integer :: j
      do j = 1, 2
        bits = ieor(bits, ishft(bits, 13))
        bits = ieor(bits, ishft(bits, -7))
        bits = ieor(bits, ishft(bits, 17))
        words(j) = bits
      end do
      number = transfer(words, number)
    end function

    ! Bit by bit, but for what is not a number.
    logical function alike(a, b)
      real(16), intent(in) :: a(:), b(:)
      integer(8) :: a_words(2, size(a)), b_words(2, size(b))
      a_words = reshape(transfer(a, a_words), shape(a_words))
      b_words = reshape(transfer(b, b_words), shape(b_words))
      alike = all(all(a_words == b_words, 1) .or. a /= a .and. b /= b)
    end function

  end subroutine
#endif

end module
