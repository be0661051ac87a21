//! Messages that matched probes have claimed (MPI-5.0 section 3.8.2), by handle.
//!
//! Before: `MPI_Mprobe`. After: a receive takes the message, and its handle names nothing any more.

use std::cell::Cell;
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_transport::tagged::receive::MatchedMessage;

use super::handles::{Kind, Table};
use crate::error::{Error, ErrorClass, Result};
use crate::types::{MPI_Comm, MPI_Message};

/// A message that a matched probe has claimed, and the communicator it belongs to.
struct Claimed {
    message: Cell<Option<MatchedMessage>>,
    communicator: Rc<Communicator>,
    comm: MPI_Comm,
}

/// Messages that matched probes have claimed; each is taken when it is received.
pub struct Messages(Table<Claimed>);

impl Default for Messages {
    fn default() -> Self {
        Self(Table::new(Kind::Message))
    }
}

impl Messages {
    /// Takes a message of the communicator that `comm` names, and gives its handle.
    pub fn insert(
        &self,
        message: MatchedMessage,
        communicator: Rc<Communicator>,
        comm: MPI_Comm,
    ) -> MPI_Message {
        let claimed = Claimed {
            message: Cell::new(Some(message)),
            communicator,
            comm,
        };
        MPI_Message(self.0.insert(Rc::new(claimed)))
    }

    /// The communicator's handle of a message.
    pub fn comm(&self, message: MPI_Message) -> Option<MPI_Comm> {
        Some(self.0.get(message.0)?.comm)
    }

    /// Takes a message away from its handle, with its communicator and that one's handle.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_REQUEST` for a handle that names none.
    pub fn take(
        &self,
        message: MPI_Message,
    ) -> Result<(MatchedMessage, Rc<Communicator>, MPI_Comm)> {
        let none = || no_message(message);
        let claimed = self.0.remove(message.0).ok_or_else(none)?;
        let taken = claimed.message.take().ok_or_else(none)?;
        Ok((taken, claimed.communicator.clone(), claimed.comm))
    }

    /// How many messages keep a communicator.
    pub fn resting_on(&self, communicator: &Rc<Communicator>) -> usize {
        let all = self.0.all();
        let of_it = all
            .iter()
            .filter(|(_, claimed)| Rc::ptr_eq(&claimed.communicator, communicator));
        of_it.count()
    }
}

#[cold]
fn no_message(message: MPI_Message) -> Error {
    ErrorClass::Request.with(format!(
        "{:#x} is no message, or one that was received",
        message.0
    ))
}
