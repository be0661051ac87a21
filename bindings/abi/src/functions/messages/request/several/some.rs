//! Those of several requests that are complete.

use std::ffi::c_int;

use super::super::completion::{status_if_complete, try_complete};
use super::any::wait_for_some;
use super::arrays::{Arrays, is_idle, report};
use crate::argument::address;
use crate::constants::*;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::types::*;

/// Ends all complete requests, something if there were any or all are idle; their number is
/// `MPI_UNDEFINED` if all are idle.
fn end_some(
    state: &State,
    arrays: &Arrays,
    indices: *mut c_int,
    outcount: *mut c_int,
) -> Result<Option<()>> {
    let (mut ended, mut all_idle) = (Vec::new(), true);
    for index in 0..arrays.count {
        let request = arrays.request(index);
        if is_idle(state, request)? {
            continue;
        }
        all_idle = false;
        if let Some(done) = try_complete(state, request)? {
            arrays.end(index, &done);
            // SAFETY: the program vouches for as many indices as requests.
            unsafe { indices.add(ended.len()).write(index as c_int) };
            ended.push((ended.len(), done));
        }
    }
    let number = if all_idle {
        MPI_UNDEFINED
    } else {
        ended.len() as c_int
    };
    // SAFETY: the program vouches for it.
    unsafe { outcount.write(number) };
    report(arrays, ended)?;
    Ok((number != 0).then_some(()))
}

/// `MPI_Waitsome`, section 3.7.5.
///
/// # Safety
///
/// The arrays have `incount` entries; `outcount` is writable; statuses may be ignored.
pub unsafe fn waitsome(
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(incount, requests, statuses)?;
    address(outcount, "outcount")?;
    arrays.check_indices(indices)?;
    wait_for_some(&state, &arrays)?;
    end_some(&state, &arrays, indices, outcount).map(drop)
}

/// `MPI_Testsome`, section 3.7.5.
///
/// # Safety
///
/// As for [`waitsome`].
pub unsafe fn testsome(
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(incount, requests, statuses)?;
    address(outcount, "outcount")?;
    arrays.check_indices(indices)?;
    let look = || end_some(&state, &arrays, indices, outcount);
    state.process.context().poll(look).map(drop)
}

/// `MPI_Request_get_status_some`, section 3.7.6.
///
/// # Safety
///
/// The arrays have `incount` entries; `outcount` is writable; statuses may be ignored.
pub unsafe fn request_get_status_some(
    incount: c_int,
    requests: *const MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(incount, requests.cast_mut(), statuses)?;
    address(outcount, "outcount")?;
    arrays.check_indices(indices)?;
    // SAFETY: the caller vouches for the array.
    let look = || unsafe { tell_some(&state, &arrays, indices) };
    let number = state.process.context().poll(look)?;
    // SAFETY: the caller vouches for it.
    unsafe { outcount.write(number.unwrap_or(0)) };
    Ok(())
}

/// Tells of all complete requests: their number, `MPI_UNDEFINED` if all are idle, nothing if there are none.
///
/// # Safety
///
/// `indices` is writable for as many as there are requests.
unsafe fn tell_some(state: &State, arrays: &Arrays, indices: *mut c_int) -> Result<Option<c_int>> {
    let (mut number, mut all_idle) = (0, true);
    for index in 0..arrays.count {
        let request = arrays.request(index);
        if is_idle(state, request)? {
            continue;
        }
        all_idle = false;
        if let Some(status) = status_if_complete(state, request)? {
            // SAFETY: the caller vouches for the array.
            unsafe { indices.add(number).write(index as c_int) };
            arrays.tell(number, status, None);
            number += 1;
        }
    }
    Ok(match number {
        0 if all_idle => Some(MPI_UNDEFINED),
        0 => None,
        number => Some(number as c_int),
    })
}
