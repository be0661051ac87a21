//! Error handlers of windows (MPI-5.0 section 9.3.2). [`crate::functions::management::error::handler`] has those of all objects.

use std::ffi::c_int;

use crate::error::Result;
use crate::functions::management::error::handler;
use crate::types::*;

/// `MPI_Win_create_errhandler`.
///
/// # Safety
///
/// `errhandler` is null or writable; the function may be called as long as a window has it.
pub unsafe fn win_create_errhandler(
    win_errhandler_fn: MPI_Win_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { handler::create_for_windows(win_errhandler_fn, errhandler) }
}

/// `MPI_Win_set_errhandler`.
pub fn win_set_errhandler(win: MPI_Win, errhandler: MPI_Errhandler) -> Result {
    handler::set_for_window(win, errhandler)
}

/// `MPI_Win_get_errhandler`.
///
/// # Safety
///
/// `errhandler` is null or writable.
pub unsafe fn win_get_errhandler(win: MPI_Win, errhandler: *mut MPI_Errhandler) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { handler::get_for_window(win, errhandler) }
}

/// `MPI_Win_call_errhandler`, section 9.5.
pub fn win_call_errhandler(win: MPI_Win, errorcode: c_int) -> Result {
    handler::call_for_window(win, errorcode)
}
