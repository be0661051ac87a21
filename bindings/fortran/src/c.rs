//! The C library as this one calls it.
//!
//! What: the types of the ABI in their plainest form, and its functions. Handles are numbers that
//! nobody follows; callbacks are addresses.
//! Step before: `pamir-interface`. Step after: `entry` and whoever calls.
//! Invariant: sizes and places are the ABI's (MPI-5.0, section 20).

// The functions have C's names, and all are declared, whoever calls them.
#![allow(non_camel_case_types, dead_code)]

pub use std::ffi::{c_char, c_int, c_void};

/// Fortran's `INTEGER`, and its `LOGICAL` of the same size.
pub type Integer = c_int;

/// A handle of any kind.
pub type Handle = usize;

/// A status: source, tag, error, and five integers of the library's.
pub type Status = [c_int; 8];

/// `MPI_SUCCESS`.
pub const SUCCESS: c_int = 0;
/// `MPI_UNDEFINED`.
pub const UNDEFINED: c_int = -32766;
/// `MPI_COMM_WORLD`.
pub const COMM_WORLD: Handle = 0x101;
/// `MPI_REQUEST_NULL`.
pub const REQUEST_NULL: Integer = 0x180;
/// `MPI_INFO_NULL`.
pub const INFO_NULL: Handle = 0x130;
/// `MPI_COMM_NULL`.
pub const COMM_NULL: Handle = 0x100;
/// `MPI_DATATYPE_NULL`.
pub const DATATYPE_NULL: Handle = 0x200;
/// `MPI_BYTE`.
pub const BYTE: Handle = 0x247;
/// `MPI_COMM_SELF`.
pub const COMM_SELF: Handle = 0x102;
/// `MPI_ERR_ARG`.
pub const ERR_ARG: c_int = 13;
/// `MPI_ERR_BUFFER`.
pub const ERR_BUFFER: c_int = 1;
/// `MPI_ERR_OTHER`.
pub const ERR_OTHER: c_int = 16;

/// A `LOGICAL` as compilers write it: gfortran and flang both have 1 for true.
pub const fn logical(value: bool) -> Integer {
    value as Integer
}

include!(concat!(env!("OUT_DIR"), "/declarations.rs"));

unsafe extern "C" {
    /// `PMPI_Abi_set_fortran_info`, which has no Fortran form.
    pub fn PMPI_Abi_set_fortran_info(info: Handle) -> c_int;
    /// `PMPI_Abi_get_fortran_booleans`, which has no Fortran form.
    pub fn PMPI_Abi_get_fortran_booleans(
        size: c_int,
        truth: *mut c_void,
        falsehood: *mut c_void,
        is_set: *mut c_int,
    ) -> c_int;
    /// `PMPI_Abi_set_fortran_booleans`, which has no Fortran form.
    pub fn PMPI_Abi_set_fortran_booleans(
        size: c_int,
        truth: *mut c_void,
        falsehood: *mut c_void,
    ) -> c_int;
}
