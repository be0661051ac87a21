//! One of several requests: the first that is complete and not idle.

use std::ffi::c_int;

use super::super::completion::{complete, is_complete, status_if_complete};
use super::arrays::{Arrays, is_idle};
use crate::argument::address;
use crate::constants::*;
use crate::error::Result;
use crate::functions::messages::point_to_point::outcome::write_status;
use crate::process::running;
use crate::state::State;
use crate::types::*;

/// The first complete request that is not idle.
fn find_complete(state: &State, arrays: &Arrays) -> Result<Found> {
    let mut all_idle = true;
    for index in 0..arrays.count {
        let request = arrays.request(index);
        if is_idle(state, request)? {
            continue;
        }
        all_idle = false;
        if is_complete(state, request)? {
            return Ok(Found::At(index));
        }
    }
    Ok(if all_idle {
        Found::AllIdle
    } else {
        Found::Nothing
    })
}

enum Found {
    At(usize),
    Nothing,
    AllIdle,
}

impl Found {
    fn something(self) -> Option<Self> {
        (!matches!(self, Self::Nothing)).then_some(self)
    }
}

/// Polls once for a complete request that is not idle.
fn poll_for_any(state: &State, arrays: &Arrays) -> Result<Found> {
    let look = || Ok(find_complete(state, arrays)?.something());
    let found: Result<_> = state.process.context().poll(look);
    Ok(found?.unwrap_or(Found::Nothing))
}

/// Ends request `index`, or says that there was none.
///
/// # Safety
///
/// `indx` is writable, `status` is writable or ignored.
unsafe fn end_any(
    state: &State,
    arrays: &Arrays,
    found: Option<usize>,
    indx: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let Some(index) = found else {
        // SAFETY: the caller vouches for both.
        unsafe {
            indx.write(MPI_UNDEFINED);
            write_status(status, MPI_Status::empty());
        }
        return Ok(());
    };
    let done = complete(state, arrays.request(index))?;
    arrays.end(index, &done);
    // SAFETY: as above.
    unsafe {
        indx.write(index as c_int);
        write_status(status, done.status);
    }
    done.result
}

/// `MPI_Waitany`, section 3.7.5.
///
/// # Safety
///
/// The array has `count` entries; `indx` is writable; `status` is writable or ignored.
pub unsafe fn waitany(
    count: c_int,
    requests: *mut MPI_Request,
    indx: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, std::ptr::null_mut())?;
    address(indx, "indx")?;
    let found = wait_for_some(&state, &arrays)?;
    // SAFETY: the caller vouches for both.
    unsafe { end_any(&state, &arrays, found, indx, status) }
}

/// Waits until a request is complete; none if all are idle.
pub fn wait_for_some(state: &State, arrays: &Arrays) -> Result<Option<usize>> {
    let mut found = Ok(Found::Nothing);
    state.process.context().advance_until(|| {
        found = find_complete(state, arrays);
        !matches!(found, Ok(Found::Nothing))
    })?;
    Ok(match found? {
        Found::At(index) => Some(index),
        Found::AllIdle | Found::Nothing => None,
    })
}

/// `MPI_Testany`, section 3.7.5.
///
/// # Safety
///
/// As for [`waitany`]; `flag` is writable.
pub unsafe fn testany(
    count: c_int,
    requests: *mut MPI_Request,
    indx: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, std::ptr::null_mut())?;
    address(indx, "indx")?;
    address(flag, "flag")?;
    let found = match poll_for_any(&state, &arrays)? {
        Found::At(index) => Some(index),
        Found::AllIdle => None,
        Found::Nothing => {
            // SAFETY: the caller vouches for both.
            unsafe {
                flag.write(0);
                indx.write(MPI_UNDEFINED);
            }
            return Ok(());
        }
    };
    // SAFETY: as above.
    unsafe {
        flag.write(1);
        end_any(&state, &arrays, found, indx, status)
    }
}

/// `MPI_Request_get_status_any`, section 3.7.6.
///
/// # Safety
///
/// The array has `count` entries; the results are writable; `status` may be ignored.
pub unsafe fn request_get_status_any(
    count: c_int,
    requests: *const MPI_Request,
    indx: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests.cast_mut(), std::ptr::null_mut())?;
    address(indx, "indx")?;
    address(flag, "flag")?;
    let found = poll_for_any(&state, &arrays)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        flag.write((!matches!(found, Found::Nothing)).into());
        indx.write(MPI_UNDEFINED);
        match found {
            Found::At(index) => {
                indx.write(index as c_int);
                if let Some(found) = status_if_complete(&state, arrays.request(index))? {
                    write_status(status, found);
                }
            }
            Found::AllIdle => write_status(status, MPI_Status::empty()),
            Found::Nothing => {}
        }
    }
    Ok(())
}
