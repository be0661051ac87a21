//! Generalized requests: operations that the program itself completes.
//!
//! ```text
//! C:        int query(void *extra, MPI_Status *)   int free(void *extra)     int cancel(void *extra, int complete)
//! Fortran:  QUERY(EXTRA, STATUS, IERROR)           FREE(EXTRA, IERROR)       CANCEL(EXTRA, COMPLETE, IERROR)
//! ```
//!
//! Step before: `functions::callback::grequest_start`. Step after: C, when the request is inquired or freed.
//! Invariant: the record lives until C has called `free`, which it does once.

use crate::c::{self, Integer, Status, c_int, c_void};

/// The procedures of a request.
pub struct Generalized {
    /// Fills the status.
    pub query: usize,
    /// Frees what the program keeps.
    pub free: usize,
    /// Cancels the operation.
    pub cancel: usize,
    /// The program's variable, which its procedures may change: MPICH and Open MPI pass it, and not a copy.
    pub extra_state: *mut i64,
}

type Query = unsafe extern "C" fn(*mut i64, *mut Status, *mut Integer);
type Free = unsafe extern "C" fn(*mut i64, *mut Integer);
type Cancel = unsafe extern "C" fn(*mut i64, *mut Integer, *mut Integer);

/// C's query function.
pub unsafe extern "C" fn query(record: *mut c_void, status: *mut Status) -> c_int {
    let mut code = c::SUCCESS;
    // SAFETY: C gives back the record's address, before it frees it.
    unsafe {
        let record = record.cast::<Generalized>();
        let procedure: Query = std::mem::transmute((*record).query);
        procedure((*record).extra_state, status, &raw mut code);
    }
    code
}

/// C's free function.
pub unsafe extern "C" fn free(record: *mut c_void) -> c_int {
    let mut code = c::SUCCESS;
    // SAFETY: C gives back the address of the box that `grequest_start` made, for the last time.
    unsafe {
        let record = Box::from_raw(record.cast::<Generalized>());
        let procedure: Free = std::mem::transmute(record.free);
        procedure(record.extra_state, &raw mut code);
    }
    code
}

/// C's cancel function.
pub unsafe extern "C" fn cancel(record: *mut c_void, complete: c_int) -> c_int {
    let (mut code, mut complete) = (c::SUCCESS, c::logical(complete != 0));
    // SAFETY: C gives back the record's address, before it frees it.
    unsafe {
        let record = record.cast::<Generalized>();
        let procedure: Cancel = std::mem::transmute((*record).cancel);
        procedure((*record).extra_state, &raw mut complete, &raw mut code);
    }
    code
}
