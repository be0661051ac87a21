//! The exported functions of `pamir.h`.

use std::ffi::c_int;

use super::synchronization::{self, KnownCall};
use crate::error::Object;
use crate::types::MPI_Comm;

super::export! {
    /// `pamir_balance_sync`: a barrier that announces itself.
    fn pamir_balance_sync(comm: MPI_Comm) on Object::Communicator(comm),
        synchronization::balance_sync;

    /// `pamir_balance_history`: who called a synchronisation, and when.
    fn pamir_balance_history(
        comm: MPI_Comm, back: c_int, calls: *mut KnownCall, known: *mut c_int,
    ) on Object::Communicator(comm), synchronization::balance_history;
}
