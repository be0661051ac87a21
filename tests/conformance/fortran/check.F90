! Comparisons, and what all programs know: who they are among how many.
!
! A comparison that fails prints file:line, what was expected and what was found, and the program goes on. After
! each program the failures of all ranks are added: none prints `ok name`, any `failed name`, once.
#include "interface.h"
module check
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
#include "scope.h"
  private
  public :: begin, start, settle, finish, require, same, same_class, quiet, loud, on_peer

  ! This rank in MPI_COMM_WORLD, and how many there are.
  integer, public, protected :: rank = -1, ranks = 0
  ! What every call may write its error code to.
  integer, public :: ierror = 0

  integer :: failures = 0, failed_programs = 0
  integer, parameter :: printed_failures = 20

  interface same
    module procedure same_integer, same_integers, all_same_integer
    module procedure same_real, same_reals, all_same_real
    module procedure same_text
  end interface

contains

  subroutine begin
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  end subroutine

  ! Whether another implementation runs the program, whose errors are known.
  logical function on_peer()
    integer :: length
    call get_environment_variable("PAMIR_CONFORMANCE_PEER", length=length)
    on_peer = length > 0
  end function

  ! From here on errors return.
  subroutine quiet
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
  end subroutine

  ! From here on errors end the program, as at its start.
  subroutine loud
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierror)
  end subroutine

  subroutine start
    failures = 0
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine

  subroutine settle(name)
    character(*), intent(in) :: name
    integer :: mine(1), all(1)
    call loud
    mine = failures
    call MPI_Allreduce(mine, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (all(1) /= 0) failed_programs = failed_programs + 1
    if (rank == 0) then
      if (all(1) == 0) then
        write (output_unit, '(2a)') 'ok ', trim(name)
      else
        write (output_unit, '(2a)') 'failed ', trim(name)
      end if
      flush (output_unit)
    end if
  end subroutine

  subroutine finish
    call MPI_Finalize(ierror)
    if (failed_programs /= 0) stop 1
  end subroutine

  ! Counts a failure and begins its line.
  logical function failed(file, line)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    failures = failures + 1
    failed = failures <= printed_failures
    if (failed) write (error_unit, '(2a,i0,a,i0,a)', advance='no') &
      file(index(file, '/', back=.true.) + 1:), ':', line, ': rank ', rank, ': '
  end function

  subroutine require(file, line, condition)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    logical, intent(in) :: condition
    if (condition) return
    if (failed(file, line)) write (error_unit, '(a)') 'does not hold'
  end subroutine

  subroutine same_integer(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    integer(8), intent(in) :: got, wanted
    if (got == wanted) return
    if (failed(file, line)) write (error_unit, '(2(a,i0))') 'expected ', wanted, ', got ', got
  end subroutine

  subroutine same_integers(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    integer(8), intent(in) :: got(:), wanted(:)
    integer :: i
    call same_integer(file, line, size(got, kind=8), size(wanted, kind=8))
    do i = 1, min(size(got), size(wanted))
      if (got(i) == wanted(i)) cycle
      if (failed(file, line)) write (error_unit, '(3(a,i0))') 'expected ', wanted(i), ', got ', got(i), ' at ', i
      return
    end do
  end subroutine

  subroutine all_same_integer(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    integer(8), intent(in) :: got(:), wanted
    integer :: i
    call same_integers(file, line, got, [(wanted, i=1, size(got))])
  end subroutine

  subroutine same_real(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    real(8), intent(in) :: got, wanted
    if (abs(got - wanted) <= 0) return
    if (failed(file, line)) write (error_unit, '(2(a,g0))') 'expected ', wanted, ', got ', got
  end subroutine

  subroutine same_reals(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    real(8), intent(in) :: got(:), wanted(:)
    integer :: i
    call same_integer(file, line, size(got, kind=8), size(wanted, kind=8))
    do i = 1, min(size(got), size(wanted))
      if (abs(got(i) - wanted(i)) <= 0) cycle
      if (failed(file, line)) write (error_unit, '(2(a,g0),a,i0)') 'expected ', wanted(i), ', got ', got(i), ' at ', i
      return
    end do
  end subroutine

  subroutine all_same_real(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    real(8), intent(in) :: got(:), wanted
    integer :: i
    call same_reals(file, line, got, [(wanted, i=1, size(got))])
  end subroutine

  ! Texts of the same length, blank for blank.
  subroutine same_text(file, line, got, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    character(*), intent(in) :: got, wanted
    if (len(got) == len(wanted) .and. got == wanted) return
    if (failed(file, line)) write (error_unit, '(5a)') 'expected [', wanted, '], got [', got, ']'
  end subroutine

  subroutine same_class(file, line, code, wanted)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    integer, intent(in) :: code, wanted
    integer :: class
    call MPI_Error_class(code, class, ierror)
    if (class == wanted) return
    if (failed(file, line)) write (error_unit, '(2(a,i0))') 'expected error class ', wanted, ', got ', class
  end subroutine

end module
