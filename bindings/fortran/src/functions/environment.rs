//! Beginning, and what C has with other arguments.
//!
//! Step before: `entry`. Step after: C.
//! Invariant: once MPI has begun, C is told what it has to know of Fortran.

use super::greeting::tell_of_fortran;
use crate::c::{self, Integer, c_int};

/// `MPI_Init`.
pub unsafe fn init(call: c::MPI_Init) -> c_int {
    // SAFETY: C takes null for both.
    let code = unsafe { call(std::ptr::null_mut(), std::ptr::null_mut()) };
    tell_of_fortran(code);
    code
}

/// `MPI_Init_thread`.
pub unsafe fn init_thread(
    call: c::MPI_Init_thread,
    required: *mut Integer,
    provided: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments; C takes null for the others.
    let code = unsafe {
        call(
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            *required,
            provided,
        )
    };
    tell_of_fortran(code);
    code
}

/// `MPI_Pcontrol`.
pub unsafe fn pcontrol(call: c::MPI_Pcontrol, level: *mut Integer) -> c_int {
    // SAFETY: the program's argument.
    unsafe { call(*level) }
}
