//! Requests of `MPI_Rput` and its kind: an access that is waited for like a message.
//!
//! Before: the access has begun. After: the request is complete once the access is, at both ends.

use std::cell::Cell;
use std::rc::Rc;

use pamir_transport::active::{Completion, TransferError};
use pamir_transport::one_sided::window::WindowError;

use crate::argument::store;
use crate::error::{Error, Object, Result};
use crate::state::State;
use crate::state::requests::{COMPLETED_SEND, Compound};
use crate::types::*;

type Outcome = Rc<Cell<Option<std::result::Result<(), TransferError>>>>;

/// An access that is under way, or was.
pub(super) struct Access {
    outcome: Outcome,
}

struct AccessRequest {
    outcome: Outcome,
    win: MPI_Win,
}

impl Access {
    /// One that has not begun, and what is to be called when it has ended.
    pub(super) fn new() -> (Self, Completion) {
        let outcome = Outcome::default();
        let told = Rc::clone(&outcome);
        (
            Self { outcome },
            Box::new(move |_, how| told.set(Some(how))),
        )
    }

    /// Gives the program its request.
    ///
    /// # Safety
    ///
    /// `request` is null or writable.
    pub(super) unsafe fn give(
        self,
        state: &State,
        win: MPI_Win,
        request: *mut MPI_Request,
    ) -> Result {
        let handle = match self.outcome.get() {
            Some(Ok(())) => COMPLETED_SEND,
            _ => {
                let outcome = self.outcome;
                state.requests.insert(AccessRequest { outcome, win })
            }
        };
        // SAFETY: as the caller vouches.
        unsafe { store(request, handle, "request") }
    }
}

impl Compound for AccessRequest {
    fn is_complete(&self) -> bool {
        self.outcome.get().is_some()
    }

    fn finish(&self) -> (MPI_Status, Result) {
        let ended = match self.outcome.get() {
            Some(Err(error)) => {
                Err(Error::from(WindowError::from(error)).on(Object::Window(self.win)))
            }
            _ => Ok(()),
        };
        (MPI_Status::empty(), ended)
    }

    fn status(&self) -> MPI_Status {
        MPI_Status::empty()
    }
}
