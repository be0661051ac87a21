//! MPICH's addresses with a meaning of their own, and the variables of the library that hold some of them.
//!
//! What: the numbers that `address` compares with; `MPI_UNWEIGHTED` and its like, which are variables there. Step
//! before: a program's arguments. Step after: `address`. Invariant: a variable is read where the loader put it, which
//! may be in the executable; what it says does not change.

use std::ffi::c_int;
use std::sync::atomic::AtomicPtr;

use super::own_status::Own;

/// `MPI_IN_PLACE`.
pub const IN_PLACE: usize = usize::MAX;
/// `MPI_BUFFER_AUTOMATIC`, since MPICH 4.3.
pub const BUFFER_AUTOMATIC: usize = usize::MAX - 1;
/// `MPI_DISPLACEMENT_CURRENT`.
pub const DISPLACEMENT_CURRENT: i64 = -54_278_278;

/// A variable that holds an address.
#[repr(transparent)]
pub struct Variable(*const c_int);

// SAFETY: the address of memory that nobody reads.
unsafe impl Sync for Variable {}

static UNWEIGHTED: c_int = 0;
static WEIGHTS_EMPTY: c_int = 0x5745_4947;
static STATUSES: [Own; 2] = [Own::NONE; 2];
static ALL_VARIABLES: c_int = 0x414c_4c56;

/// What graphs without weights are given.
#[unsafe(no_mangle)]
pub static MPI_UNWEIGHTED: Variable = Variable(&raw const UNWEIGHTED);
/// What a process without edges gives.
#[unsafe(no_mangle)]
pub static MPI_WEIGHTS_EMPTY: Variable = Variable(&raw const WEIGHTS_EMPTY);
/// The handle of all performance variables.
#[unsafe(no_mangle)]
pub static MPI_T_PVAR_ALL_HANDLES: Variable = Variable(&raw const ALL_VARIABLES);
/// Fortran's `MPI_STATUS_IGNORE`, for C: where it is, the Fortran library writes when MPI begins.
#[unsafe(no_mangle)]
pub static MPI_F_STATUS_IGNORE: AtomicPtr<Own> =
    AtomicPtr::new((&raw const STATUSES).cast_mut().cast());
/// Fortran's `MPI_STATUSES_IGNORE`, for C, as above.
#[unsafe(no_mangle)]
pub static MPI_F_STATUSES_IGNORE: AtomicPtr<Own> =
    AtomicPtr::new((&raw const STATUSES).cast_mut().cast());

/// The same of the module `mpi_f08`: variables whose addresses are meant.
#[unsafe(no_mangle)]
pub static MPIR_F08_MPI_STATUS_IGNORE_OBJ: Own = Own::NONE;
/// As above.
#[unsafe(no_mangle)]
pub static MPIR_F08_MPI_STATUSES_IGNORE_OBJ: [Own; 1] = [Own::NONE];
/// As above.
#[unsafe(no_mangle)]
pub static MPIR_F08_MPI_BOTTOM: c_int = 0;
/// As above.
#[unsafe(no_mangle)]
pub static MPIR_F08_MPI_IN_PLACE: c_int = 0;
/// The address of the variable above, for C.
#[unsafe(no_mangle)]
pub static MPI_F08_STATUS_IGNORE: Variable =
    Variable((&raw const MPIR_F08_MPI_STATUS_IGNORE_OBJ).cast());
/// As above.
#[unsafe(no_mangle)]
pub static MPI_F08_STATUSES_IGNORE: Variable =
    Variable((&raw const MPIR_F08_MPI_STATUSES_IGNORE_OBJ).cast());
/// What `mpi_f08` binds to.
#[unsafe(no_mangle)]
pub static MPIR_C_MPI_UNWEIGHTED: Variable = Variable(&raw const UNWEIGHTED);
/// As above.
#[unsafe(no_mangle)]
pub static MPIR_C_MPI_WEIGHTS_EMPTY: Variable = Variable(&raw const WEIGHTS_EMPTY);

/// What the program's `MPI_UNWEIGHTED` says.
pub fn unweighted() -> usize {
    &raw const UNWEIGHTED as usize
}

/// What the program's `MPI_WEIGHTS_EMPTY` says.
pub fn weights_empty() -> usize {
    &raw const WEIGHTS_EMPTY as usize
}

/// What the program's `MPI_T_PVAR_ALL_HANDLES` says.
pub fn all_variables() -> usize {
    &raw const ALL_VARIABLES as usize
}
