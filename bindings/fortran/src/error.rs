//! Error codes on their way back, and errors of this library's own.
//!
//! Step before: a C function's code. Step after: the program's `ierror`, if it gave one.
//! Invariant: an error of this library goes through the program's error handler, as C's do.

use crate::c::{self, Integer, c_int};

/// Gives a code to the program, which may not want it.
#[inline(always)]
pub unsafe fn finish(ierror: *mut Integer, code: c_int) {
    if !ierror.is_null() {
        // SAFETY: an argument that is there is an INTEGER of the program's.
        unsafe { *ierror = code };
    }
}

/// Raises an error of a class, with what a user can do about it; gives the code.
#[cold]
pub fn raise(class: c_int, text: &str) -> c_int {
    let mut code = class;
    let text: Vec<_> = text.bytes().chain([0]).collect();
    // SAFETY: the arguments are places of this function and a string with its end.
    unsafe {
        if c::symbol::PMPI_Add_error_code(class, &raw mut code) == c::SUCCESS {
            c::symbol::PMPI_Add_error_string(code, text.as_ptr().cast_mut().cast());
        }
        c::symbol::PMPI_Comm_call_errhandler(c::COMM_WORLD, code);
    }
    code
}
