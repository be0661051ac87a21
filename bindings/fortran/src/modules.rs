//! What programs refer to of the modules that MPICH and Open MPI compile into their libraries.
//!
//! What: constants of derived types, comparisons of handles, conversions and sizes of variables: module procedures with
//! gfortran's names, which the generator writes. The standard's own modules are compiled by each compiler and have them in
//! an archive.
//! Step before: `mpi_f08` of a peer, as a program was compiled with it. Step after: nothing.
//! Invariant: a handle is one integer at an address, whatever its derived type is called.

#![allow(non_snake_case, non_upper_case_globals, clippy::missing_safety_doc)]

use std::ffi::c_void;

use crate::c::{Handle, Integer, SUCCESS, Status, c_int, logical};
use crate::entry::export;
use crate::error::finish;

include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// The comparison of two handles.
unsafe extern "C" fn is_equal(one: *const Integer, other: *const Integer) -> Integer {
    // SAFETY: the program's handles.
    unsafe { logical(*one == *other) }
}

/// The opposite comparison.
unsafe extern "C" fn is_unequal(one: *const Integer, other: *const Integer) -> Integer {
    // SAFETY: the program's handles.
    unsafe { logical(*one != *other) }
}

/// Writes the size of a variable of a type.
unsafe extern "C" fn size_of<const BYTES: Integer>(
    _variable: *const c_void,
    size: *mut Integer,
    ierror: *mut Integer,
) {
    // SAFETY: the program's places.
    unsafe {
        *size = BYTES;
        finish(ierror, SUCCESS);
    }
}

/// A handle that is the same in both languages.
unsafe extern "C" fn same(handle: Handle) -> Handle {
    handle
}

/// Makes one status another.
unsafe extern "C" fn assign(to: *mut Status, from: *const Status) {
    // SAFETY: the program's statuses.
    unsafe { *to = *from };
}

/// Converts a status, in Fortran.
unsafe extern "C" fn convert(from: *const Status, to: *mut Status, ierror: *mut Integer) {
    // SAFETY: the program's statuses.
    unsafe {
        *to = *from;
        finish(ierror, SUCCESS);
    }
}

/// Converts a status, in C.
unsafe extern "C" fn convert_in_c(from: *const Status, to: *mut Status) -> c_int {
    // SAFETY: the program's statuses.
    unsafe { *to = *from };
    SUCCESS
}
