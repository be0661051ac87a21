//! Requests by handle, and those of them that are more than one message: persistent, collective, generalized.
//!
//! | handle              | what it is                  | completion |
//! |---------------------|-----------------------------|------------|
//! | `MPI_REQUEST_NULL`  | nothing                     | at once, empty status |
//! | a settled one       | done when it was started    | at once |
//! | a message's         | the transport's request     | the transport's |
//! | a compound one      | a [`Compound`]              | its own; a persistent one stays |
//!
//! Before: a call that starts an operation gives its handle. After: the request chapter waits for
//! all of them alike. Of a compound request:
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
use pamir_transport::tagged::state::request::RequestId;

use super::handles::{Kind, Table};
use crate::error::{Error, ErrorClass, Result};
use crate::types::{MPI_Request, MPI_Status};

/// Marks the handles of requests that were complete when they were started.
pub const SETTLED: usize = 1 << 62;

/// Marks the handle of a request that is one message.
pub const MESSAGE: usize = 1 << 63;

/// The request of a send that was complete when it started; it may be waited for any number
/// of times.
pub const COMPLETED_SEND: MPI_Request = MPI_Request(SETTLED | 1);

/// The request of a receive from `MPI_PROC_NULL`.
pub const RECEIVED_NOTHING: MPI_Request = MPI_Request(SETTLED | 2);

/// The handle of a message's request.
#[inline(always)]
pub fn request_handle(id: RequestId) -> MPI_Request {
    MPI_Request(id.word() as usize | MESSAGE)
}

/// The message's request that a handle names, if it is the handle of one.
#[inline(always)]
pub fn request_id(request: MPI_Request) -> Option<RequestId> {
    let marked = request.0 & MESSAGE != 0;
    marked.then(|| RequestId::from_word((request.0 & !MESSAGE) as u64))
}

/// The error of a handle that names no request.
#[cold]
pub fn no_request(request: MPI_Request) -> Error {
    ErrorClass::Request.with(format!(
        "{:#x} is no request, or one that was freed",
        request.0
    ))
}

/// An operation behind a request handle that is not one message.
pub trait Compound {
    /// Whether waiting for it would return at once. Never waits itself; the context is
    /// advanced between two calls.
    fn is_complete(&self) -> bool;

    /// What came of it, once it is complete. A persistent request is inactive afterwards.
    fn finish(&self) -> (MPI_Status, Result);

    /// What [`Self::finish`] would give, without ending it (`MPI_Request_get_status`).
    fn status(&self) -> MPI_Status;

    /// Whether the handle stays after completion.
    fn is_persistent(&self) -> bool {
        false
    }

    /// Whether it has been started and its completion has not been seen.
    fn is_active(&self) -> bool {
        true
    }

    /// Starts a persistent request.
    fn start(&self) -> Result {
        Err(ErrorClass::Request.with("only a persistent request can be started"))
    }

    /// `MPI_Cancel`.
    fn cancel(&self) -> Result {
        Err(ErrorClass::Request.with("this kind of request cannot be cancelled"))
    }

    /// Whether it keeps `communicator`, which may be disconnected all the same: it is inactive, or nothing of it is
    /// under way any more.
    fn rests_on(&self, _communicator: &Rc<Communicator>) -> bool {
        false
    }

    /// The handle is given up (`MPI_Request_free`); what is under way goes on. Whether the
    /// handle may be forgotten now.
    fn released(&self) -> Result<bool> {
        Ok(true)
    }

    /// `MPI_Grequest_complete`; whether the handle was given up before and may be forgotten.
    fn mark_complete(&self) -> Result<bool> {
        Err(ErrorClass::Request.with("only a generalized request is completed by the program"))
    }
}

/// Requests that are more than one message.
pub struct Requests(Table<Box<dyn Compound>>);

impl Default for Requests {
    fn default() -> Self {
        Self(Table::new(Kind::Request))
    }
}

impl Requests {
    /// Takes an operation, and gives its handle.
    pub fn insert(&self, operation: impl Compound + 'static) -> MPI_Request {
        MPI_Request(self.0.insert(Rc::new(Box::new(operation))))
    }

    /// The operation behind a handle.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_REQUEST` for a handle that names none.
    pub fn named(&self, request: MPI_Request) -> Result<Rc<Box<dyn Compound>>> {
        self.0.get(request.0).ok_or_else(|| no_request(request))
    }

    /// Lets the handle name nothing any more; whether it named something.
    pub fn remove(&self, request: MPI_Request) -> bool {
        self.0.remove(request.0).is_some()
    }

    /// How many operations keep a communicator although nothing of them is under way.
    pub fn resting_on(&self, communicator: &Rc<Communicator>) -> usize {
        let all = self.0.all();
        let of_it = all
            .iter()
            .filter(|(_, operation)| operation.rests_on(communicator));
        of_it.count()
    }
}
