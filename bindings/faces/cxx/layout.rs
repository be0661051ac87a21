//! The data that C++ finds by name, generated from `table/classes.txt` and `table/objects.txt`.
//!
//! What: tables of virtual functions, type information, the variables of the namespace; and [`class`], what a new object
//! of each class begins with. Step before: the loader. Step after: [`crate::methods`]. Invariant: everything here is
//! ready before any code runs, for executables copy variables when they are loaded.

// Generated data, which the symbols' names explain; a handle is as wide as a word in one face only.
#![allow(clippy::unnecessary_cast, missing_docs)]

use std::cell::UnsafeCell;
use std::ffi::c_void;

use crate::methods::*;
use crate::object::Maker;

/// Addresses that never change.
#[repr(transparent)]
pub struct Words<const COUNT: usize>([*const c_void; COUNT]);

// SAFETY: nobody writes them, and what they point to is the program's or constant.
unsafe impl<const COUNT: usize> Sync for Words<COUNT> {}

/// An object that the program may change.
#[repr(transparent)]
pub struct Variable(UnsafeCell<[*const c_void; 2]>);

// SAFETY: the program orders its own accesses; this library writes one before the program's code runs.
unsafe impl Sync for Variable {}

impl Variable {
    const fn new(table: *const c_void, handle: *const c_void) -> Self {
        Self(UnsafeCell::new([table, handle]))
    }
}

/// A word of zeros.
const NONE: *const c_void = std::ptr::null();

macro_rules! address {
    ($name:ident) => {
        (&raw const $name).cast::<c_void>()
    };
}

/// What stands behind the first two words of a table.
macro_rules! behind {
    ($name:ident) => {
        (&raw const $name)
            .cast::<u8>()
            .wrapping_add(16)
            .cast::<c_void>()
    };
}

unsafe extern "C" {
    static _ZTVN10__cxxabiv117__class_type_infoE: [u8; 0];
    static _ZTVN10__cxxabiv120__si_class_type_infoE: [u8; 0];
    fn __cxa_pure_virtual();
}

include!(concat!(env!("OUT_DIR"), "/layout.rs"));

/// `MPI::mpi_errno`, the code of the last error.
#[cfg(face = "openmpi")]
#[unsafe(export_name = "_ZN3MPI9mpi_errnoE")]
pub static ERRNO: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);

/// `MPI::ompi_libcxx_version_string`: the version whose interface this is.
#[cfg(face = "openmpi")]
#[unsafe(export_name = "_ZN3MPI26ompi_libcxx_version_stringE")]
pub static VERSION: [u8; 6] = *b"4.1.4\0";
