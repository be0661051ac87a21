//! Values that Fortran caches on communicators, datatypes and windows.
//!
//! What: an attribute is a pointer in C and an integer in Fortran. What Fortran sets is kept in a cell
//! of its own, and C is given the cell's address (MPI-5.0, section 19.3.7).
//!
//! ```text
//! set in Fortran: 42     C's attribute: address of a cell with 42    C gets that address, Fortran 42
//! set in C: pointer p    C's attribute: p                           C gets p, Fortran p as an integer
//! predefined             C's attribute: address of an int           C gets that address, Fortran the int
//! ```
//!
//! Step before: `functions::attribute`, `callback::attribute`. Step after: C's attribute functions.
//! Invariant: a cell lives until its attribute is deleted by a key of Fortran's; of a key of C's, for ever.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::c::{c_int, c_void, number};

static CELLS: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

fn cells() -> MutexGuard<'static, Option<HashSet<usize>>> {
    CELLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new cell with a value; C's attribute.
pub fn store(value: i64) -> *mut c_void {
    let cell = Box::into_raw(Box::new(value));
    cells().get_or_insert_default().insert(cell as usize);
    cell.cast()
}

/// The value of an attribute: a cell's content, or C's pointer as it is.
pub fn read(attribute: *mut c_void) -> i64 {
    match cells()
        .as_ref()
        .is_some_and(|cells| cells.contains(&(attribute as usize)))
    {
        // SAFETY: the cell is in the set, so it was made by `store` and is not freed.
        true => unsafe { *attribute.cast() },
        false => attribute as i64,
    }
}

/// Frees an attribute's cell, if it is one.
pub fn delete(attribute: *mut c_void) {
    if cells()
        .as_mut()
        .is_some_and(|cells| cells.remove(&(attribute as usize)))
    {
        // SAFETY: the cell was in the set: it was made by `store`, and nobody else frees it.
        drop(unsafe { Box::from_raw(attribute.cast::<i64>()) });
    }
}

/// C's number of a key: MPICH's predefined keys have another number in Fortran, one above C's.
pub fn key_of_c(key: c_int) -> c_int {
    match cfg!(face = "mpich") && PREDEFINED.contains(&key.wrapping_sub(1)) {
        true => key - 1,
        false => key,
    }
}

/// All predefined keys.
const PREDEFINED: [c_int; 12] = [
    number::MPI_TAG_UB,
    number::MPI_IO,
    number::MPI_HOST,
    number::MPI_WTIME_IS_GLOBAL,
    number::MPI_APPNUM,
    number::MPI_LASTUSEDCODE,
    number::MPI_UNIVERSE_SIZE,
    number::MPI_WIN_DISP_UNIT,
    number::MPI_WIN_CREATE_FLAVOR,
    number::MPI_WIN_MODEL,
    number::MPI_WIN_BASE,
    number::MPI_WIN_SIZE,
];

/// The value of a predefined attribute (MPI-5.0, sections 9.1.2 and 12.2.6), or `None` of another key of C's.
///
/// # Safety
///
/// `attribute` is what C gave for `key`.
pub unsafe fn predefined(key: c_int, attribute: *mut c_void) -> Option<i64> {
    // SAFETY: C gives the address of an int, or of an address-sized integer for a window's size.
    unsafe {
        match key {
            number::MPI_WIN_BASE => Some(attribute as i64),
            number::MPI_WIN_SIZE => Some(*attribute.cast()),
            _ if PREDEFINED.contains(&key) => Some(i64::from(*attribute.cast::<c_int>())),
            _ => None,
        }
    }
}
