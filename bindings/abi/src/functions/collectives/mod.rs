//! Operations that all members of a communicator call (MPI-5.0 chapter 6 and sections 8.6 to 8.8).
//!
//! The files here only hand C's arguments on: [`crate::collective`] resolves them.

pub mod blocking;
pub mod neighborhood;
pub mod nonblocking;
pub mod operation;
pub mod persistent;
