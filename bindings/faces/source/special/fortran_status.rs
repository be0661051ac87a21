//! Statuses between C and Fortran: the same bytes in both ABIs.
//!
//! What: copies of a status as integers. Step before: C code that calls Fortran, or the other way. Step after: the other
//! language. Invariant: Fortran's array has as many integers as C's status has room for.

use std::ffi::c_int;

use crate::status::Own;

const INTEGERS: usize = size_of::<Own>() / size_of::<c_int>();

/// Copies a status; the code.
///
/// # Safety
///
/// Both are null or have a status's length.
unsafe fn copy(from: *const c_int, to: *mut c_int) -> c_int {
    if from.is_null() || to.is_null() {
        // SAFETY: the library refuses a null pointer, in the words of its own function.
        return unsafe { (crate::call::pamir_functions.MPI_Status_c2f)(std::ptr::null(), to) };
    }
    // SAFETY: the caller's promise; an integer may be anywhere that a status may.
    unsafe { std::ptr::copy(from, to, INTEGERS) };
    0
}

macro_rules! conversions {
    ($($name:ident($from:ident: $input:ty, $to:ident: $output:ty);)*) => {$(
        /// `MPI_Status` as the other language has it.
        ///
        /// # Safety
        ///
        /// As the standard says.
        pub unsafe fn $name($from: *const $input, $to: *mut $output) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { copy($from.cast(), $to.cast()) }
        }
    )*};
}

conversions! {
    status_c2f(c_status: Own, f_status: c_int);
    status_c2f08(c_status: Own, f08_status: c_int);
    status_f082c(f08_status: c_int, c_status: Own);
    status_f082f(f08_status: c_int, f_status: c_int);
    status_f2c(f_status: c_int, c_status: Own);
    status_f2f08(f_status: c_int, f08_status: c_int);
}
