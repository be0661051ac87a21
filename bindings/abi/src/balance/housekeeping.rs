//! Housekeeping of `pamir.h`: the program's functions, run while its rank waits for others.
//!
//! Before: a program gives a function. After: [`pamir_mpi::balance::spare::housekeeping`] calls it in waits
//! that will be long.

use std::ffi::{c_int, c_longlong, c_void};
use std::rc::Rc;

use crate::argument::store;
use crate::error::{ErrorClass, Result};
use crate::process::running;

/// `pamir_housekeeping_function`.
pub type Function = unsafe extern "C" fn(c_longlong, *mut c_void) -> c_int;

/// `pamir_housekeeping_add`.
///
/// # Safety
///
/// `function` may be called with `argument` until it is removed; `number` is null or writable.
pub unsafe fn add(
    function: Option<Function>,
    argument: *mut c_void,
    number: *mut c_longlong,
) -> Result {
    let Some(function) = function else {
        return Err(ErrorClass::Arg.with("function is null: give one to call"));
    };
    let state = running()?;
    let call = move |budget_ns: u64| {
        let budget_ns = c_longlong::try_from(budget_ns).unwrap_or(c_longlong::MAX);
        // SAFETY: as the caller vouches.
        unsafe { function(budget_ns, argument) != 0 }
    };
    state.process.announcer().use_announcements();
    let added = state.process.housekeeping().add(Rc::new(call));
    if number.is_null() {
        return Ok(());
    }
    // SAFETY: as the caller vouches.
    unsafe { store(number, added as c_longlong, "number") }
}

/// `pamir_housekeeping_remove`.
pub fn remove(number: c_longlong) -> Result {
    let state = running()?;
    let known = u64::try_from(number).ok();
    if known.is_some_and(|number| state.process.housekeeping().remove(number)) {
        return Ok(());
    }
    Err(ErrorClass::Arg.with(format!(
        "{number} is no housekeeping function: give the number that pamir_housekeeping_add gave"
    )))
}

/// `pamir_housekeeping_trim`: gives memory that the program has freed back to the system.
///
/// # Safety
///
/// None is needed; the type is that of housekeeping functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pamir_housekeeping_trim(_: c_longlong, _: *mut c_void) -> c_int {
    // SAFETY: the C library's own, which may be called at any time.
    unsafe { libc::malloc_trim(0) };
    0
}
