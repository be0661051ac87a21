//! Waiting for one request of any kind, looking at it, and ending it.
//!
//! Before: a handle. After: a [`Done`], or nothing yet. [`crate::state::requests`] says what a handle can be.

use pamir_mpi::point_to_point::{Settled, look, take, wait as wait_for};

use crate::constants::*;
use crate::error::{Object, Result};
use crate::functions::messages::point_to_point::outcome::{check, status_of};
use crate::state::State;
use crate::state::requests::{COMPLETED_SEND, Compound, RECEIVED_NOTHING, no_request, request_id};
use crate::types::*;

/// How a request ended.
pub struct Done {
    /// What the program is told of it.
    pub status: MPI_Status,
    /// What came of it.
    pub result: Result,
    /// The handle stays: the request is persistent.
    pub stays: bool,
    /// It was null or inactive.
    pub idle: bool,
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
pub fn settled(request: MPI_Request) -> Option<Done> {
    match request {
        COMPLETED_SEND => Some(Done::at_once(MPI_Status::empty(), false)),
        RECEIVED_NOTHING => Some(Done::at_once(
            MPI_Status::new(MPI_PROC_NULL, MPI_ANY_TAG, 0),
            false,
        )),
        MPI_REQUEST_NULL => Some(Done::at_once(MPI_Status::empty(), true)),
        _ => None,
    }
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
    let (status, result) = operation.finish();
    let stays = operation.is_persistent();
    if !stays {
        state.requests.remove(request);
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
pub fn complete(state: &State, request: MPI_Request) -> Result<Done> {
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
    let operation = state.requests.named(request)?;
    if !operation.is_persistent() || operation.is_active() {
        state
            .process
            .context()
            .wait_exposed_until(|| operation.is_complete())?;
    }
    Ok(finish_compound(state, request, &**operation))
}

/// Ends a request if it is complete.
pub fn try_complete(state: &State, request: MPI_Request) -> Result<Option<Done>> {
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
    let operation = state.requests.named(request)?;
    let idle = operation.is_persistent() && !operation.is_active();
    let complete = idle || operation.is_complete();
    Ok(complete.then(|| finish_compound(state, request, &**operation)))
}

/// The status of a request if it is complete; the request stays as it is.
pub fn status_if_complete(state: &State, request: MPI_Request) -> Result<Option<MPI_Status>> {
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
    let operation = state.requests.named(request)?;
    if operation.is_persistent() && !operation.is_active() {
        return Ok(Some(MPI_Status::empty()));
    }
    Ok(operation.is_complete().then(|| operation.status()))
}

/// Whether waiting for a request would return at once. Asks no generalized request for its
/// status: that is done once, by the call that completes it (section 13.2).
pub fn is_complete(state: &State, request: MPI_Request) -> Result<bool> {
    if let Some(id) = request_id(request) {
        let found = state.process.context().requests().get(id);
        return Ok(found.ok_or_else(|| no_request(request))?.is_complete());
    }
    if settled(request).is_some() {
        return Ok(true);
    }
    let operation = state.requests.named(request)?;
    Ok(operation.is_persistent() && !operation.is_active() || operation.is_complete())
}

/// Whether waiting for a request would return at once, be it with an error.
pub(in crate::functions) fn completed(state: &State, request: MPI_Request) -> bool {
    is_complete(state, request).unwrap_or(true)
}

/// The status of a complete request, which stays.
pub(in crate::functions) fn status_now(state: &State, request: MPI_Request) -> MPI_Status {
    let status = status_if_complete(state, request).ok().flatten();
    status.unwrap_or(MPI_Status::empty())
}

/// Waits for a request and ends it: its status, and what came of it.
pub(in crate::functions) fn end(state: &State, request: MPI_Request) -> (MPI_Status, Result) {
    match complete(state, request) {
        Ok(done) => (done.status, done.result),
        Err(error) => (MPI_Status::empty(), Err(error)),
    }
}
