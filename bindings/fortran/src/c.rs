//! The C library as this one calls it.
//!
//! What: the types of a face's interface in their plainest form, its functions and numbers. Handles are numbers that
//! nobody follows; callbacks are addresses.
//! Step before: `pamir-interface`. Step after: `entry` and whoever calls.
//! Invariant: sizes and places are the C library's: the ABI's (MPI-5.0, section 20), or a face's.

// The functions have C's names, and all are declared, whoever calls them.
#![allow(non_camel_case_types, dead_code)]

pub use std::ffi::{c_char, c_int, c_void};

/// Fortran's `INTEGER`, and its `LOGICAL` of the same size.
pub type Integer = c_int;

/// A handle of any kind but files.
#[cfg(not(face = "mpich"))]
pub type Handle = usize;
/// A handle of any kind but files.
#[cfg(face = "mpich")]
pub type Handle = c_int;

/// A handle of a file.
pub type File = usize;

/// A status: source, tag, error, and five integers of the library's.
#[cfg(face = "standard")]
pub type Status = [c_int; 8];
/// A status: two integers of the library's, source, tag, error.
#[cfg(face = "mpich")]
pub type Status = [c_int; 5];
/// A status: source, tag, error, and three integers of the library's, the last two of which C has as one.
#[cfg(face = "openmpi")]
pub type Status = [c_int; 6];

/// No error.
pub use number::MPI_SUCCESS as SUCCESS;
/// What is not defined.
pub use number::MPI_UNDEFINED as UNDEFINED;
// Handles as Fortran has them: `handle` gives C's.
pub use number::{
    MPI_BYTE as BYTE, MPI_COMM_NULL as COMM_NULL, MPI_COMM_SELF as COMM_SELF,
    MPI_DATATYPE_NULL as DATATYPE_NULL, MPI_REQUEST_NULL as REQUEST_NULL,
};
// Error classes.
pub use number::{
    MPI_ERR_ARG as ERR_ARG, MPI_ERR_BUFFER as ERR_BUFFER, MPI_ERR_OTHER as ERR_OTHER,
};

/// A `LOGICAL` as compilers write it: gfortran and flang both have 1 for true.
pub const fn logical(value: bool) -> Integer {
    value as Integer
}

include!(concat!(env!("OUT_DIR"), "/declarations.rs"));
