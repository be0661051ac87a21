//! Completing, inquiring, starting and cancelling requests; generalized requests.

use std::ffi::c_int;

use pamir_mpi::point_to_point::{take, wait as wait_for};

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::functions::point_to_point::{
    COMPLETED_SEND, RECEIVED_NOTHING, check, request_id, status_of, write_status,
};
use crate::process::{State, running};
use crate::types::*;

#[cold]
fn no_request(request: MPI_Request) -> Error {
    ErrorClass::Request.with(format!(
        "{:#x} is no request, or one that was freed",
        request.0
    ))
}

/// The status of requests that were complete from the start; `None` if it is none of them.
#[inline]
fn settled(request: MPI_Request) -> Option<MPI_Status> {
    match request.0 {
        COMPLETED_SEND => Some(MPI_Status::empty()),
        RECEIVED_NOTHING => Some(MPI_Status::new(MPI_PROC_NULL, MPI_ANY_TAG, 0)),
        _ if request == MPI_REQUEST_NULL => Some(MPI_Status::empty()),
        _ => None,
    }
}

/// Waits for one request and frees it.
#[inline]
fn complete(state: &State, request: MPI_Request) -> Result<(MPI_Status, Result)> {
    if let Some(id) = request_id(request) {
        let outcome = wait_for(state.process.context(), id)?.ok_or_else(|| no_request(request))?;
        return Ok((status_of(&outcome), check(&outcome)));
    }
    settled(request)
        .map(|status| (status, Ok(())))
        .ok_or_else(|| no_request(request))
}

/// `MPI_Wait`, section 3.7.3.
///
/// # Safety
///
/// `request` is writable; `status` is writable or `MPI_STATUS_IGNORE`.
#[inline]
pub unsafe fn wait(request: *mut MPI_Request, status: *mut MPI_Status) -> Result {
    let state = running()?;
    // SAFETY: the caller vouches for both.
    unsafe {
        let (found, result) = complete(&state, *request)?;
        *request = MPI_REQUEST_NULL;
        write_status(status, found);
        result
    }
}

/// `MPI_Waitall`, section 3.7.5.
///
/// # Safety
///
/// Both arrays have `count` entries; the statuses may be `MPI_STATUSES_IGNORE`.
pub unsafe fn waitall(
    count: c_int,
    requests: *mut MPI_Request,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let mut results = Ok(());
    for index in 0..count.max(0) as usize {
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            let request = requests.add(index);
            let (found, result) = complete(&state, *request)?;
            *request = MPI_REQUEST_NULL;
            let status = if statuses.is_null() {
                statuses
            } else {
                statuses.add(index)
            };
            write_status(status, found);
            results = results.and(result);
        }
    }
    results
}

/// `MPI_Test`, section 3.7.3.
///
/// # Safety
///
/// `request` and `flag` are writable; `status` is writable or `MPI_STATUS_IGNORE`.
pub unsafe fn test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status) -> Result {
    let state = running()?;
    state.process.context().advance()?;
    // SAFETY: the caller vouches for them.
    let handle = unsafe { *request };
    let found = match request_id(handle) {
        Some(id) => {
            take(state.process.context(), id).map(|outcome| (status_of(&outcome), check(&outcome)))
        }
        None => Some((settled(handle).ok_or_else(|| no_request(handle))?, Ok(()))),
    };
    // SAFETY: as above.
    unsafe {
        flag.write(found.is_some().into());
        let Some((found, result)) = found else {
            return Ok(());
        };
        *request = MPI_REQUEST_NULL;
        write_status(status, found);
        result
    }
}
