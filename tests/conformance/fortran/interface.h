! What differs between the three interfaces of MPI in Fortran, as macros of the preprocessor.
!
! A program is written once: it includes this file at its top and scope.h after the USE statements of each
! scope that calls MPI, and is compiled with one of WITH_MPI_F08, WITH_MPI and WITH_MPIF_H, for another
! implementation also with WITH_PEER.
!
!     A_COMM :: comm            A_STATUS :: status        SOURCE_OF(status)    HANDLE_VALUE(comm)
!     A_REQUEST :: request(4)   STATUSES(4) :: statuses   SOURCE_AT(statuses, 2)
!     integer, BUFFER :: x(10)
!
! The other macros are comparisons: see check.F90. Arrays in them stand in (/ and /), whose parentheses keep
! their commas from the preprocessor.
#if defined(WITH_MPI_F08)
#define A_COMM type(MPI_Comm)
#define A_GROUP type(MPI_Group)
#define A_DATATYPE type(MPI_Datatype)
#define AN_OP type(MPI_Op)
#define A_REQUEST type(MPI_Request)
#define A_MESSAGE type(MPI_Message)
#define AN_ERRHANDLER type(MPI_Errhandler)
#define AN_INFO type(MPI_Info)
#define A_WIN type(MPI_Win)
#define A_STATUS type(MPI_Status)
#define STATUSES(n) type(MPI_Status), dimension(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define ERROR_OF(status) status%MPI_ERROR
#define SOURCE_AT(statuses, i) statuses(i)%MPI_SOURCE
#define TAG_AT(statuses, i) statuses(i)%MPI_TAG
#define ERROR_AT(statuses, i) statuses(i)%MPI_ERROR
#define HANDLE_VALUE(handle) handle%MPI_VAL
#else
#define A_COMM integer
#define A_GROUP integer
#define A_DATATYPE integer
#define AN_OP integer
#define A_REQUEST integer
#define A_MESSAGE integer
#define AN_ERRHANDLER integer
#define AN_INFO integer
#define A_WIN integer
#define A_STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define ERROR_OF(status) status(MPI_ERROR)
#define SOURCE_AT(statuses, i) statuses(MPI_SOURCE, i)
#define TAG_AT(statuses, i) statuses(MPI_TAG, i)
#define ERROR_AT(statuses, i) statuses(MPI_ERROR, i)
#define HANDLE_VALUE(handle) handle
#endif

! A variable that MPI reads or writes between two calls. ASYNCHRONOUS needs procedures that the compiler knows.
#if defined(WITH_MPIF_H)
#define BUFFER target
#else
#define BUFFER asynchronous
#endif

#define CHECK(condition) call require(__FILE__, __LINE__, condition)
#define CHECK_INT(got, wanted) call same(__FILE__, __LINE__, int(got, 8), int(wanted, 8))
#define CHECK_REAL(got, wanted) call same(__FILE__, __LINE__, real(got, 8), real(wanted, 8))
#define CHECK_TEXT(got, wanted) call same(__FILE__, __LINE__, got, wanted)
#define CHECK_CLASS(code, wanted) call same_class(__FILE__, __LINE__, code, wanted)
