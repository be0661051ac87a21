! Runs the programs that its arguments name, one after the other.
!
! The runner writes uses.inc and cases.inc: one line for each program that was compiled.
#include "interface.h"
program main
  use check
#include "uses.inc"
  implicit none
  integer :: i
  character(64) :: name
  call begin
  do i = 1, command_argument_count()
    call get_command_argument(i, name)
    call start
    select case (name)
#include "cases.inc"
    case default
      CHECK(.false.)
    end select
    call settle(name)
  end do
  call finish
end program
