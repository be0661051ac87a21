//! Communicators that the program made, by handle.
//!
//! The predefined ones belong to the process: [`State::communicator`](super::State::communicator) knows both.

use std::rc::Rc;

use pamir_mpi::communicator::Communicator;

use super::handles::{Kind, Table, names_nothing};
use crate::constants::MPI_COMM_NULL;
use crate::error::{ErrorClass, Result};
use crate::types::MPI_Comm;

/// Communicators that the program made.
#[derive(Debug)]
pub struct Communicators(Table<Communicator>);

impl Default for Communicators {
    fn default() -> Self {
        Self(Table::new(Kind::Communicator))
    }
}

impl Communicators {
    /// Takes a communicator that was just made, and gives its handle.
    pub fn insert(&self, communicator: Rc<Communicator>) -> MPI_Comm {
        MPI_Comm(self.0.insert(communicator))
    }

    /// The communicator that a handle names, if the program made it.
    #[inline]
    pub fn get(&self, comm: MPI_Comm) -> Option<Rc<Communicator>> {
        self.0.get(comm.0)
    }

    /// As [`Self::get`].
    ///
    /// # Errors
    ///
    /// `MPI_ERR_COMM` for a handle that names none.
    pub fn named(&self, comm: MPI_Comm) -> Result<Rc<Communicator>> {
        self.get(comm).ok_or_else(|| {
            let null = (comm == MPI_COMM_NULL).then_some("MPI_COMM_NULL");
            names_nothing(ErrorClass::Comm, comm.0, null, "communicator")
        })
    }

    /// Lets the handle name nothing any more.
    pub fn remove(&self, comm: MPI_Comm) {
        self.0.remove(comm.0);
    }
}
