//! Open MPI's sentinels: nine variables, which its C library exports for all of its Fortran interfaces.
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: they are another library's, so that the compiler itself goes through the global offset table.

#![allow(non_upper_case_globals)]

use crate::c::{Status, c_char, c_int, c_void};

unsafe extern "C" {
    static mpi_fortran_bottom_: c_char;
    static mpi_fortran_in_place_: c_char;
    static mpi_fortran_status_ignore_: c_char;
    static mpi_fortran_statuses_ignore_: c_char;
    static mpi_fortran_unweighted_: c_char;
    static mpi_fortran_weights_empty_: c_char;
    static mpi_fortran_errcodes_ignore_: c_char;
    static mpi_fortran_argv_null_: c_char;
    static mpi_fortran_argvs_null_: c_char;
}

/// What C takes where a status is not wanted.
pub const STATUS_IGNORE_OF_C: *mut Status = std::ptr::null_mut();

/// Whether an address is that of a variable.
macro_rules! is_at {
    ($address:expr, $variable:ident) => {
        $address as usize == (&raw const $variable) as usize
    };
}

/// A buffer.
#[inline(always)]
pub fn choice(address: *mut c_void) -> *mut c_void {
    if is_at!(address, mpi_fortran_bottom_) {
        std::ptr::null_mut()
    } else if is_in_place(address) {
        std::ptr::without_provenance_mut(1)
    } else {
        address
    }
}

/// A buffer that C gives back: no variable of Fortran's stands for one of the library's.
pub fn given_back(buffer: *mut c_void) -> *mut c_void {
    buffer
}

/// Whether an address is that of `MPI_IN_PLACE`.
#[inline(always)]
pub fn is_in_place(address: *mut c_void) -> bool {
    is_at!(address, mpi_fortran_in_place_)
}

/// A status to be written.
#[inline(always)]
pub fn status(address: *mut Status) -> *mut Status {
    match is_at!(address, mpi_fortran_status_ignore_)
        || is_at!(address, mpi_fortran_statuses_ignore_)
    {
        true => STATUS_IGNORE_OF_C,
        false => address,
    }
}

/// Statuses to be written. Programs that give `MPI_STATUS_IGNORE` mean the same.
#[inline(always)]
pub fn statuses(address: *mut Status) -> *mut Status {
    status(address)
}

/// Weights of a graph's edges.
pub fn weights(address: *mut c_int) -> *mut c_int {
    if is_at!(address, mpi_fortran_unweighted_) {
        std::ptr::without_provenance_mut(2)
    } else if is_at!(address, mpi_fortran_weights_empty_) {
        std::ptr::without_provenance_mut(3)
    } else {
        address
    }
}

/// Error codes to be written.
pub fn error_codes(address: *mut c_int) -> *mut c_int {
    match is_at!(address, mpi_fortran_errcodes_ignore_) {
        true => std::ptr::null_mut(),
        false => address,
    }
}

/// Whether an argument vector is `MPI_ARGV_NULL` or `MPI_ARGVS_NULL`.
pub fn is_no_arguments(address: *mut c_char) -> bool {
    is_at!(address, mpi_fortran_argv_null_) || is_at!(address, mpi_fortran_argvs_null_)
}
