! Error handlers of communicators and windows, error classes, codes and strings of the program's own.
#include "interface.h"
module error_handlers_program
  use check
#include "scope.h"

  integer :: calls = 0, last_code = 0
  A_COMM :: last_comm
  A_WIN :: last_win

contains

  subroutine error_handlers
    call of_communicators
    call of_windows
    call codes
  end subroutine

  subroutine of_communicators
    A_COMM :: comm
    AN_ERRHANDLER :: handler, found
    integer :: x
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_create_errhandler(note_comm, handler, ierror)
    call MPI_Comm_set_errhandler(comm, handler, ierror)
    call MPI_Comm_get_errhandler(comm, found, ierror)
    CHECK(found == handler)
    call MPI_Errhandler_free(found, ierror)
    CHECK(found == MPI_ERRHANDLER_NULL)
    calls = 0
    x = 0
    call MPI_Send(x, 1, MPI_INTEGER, ranks + 7, 0, comm, ierror)
    x = ierror
    CHECK_INT(calls, 1)
    CHECK(last_comm == comm)
    CHECK_INT(last_code, x)
    CHECK_CLASS(x, MPI_ERR_RANK)
    call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, ierror)
    CHECK_INT(calls, 2)
    CHECK_INT(last_code, MPI_ERR_OTHER)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
    call MPI_Send(x, 1, MPI_INTEGER, ranks + 7, 0, comm, ierror)
    x = ierror
    CHECK_CLASS(x, MPI_ERR_RANK)
    CHECK_INT(calls, 2)
    call MPI_Send(x, -1, MPI_INTEGER, 0, 0, comm, ierror)
    x = ierror
    CHECK_CLASS(x, MPI_ERR_COUNT)
    call MPI_Bcast(x, 1, MPI_INTEGER, ranks, comm, ierror)
    x = ierror
    CHECK_CLASS(x, MPI_ERR_ROOT)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Comm_free(comm, ierror)
  end subroutine

  subroutine note_comm(comm, code)
    A_COMM :: comm
    integer :: code
    calls = calls + 1
    last_comm = comm
    last_code = code
  end subroutine

  subroutine of_windows
    A_WIN :: win
    AN_ERRHANDLER :: handler, found
    integer, BUFFER :: memory(4)
    integer :: code
    integer(MPI_ADDRESS_KIND) :: bytes
    bytes = 16
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_create_errhandler(note_win, handler, ierror)
    call MPI_Win_set_errhandler(win, handler, ierror)
    call MPI_Win_get_errhandler(win, found, ierror)
    CHECK(found == handler)
    call MPI_Errhandler_free(found, ierror)
    calls = 0
    call MPI_Win_call_errhandler(win, MPI_ERR_ASSERT, ierror)
    CHECK_INT(calls, 1)
    CHECK_INT(last_code, MPI_ERR_ASSERT)
    CHECK(last_win == win)
    call MPI_Win_lock(MPI_LOCK_SHARED, ranks + 3, 0, win, ierror)
    code = ierror
    CHECK_INT(calls, 2)
    CHECK_CLASS(code, MPI_ERR_RANK)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Win_free(win, ierror)
  end subroutine

  subroutine note_win(win, code)
    A_WIN :: win
    integer :: code
    calls = calls + 1
    last_win = win
    last_code = code
  end subroutine

  subroutine codes
    integer :: class, code, found, length
    integer(MPI_ADDRESS_KIND) :: used
    logical :: flag
    character(MPI_MAX_ERROR_STRING) :: text
    call MPI_Add_error_class(class, ierror)
    CHECK(class > MPI_ERR_LASTCODE)
    call MPI_Add_error_code(class, code, ierror)
    call MPI_Add_error_string(code, 'the tea is cold   ', ierror)
    call MPI_Error_class(code, found, ierror)
    CHECK_INT(found, class)
    text = 'x'
    call MPI_Error_string(code, text, length, ierror)
    CHECK_INT(length, 15)
    CHECK_TEXT(text(:16), 'the tea is cold ')
    CHECK(text(16:) == ' ')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, used, flag, ierror)
    CHECK(flag)
    CHECK(used >= class)
  end subroutine

end module
