//! Completing, inquiring, starting and cancelling requests; generalized requests (MPI-5.0
//! sections 3.7, 3.9 and 13.2).
//!
//! A request handle is one of four things:
//!
//! | handle              | what it is                     | completion |
//! |---------------------|--------------------------------|------------|
//! | `MPI_REQUEST_NULL`  | nothing                        | at once, empty status |
//! | a settled one       | done when it was started       | at once |
//! | a message's         | the transport's request        | the transport's |
//! | a compound one      | see [`crate::compound`]        | its own; a persistent one stays |

mod generalized;
mod several;

pub use generalized::{grequest_complete, grequest_start};
pub use several::{
    request_get_status_all, request_get_status_any, request_get_status_some, startall, testall,
    testany, testsome, waitall, waitany, waitsome,
};

use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::point_to_point::{Settled, look, take, wait as wait_for};

use crate::argument::address;
use crate::compound::Compound;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
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

/// How a request ended.
struct Done {
    status: MPI_Status,
    result: Result,
    /// The handle stays: the request is persistent.
    stays: bool,
    /// It was null or inactive.
    idle: bool,
}

impl Done {
    fn at_once(status: MPI_Status, idle: bool) -> Self {
        Self {
            status,
            result: Ok(()),
            stays: false,
            idle,
        }
    }

    #[inline]
    fn message(settled: &Settled) -> Self {
        let result = check(&settled.outcome);
        let result = result.map_err(|error| error.on(object(settled.owner)));
        Self {
            status: status_of(&settled.outcome),
            result,
            stays: false,
            idle: false,
        }
    }
}

fn object(owner: u64) -> Object {
    match owner {
        0 => Object::Process,
        handle => Object::Communicator(MPI_Comm(handle as usize)),
    }
}

/// The status of requests that need no look-up.
#[inline]
fn settled(request: MPI_Request) -> Option<Done> {
    match request.0 {
        COMPLETED_SEND => Some(Done::at_once(MPI_Status::empty(), false)),
        RECEIVED_NOTHING => Some(Done::at_once(
            MPI_Status::new(MPI_PROC_NULL, MPI_ANY_TAG, 0),
            false,
        )),
        _ if request == MPI_REQUEST_NULL => Some(Done::at_once(MPI_Status::empty(), true)),
        _ => None,
    }
}

fn compound(state: &State, request: MPI_Request) -> Result<Rc<Box<dyn Compound>>> {
    state
        .requests
        .get(request.0)
        .ok_or_else(|| no_request(request))
}

fn finish_compound(state: &State, request: MPI_Request, operation: &dyn Compound) -> Done {
    if operation.is_persistent() && !operation.is_active() {
        let status = MPI_Status::empty();
        return Done {
            status,
            result: Ok(()),
            stays: true,
            idle: true,
        };
    }
    let (status, result) = operation.finish(state);
    let stays = operation.is_persistent();
    if !stays {
        state.requests.remove(request.0);
    }
    Done {
        status,
        result,
        stays,
        idle: false,
    }
}

/// Waits for one request and ends it.
#[inline]
fn complete(state: &State, request: MPI_Request) -> Result<Done> {
    if let Some(id) = request_id(request) {
        let settled = wait_for(state.process.context(), id)?;
        return Ok(Done::message(&settled.ok_or_else(|| no_request(request))?));
    }
    match settled(request) {
        Some(done) => Ok(done),
        None => complete_compound(state, request),
    }
}

#[cold]
fn complete_compound(state: &State, request: MPI_Request) -> Result<Done> {
    let operation = compound(state, request)?;
    if !operation.is_persistent() || operation.is_active() {
        state
            .process
            .context()
            .wait_exposed_until(|| operation.is_complete(state))?;
    }
    Ok(finish_compound(state, request, &**operation))
}

/// Ends a request if it is complete.
fn try_complete(state: &State, request: MPI_Request) -> Result<Option<Done>> {
    if let Some(id) = request_id(request) {
        let context = state.process.context();
        if context.requests().get(id).is_none() {
            return Err(no_request(request));
        }
        return Ok(take(context, id).map(|settled| Done::message(&settled)));
    }
    if let Some(done) = settled(request) {
        return Ok(Some(done));
    }
    let operation = compound(state, request)?;
    let idle = operation.is_persistent() && !operation.is_active();
    let complete = idle || operation.is_complete(state);
    Ok(complete.then(|| finish_compound(state, request, &**operation)))
}

/// The status of a request if it is complete; the request stays as it is.
fn status_if_complete(state: &State, request: MPI_Request) -> Result<Option<MPI_Status>> {
    if let Some(id) = request_id(request) {
        let context = state.process.context();
        if context.requests().get(id).is_none() {
            return Err(no_request(request));
        }
        return Ok(look(context, id).map(|outcome| status_of(&outcome)));
    }
    if let Some(done) = settled(request) {
        return Ok(Some(done.status));
    }
    let operation = compound(state, request)?;
    if operation.is_persistent() && !operation.is_active() {
        return Ok(Some(MPI_Status::empty()));
    }
    Ok(operation
        .is_complete(state)
        .then(|| operation.status(state)))
}

/// Whether waiting for a request would return at once. Asks no generalized request for its
/// status: that is done once, by the call that completes it (section 13.2).
fn is_complete(state: &State, request: MPI_Request) -> Result<bool> {
    if let Some(id) = request_id(request) {
        let found = state.process.context().requests().get(id);
        return Ok(found.ok_or_else(|| no_request(request))?.is_complete());
    }
    if settled(request).is_some() {
        return Ok(true);
    }
    let operation = compound(state, request)?;
    Ok(operation.is_persistent() && !operation.is_active() || operation.is_complete(state))
}

/// Whether waiting for a request would return at once, be it with an error.
pub(super) fn completed(state: &State, request: MPI_Request) -> bool {
    is_complete(state, request).unwrap_or(true)
}

/// The status of a complete request, which stays.
pub(super) fn status_now(state: &State, request: MPI_Request) -> MPI_Status {
    let status = status_if_complete(state, request).ok().flatten();
    status.unwrap_or(MPI_Status::empty())
}

/// Waits for a request and ends it: its status, and what came of it.
pub(super) fn end(state: &State, request: MPI_Request) -> (MPI_Status, Result) {
    match complete(state, request) {
        Ok(done) => (done.status, done.result),
        Err(error) => (MPI_Status::empty(), Err(error)),
    }
}

/// Ends a receive and the send beside it, which may have failed to start: then the receive is
/// taken back.
///
/// # Safety
///
/// `status` is writable or ignored.
pub(super) unsafe fn complete_pair(
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
        let operation = compound(&state, handle)?;
        if operation.released(&state)? {
            state.requests.remove(handle.0);
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
    compound(&state, handle)?.cancel(&state)
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
    compound(&state, unsafe { *request })?.start(&state)
}
