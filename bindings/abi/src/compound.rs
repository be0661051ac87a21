//! Requests that are more than one message: persistent, collective, generalized.
//!
//! Before: a call that starts such an operation inserts it into `State::requests`. After:
//! the request chapter waits for it like for a message.
//!
//! | from     | to       | by |
//! |----------|----------|----|
//! | inactive | active   | `start`; operations that are not persistent are made active |
//! | active   | complete | progress, seen by `is_complete` |
//! | complete | inactive | `finish`, if it is persistent |
//! | complete | gone     | `finish`, if it is not: its handle is removed |
//!
//! An inactive request is complete at once, with an empty status (MPI-5.0 section 3.9).

use std::rc::Rc;

use pamir_mpi::communicator::Communicator;

use crate::error::{ErrorClass, Result};
use crate::process::State;
use crate::types::MPI_Status;

/// An operation behind a request handle that is not one message.
pub trait Compound {
    /// Whether waiting for it would return at once. Never waits itself; the context is
    /// advanced between two calls.
    fn is_complete(&self, state: &State) -> bool;

    /// What came of it, once it is complete. A persistent request is inactive afterwards.
    fn finish(&self, state: &State) -> (MPI_Status, Result);

    /// What [`Self::finish`] would give, without ending it (`MPI_Request_get_status`).
    fn status(&self, state: &State) -> MPI_Status;

    /// Whether the handle stays after completion.
    fn is_persistent(&self) -> bool {
        false
    }

    /// Whether it has been started and its completion has not been seen.
    fn is_active(&self) -> bool {
        true
    }

    /// Starts a persistent request.
    fn start(&self, _state: &State) -> Result {
        Err(ErrorClass::Request.with("only a persistent request can be started"))
    }

    /// `MPI_Cancel`.
    fn cancel(&self, _state: &State) -> Result {
        Err(ErrorClass::Request.with("this kind of request cannot be cancelled"))
    }

    /// Whether it keeps `communicator`, which may be disconnected all the same: it is inactive, or nothing of it is
    /// under way any more.
    fn rests_on(&self, _state: &State, _communicator: &Rc<Communicator>) -> bool {
        false
    }

    /// The handle is given up (`MPI_Request_free`); what is under way goes on. Whether the
    /// handle may be forgotten now.
    fn released(&self, _state: &State) -> Result<bool> {
        Ok(true)
    }

    /// `MPI_Grequest_complete`; whether the handle was given up before and may be forgotten.
    fn mark_complete(&self) -> Result<bool> {
        Err(ErrorClass::Request.with("only a generalized request is completed by the program"))
    }
}
