//! The program's arrays of requests and statuses.

use std::ffi::c_int;

use super::super::completion::{Done, settled};
use crate::argument::address;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
use crate::state::State;
use crate::state::requests::request_id;
use crate::types::*;

/// The program's array of requests, and of statuses if it wants them.
pub struct Arrays {
    requests: *mut MPI_Request,
    statuses: *mut MPI_Status,
    /// How many requests there are.
    pub count: usize,
}

impl Arrays {
    /// The arrays of a call, checked.
    pub fn new(
        count: c_int,
        requests: *mut MPI_Request,
        statuses: *mut MPI_Status,
    ) -> Result<Self> {
        let Ok(count) = usize::try_from(count) else {
            return Err(ErrorClass::Count.with(format!("a count is at least 0, not {count}")));
        };
        if requests.is_null() && count > 0 {
            return Err(ErrorClass::Arg.with("the array of requests is null"));
        }
        Ok(Self {
            requests,
            statuses,
            count,
        })
    }

    /// Refuses a null array of indices, which has a place for each request.
    pub fn check_indices(&self, indices: *mut c_int) -> Result {
        if self.count == 0 {
            return Ok(());
        }
        address(indices, "array_of_indices")
    }

    /// Request `index`.
    pub fn request(&self, index: usize) -> MPI_Request {
        debug_assert!(index < self.count);
        // SAFETY: the program vouches for `count` entries, and every index is below it.
        unsafe { *self.requests.add(index) }
    }

    /// The handle of a request that has ended, and is not persistent, names nothing from now on.
    pub fn forget(&self, index: usize) {
        // SAFETY: as in `request`.
        unsafe { *self.requests.add(index) = MPI_REQUEST_NULL };
    }

    /// Notes that request `index` has ended.
    pub fn end(&self, index: usize, done: &Done) {
        if !done.stays {
            self.forget(index);
        }
    }

    /// Writes status number `index`, with an error code where the call reports errors that way.
    pub fn tell(&self, index: usize, status: MPI_Status, code: Option<c_int>) {
        if self.statuses.is_null() {
            return;
        }
        // SAFETY: the program vouches for as many statuses as requests.
        unsafe {
            let target = self.statuses.add(index);
            let code = code.unwrap_or((*target).MPI_ERROR);
            *target = MPI_Status {
                MPI_ERROR: code,
                ..status
            };
        }
    }

    /// Says of an earlier status that its request succeeded, now that codes matter.
    pub fn settle_code(&self, index: usize) {
        if !self.statuses.is_null() {
            // SAFETY: as in `tell`.
            unsafe { (*self.statuses.add(index)).MPI_ERROR = MPI_SUCCESS };
        }
    }
}

/// Turns the errors of several requests into one, and their codes into the statuses.
///
/// `done` has the place of each status and how its request ended. No call that uses this gives
/// back a status of a request that has not ended, so `MPI_ERR_PENDING` does not occur.
pub fn report(arrays: &Arrays, done: Vec<(usize, Done)>) -> Result {
    let failed = done.iter().position(|(_, done)| done.result.is_err());
    let Some(failed) = failed else {
        for (place, done) in &done {
            arrays.tell(*place, done.status, None);
        }
        return Ok(());
    };
    let mut first = None;
    for (number, (place, done)) in done.into_iter().enumerate() {
        let code = done.result.as_ref().err().map_or(MPI_SUCCESS, Error::code);
        arrays.tell(place, done.status, Some(code));
        if number == failed {
            first = done.result.err();
        }
    }
    let first = first.expect("a failed request has its error");
    let text = format!("a request has failed: {first}; the statuses tell which");
    Err(ErrorClass::InStatus
        .with(text)
        .on(first.object().unwrap_or(Object::Process)))
}

/// Whether a request is null or inactive.
pub fn is_idle(state: &State, request: MPI_Request) -> Result<bool> {
    if request_id(request).is_some() {
        return Ok(false);
    }
    if let Some(done) = settled(request) {
        return Ok(done.idle);
    }
    let operation = state.requests.named(request)?;
    Ok(operation.is_persistent() && !operation.is_active())
}
