! Strings: blanks behind them do not count on the way in, and fill the variable on the way out.
#include "interface.h"
module strings_program
  use check
#include "scope.h"
contains

  subroutine strings
    call names
    call infos
    call texts
  end subroutine

  subroutine names
    A_COMM :: comm
    A_DATATYPE :: type
    A_WIN :: win
    character(MPI_MAX_OBJECT_NAME) :: long
    character(6) :: short
    integer :: length
    integer, BUFFER :: memory(1)
    integer(MPI_ADDRESS_KIND) :: bytes
    call MPI_Comm_get_name(MPI_COMM_WORLD, long, length, ierror)
    CHECK_INT(length, 14)
    CHECK_TEXT(long(:16), 'MPI_COMM_WORLD  ')
    CHECK(long(15:) == ' ')
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
    call MPI_Comm_set_name(comm, 'a b  ', ierror)
    long = repeat('x', len(long))
    call MPI_Comm_get_name(comm, long, length, ierror)
    CHECK_INT(length, 3)
    CHECK(long == 'a b')
    ! A variable that is too short gets the beginning; mpi_f08 refuses it.
    call MPI_Comm_set_name(comm, 'a long name', ierror)
#if !defined(WITH_MPI_F08)
    call MPI_Comm_get_name(comm, short, length, ierror)
    CHECK_TEXT(short, 'a long')
#endif
    call MPI_Comm_set_name(comm, '   ', ierror)
    call MPI_Comm_get_name(comm, long, length, ierror)
    CHECK_INT(length, 0)
    CHECK(long == ' ')
    call MPI_Comm_free(comm, ierror)
    call MPI_Type_get_name(MPI_INTEGER, long, length, ierror)
    CHECK_TEXT(long(:length), 'MPI_INTEGER')
    call MPI_Type_dup(MPI_REAL, type, ierror)
    call MPI_Type_set_name(type, 'metres', ierror)
    call MPI_Type_get_name(type, long, length, ierror)
    CHECK_TEXT(long(:length), 'metres')
    call MPI_Type_free(type, ierror)
    bytes = 4
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_set_name(win, 'w', ierror)
    call MPI_Win_get_name(win, long, length, ierror)
    CHECK_INT(length, 1)
    CHECK_TEXT(long(:6), 'w     ')
    call MPI_Win_free(win, ierror)
  end subroutine

  subroutine infos
    AN_INFO :: info, other
    character(12) :: value
    character(3) :: short
    character(MPI_MAX_INFO_KEY) :: key
    integer :: length, many, i
    logical :: flag
    call MPI_Info_create(info, ierror)
    ! Blanks around keys and values do not count.
    call MPI_Info_set(info, '  first ', '  one two  ', ierror)
    call MPI_Info_set(info, 'second', 'x', ierror)
    call MPI_Info_get_nkeys(info, many, ierror)
    CHECK_INT(many, 2)
    value = repeat('#', 12)
    call MPI_Info_get(info, 'first', 12, value, flag, ierror)
    CHECK(flag)
    CHECK_TEXT(value, 'one two     ')
    call MPI_Info_get_valuelen(info, ' first', length, flag, ierror)
    CHECK(flag)
    CHECK_INT(length, 7)
    if (.not. on_peer()) then
      call MPI_Info_get(info, 'first', 3, short, flag, ierror)
      CHECK_TEXT(short, 'one')
    end if
    value = repeat('#', 12)
    call MPI_Info_get(info, 'third', 12, value, flag, ierror)
    CHECK(.not. flag)
    CHECK_TEXT(value, '############')
    length = 12
    value = repeat('#', 12)
    call MPI_Info_get_string(info, 'first', length, value, flag, ierror)
    CHECK(flag)
    CHECK_INT(length, 7)
    CHECK_TEXT(value, 'one two     ')
    length = 3
    call MPI_Info_get_string(info, 'first', length, short, flag, ierror)
    CHECK(flag)
    CHECK_INT(length, 7)
    CHECK_TEXT(short, 'one')
    ! A length of 0 asks for the length only.
    length = 0
    short = '***'
    call MPI_Info_get_string(info, 'first', length, short, flag, ierror)
    CHECK_INT(length, 7)
    CHECK_TEXT(short, '***')
    do i = 0, 1
      call MPI_Info_get_nthkey(info, i, key, ierror)
      CHECK(key == 'first' .or. key == 'second')
    end do
    call MPI_Info_dup(info, other, ierror)
    call MPI_Info_delete(info, 'first  ', ierror)
    call MPI_Info_get_valuelen(info, 'first', length, flag, ierror)
    CHECK(.not. flag)
    call MPI_Info_get_valuelen(other, 'first', length, flag, ierror)
    CHECK(flag)
    call MPI_Info_free(info, ierror)
    CHECK(info == MPI_INFO_NULL)
    call MPI_Info_free(other, ierror)
    call quiet
    call MPI_Info_create(info, ierror)
    call MPI_Info_delete(info, 'nothing', ierror)
    i = ierror
    CHECK_CLASS(i, MPI_ERR_INFO_NOKEY)
    call loud
    call MPI_Info_free(info, ierror)
  end subroutine

  subroutine texts
    character(MPI_MAX_PROCESSOR_NAME) :: name
    character(MPI_MAX_ERROR_STRING) :: text
    character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(4) :: short
    integer :: length, major, minor
    name = repeat('#', len(name))
    call MPI_Get_processor_name(name, length, ierror)
    CHECK(length > 0 .and. length <= len(name))
    CHECK_INT(length, len_trim(name))
    text = repeat('#', len(text))
    call MPI_Error_string(MPI_ERR_RANK, text, length, ierror)
    CHECK(length > 0)
    CHECK_INT(length, len_trim(text))
#if !defined(WITH_MPI_F08)
    call MPI_Error_string(MPI_ERR_RANK, short, length, ierror)
    CHECK_TEXT(short, text(:4))
#endif
    version = repeat('#', len(version))
    call MPI_Get_library_version(version, length, ierror)
    CHECK(length > 0)
    CHECK_INT(length, len_trim(version))
    call MPI_Get_version(major, minor, ierror)
    CHECK_INT(major, MPI_VERSION)
    CHECK_INT(minor, MPI_SUBVERSION)
  end subroutine

end module
