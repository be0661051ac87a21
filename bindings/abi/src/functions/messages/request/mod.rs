//! Completing, inquiring, starting and cancelling requests; generalized requests (MPI-5.0
//! sections 3.7, 3.9 and 13.2).
//!
//! Here stand the calls of one request; [`completion`] does their work.

pub mod completion;
mod generalized;
mod several;

pub use generalized::{grequest_complete, grequest_start};
pub use several::{
    request_get_status_all, request_get_status_any, request_get_status_some, startall, testall,
    testany, testsome, waitall, waitany, waitsome,
};

use std::ffi::c_int;

use crate::argument::address;
use crate::constants::*;
use crate::error::Result;
use crate::functions::messages::point_to_point::outcome::write_status;
use crate::process::running;
use crate::state::requests::{no_request, request_id};
use crate::types::*;
use completion::{complete, settled, status_if_complete, try_complete};

/// Ends a receive and the send beside it, which may have failed to start: then the receive is
/// taken back.
///
/// # Safety
///
/// `status` is writable or ignored.
pub(in crate::functions) unsafe fn complete_pair(
    receive: MPI_Request,
    sent: MPI_Request,
    started: Result,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    if started.is_err()
        && let Some(id) = request_id(receive)
    {
        state.process.context().cancel(id);
    }
    let received = complete(&state, receive)?;
    let sent = complete(&state, sent)?;
    // SAFETY: the caller vouches for it.
    unsafe { write_status(status, received.status) };
    started.and(received.result).and(sent.result)
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
        let done = complete(&state, *request)?;
        if !done.stays {
            *request = MPI_REQUEST_NULL;
        }
        write_status(status, done.status);
        done.result
    }
}

/// `MPI_Test`, section 3.7.3.
///
/// # Safety
///
/// `request` and `flag` are writable; `status` is writable or `MPI_STATUS_IGNORE`.
pub unsafe fn test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status) -> Result {
    let state = running()?;
    address(request, "request")?;
    address(flag, "flag")?;
    let context = state.process.context();
    // SAFETY: they are not null, so the caller vouches for them.
    unsafe {
        let done = context.poll(|| try_complete(&state, *request))?;
        flag.write(done.is_some().into());
        let Some(done) = done else { return Ok(()) };
        if !done.stays {
            *request = MPI_REQUEST_NULL;
        }
        write_status(status, done.status);
        done.result
    }
}

/// `MPI_Request_get_status`, section 3.7.6.
///
/// # Safety
///
/// `flag` is writable; `status` is writable or ignored.
pub unsafe fn request_get_status(
    request: MPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    address(flag, "flag")?;
    let context = state.process.context();
    let found = context.poll(|| status_if_complete(&state, request))?;
    // SAFETY: the caller vouches for both.
    unsafe {
        flag.write(found.is_some().into());
        if let Some(found) = found {
            write_status(status, found);
        }
    }
    Ok(())
}

/// `MPI_Request_free`, section 3.7.3: what is under way goes on.
///
/// # Safety
///
/// `request` is readable and writable.
pub unsafe fn request_free(request: *mut MPI_Request) -> Result {
    let state = running()?;
    address(request, "request")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { *request };
    if let Some(id) = request_id(handle) {
        let requests = state.process.context().requests();
        let found = requests.get(id).ok_or_else(|| no_request(handle))?;
        requests.detach(id, found);
    } else if handle == MPI_REQUEST_NULL || settled(handle).is_none() {
        let operation = state.requests.named(handle)?;
        if operation.released()? {
            state.requests.remove(handle);
        }
    }
    // SAFETY: as above.
    unsafe { request.write(MPI_REQUEST_NULL) };
    Ok(())
}

/// `MPI_Cancel`, section 3.8.4. A send is complete when this returns: taken back, or delivered as a copy; a settled
/// request is so already.
///
/// # Safety
///
/// `request` is readable.
pub unsafe fn cancel(request: *mut MPI_Request) -> Result {
    let state = running()?;
    address(request, "request")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { *request };
    if let Some(id) = request_id(handle) {
        let context = state.process.context();
        context
            .requests()
            .get(id)
            .ok_or_else(|| no_request(handle))?;
        if !context.cancel(id) {
            context.withdraw(id)?;
        }
        return Ok(());
    }
    if handle != MPI_REQUEST_NULL && settled(handle).is_some() {
        return Ok(());
    }
    state.requests.named(handle)?.cancel()
}

/// `MPI_Start`, section 3.9.
///
/// # Safety
///
/// `request` is readable.
pub unsafe fn start(request: *mut MPI_Request) -> Result {
    let state = running()?;
    address(request, "request")?;
    // SAFETY: it is not null, so the caller vouches for it.
    state.requests.named(unsafe { *request })?.start()
}
