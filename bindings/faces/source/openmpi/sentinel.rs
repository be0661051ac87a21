//! Open MPI's addresses with a meaning of their own, and the variables of Fortran that its C library exports.
//!
//! What: the numbers that `address` compares with; `mpi_fortran_bottom_` and its like in all spellings of Fortran
//! compilers, for the Fortran libraries. Step before: a program's arguments. Step after: `address`.
//! Invariant: of Fortran's variables only the address is meant.

use std::ffi::{c_char, c_int};

/// `MPI_IN_PLACE`.
pub const IN_PLACE: usize = 1;
/// No address: Open MPI has no such constant.
pub const BUFFER_AUTOMATIC: usize = usize::MAX;
/// `MPI_DISPLACEMENT_CURRENT`.
pub const DISPLACEMENT_CURRENT: i64 = -54_278_278;

/// `MPI_UNWEIGHTED`.
pub fn unweighted() -> usize {
    2
}

/// `MPI_WEIGHTS_EMPTY`.
pub fn weights_empty() -> usize {
    3
}

/// `MPI_T_PVAR_ALL_HANDLES`.
pub fn all_variables() -> usize {
    usize::MAX
}

macro_rules! variables {
    ($($plain:ident $one:ident $two:ident $upper:ident: $kind:ty = $value:expr;)*) => {$(
        /// A variable of Fortran's.
        #[unsafe(no_mangle)]
        pub static $plain: $kind = $value;
        /// The same as another compiler spells it.
        #[unsafe(no_mangle)]
        pub static $one: $kind = $value;
        /// The same as another compiler spells it.
        #[unsafe(no_mangle)]
        pub static $two: $kind = $value;
        /// The same as another compiler spells it.
        #[unsafe(no_mangle)]
        pub static $upper: $kind = $value;
    )*};
}

variables! {
    mpi_fortran_argv_null mpi_fortran_argv_null_ mpi_fortran_argv_null__ MPI_FORTRAN_ARGV_NULL: c_char = 0;
    mpi_fortran_argvs_null mpi_fortran_argvs_null_ mpi_fortran_argvs_null__ MPI_FORTRAN_ARGVS_NULL: c_char = 0;
    mpi_fortran_bottom mpi_fortran_bottom_ mpi_fortran_bottom__ MPI_FORTRAN_BOTTOM: c_int = 0;
    mpi_fortran_errcodes_ignore mpi_fortran_errcodes_ignore_ mpi_fortran_errcodes_ignore__ MPI_FORTRAN_ERRCODES_IGNORE: c_int = 0;
    mpi_fortran_in_place mpi_fortran_in_place_ mpi_fortran_in_place__ MPI_FORTRAN_IN_PLACE: c_int = 0;
    mpi_fortran_status_ignore mpi_fortran_status_ignore_ mpi_fortran_status_ignore__ MPI_FORTRAN_STATUS_IGNORE: u64 = 0;
    mpi_fortran_statuses_ignore mpi_fortran_statuses_ignore_ mpi_fortran_statuses_ignore__ MPI_FORTRAN_STATUSES_IGNORE: u64 = 0;
    mpi_fortran_unweighted mpi_fortran_unweighted_ mpi_fortran_unweighted__ MPI_FORTRAN_UNWEIGHTED: c_int = 0;
    mpi_fortran_weights_empty mpi_fortran_weights_empty_ mpi_fortran_weights_empty__ MPI_FORTRAN_WEIGHTS_EMPTY: c_int = 0;
}

/// A variable that holds the address of one of Fortran's.
#[repr(transparent)]
pub struct Variable(*const c_int);

// SAFETY: the address of memory that nobody reads.
unsafe impl Sync for Variable {}

/// Fortran's `MPI_STATUS_IGNORE`, for C.
#[unsafe(no_mangle)]
pub static MPI_F_STATUS_IGNORE: Variable = Variable((&raw const mpi_fortran_status_ignore_).cast());
/// Fortran's `MPI_STATUSES_IGNORE`, for C.
#[unsafe(no_mangle)]
pub static MPI_F_STATUSES_IGNORE: Variable =
    Variable((&raw const mpi_fortran_statuses_ignore_).cast());
