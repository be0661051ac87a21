! Every named type of Fortran in every operation: taken where the standard allows it, refused elsewhere.
! differs: MPICH 4.0 does not declare the types that it lacks
#include "interface.h"
module refusals_program
  use check
#include "scope.h"
contains

  ! Each of one element on this rank alone: allowed or MPI_ERR_OP, as the class of the type says.
  subroutine refusals
    AN_OP :: operations(12)
    integer :: i
    operations(1) = MPI_MAX
    operations(2) = MPI_MIN
    operations(3) = MPI_SUM
    operations(4) = MPI_PROD
    operations(5) = MPI_LAND
    operations(6) = MPI_LOR
    operations(7) = MPI_LXOR
    operations(8) = MPI_BAND
    operations(9) = MPI_BOR
    operations(10) = MPI_BXOR
    operations(11) = MPI_MINLOC
    operations(12) = MPI_MAXLOC
    call quiet
    do i = 1, 12
      call try(MPI_INTEGER, 'integer')
      call try(MPI_INTEGER1, 'integer')
      call try(MPI_INTEGER2, 'integer')
      call try(MPI_INTEGER4, 'integer')
      call try(MPI_INTEGER8, 'integer')
      call try_optional(MPI_INTEGER16, 'integer')
      call try(MPI_AINT, 'address')
      call try(MPI_COUNT, 'address')
      call try(MPI_OFFSET, 'address')
      call try_optional(MPI_REAL2, 'real')
      call try(MPI_REAL, 'real')
      call try(MPI_REAL4, 'real')
      call try(MPI_REAL8, 'real')
      call try_optional(MPI_REAL16, 'real')
      call try(MPI_DOUBLE_PRECISION, 'real')
      call try(MPI_COMPLEX, 'complex')
      call try(MPI_COMPLEX8, 'complex')
      call try(MPI_COMPLEX16, 'complex')
      call try_optional(MPI_COMPLEX32, 'complex')
      call try(MPI_DOUBLE_COMPLEX, 'complex')
      call try(MPI_LOGICAL, 'logical')
      call try(MPI_BYTE, 'byte')
      call try(MPI_CHARACTER, 'none')
      call try(MPI_2REAL, 'pair')
      call try(MPI_2DOUBLE_PRECISION, 'pair')
      call try(MPI_2INTEGER, 'pair')
      call try(MPI_PACKED, 'none')
      call try_optional(MPI_COMPLEX4, 'complex')
      call try(MPI_LOGICAL1, 'logical')
      call try(MPI_LOGICAL2, 'logical')
      call try(MPI_LOGICAL4, 'logical')
      call try(MPI_LOGICAL8, 'logical')
      call try_optional(MPI_LOGICAL16, 'logical')
    end do
    call loud

  contains

    logical function allowed(class)
      character(*), intent(in) :: class
      select case (class)
      case ('integer', 'address')
        allowed = i <= 4 .or. i >= 8 .and. i <= 10
      case ('real')
        allowed = i <= 4
      case ('complex')
        allowed = i == 3 .or. i == 4
      case ('logical')
        allowed = i >= 5 .and. i <= 7
      case ('byte')
        allowed = i >= 8 .and. i <= 10
      case ('pair')
        allowed = i >= 11
      case default
        allowed = .false.
      end select
    end function

    subroutine try(type, class)
      A_DATATYPE, intent(in) :: type
      character(*), intent(in) :: class
      integer(8) :: x(8), y(8)
      integer :: code
      x = 0
      y = 0
      call MPI_Reduce_local(x, y, 1, type, operations(i), ierror)
      code = ierror
      ! The standard leaves open what a library adds: logical operations of addresses.
      if (class == 'address' .and. i >= 5 .and. i <= 7) return
      if (allowed(class)) then
        CHECK_INT(code, MPI_SUCCESS)
        if (code /= MPI_SUCCESS) call describe(type)
      else
        CHECK_CLASS(code, MPI_ERR_OP)
        if (code == MPI_SUCCESS) call describe(type)
      end if
    end subroutine

    ! A type that a platform may lack: if it has a size, it has operations.
    subroutine try_optional(type, class)
      A_DATATYPE, intent(in) :: type
      character(*), intent(in) :: class
      integer :: bytes
      call MPI_Type_size(type, bytes, ierror)
      if (ierror == MPI_SUCCESS .and. bytes > 0) call try(type, class)
    end subroutine

    subroutine describe(type)
      use, intrinsic :: iso_fortran_env, only: error_unit
      A_DATATYPE, intent(in) :: type
      character(MPI_MAX_OBJECT_NAME) :: name
      integer :: length
      call MPI_Type_get_name(type, name, length, ierror)
      write (error_unit, '(a,i0)') '    that was '//name(:length)//' in operation ', i
    end subroutine

  end subroutine

end module
