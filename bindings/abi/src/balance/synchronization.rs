//! Synchronising with an announcement, and reading what was announced.
//!
//! Before: the program is done with its part of a cycle. After: all members are, and everybody
//! can tell who waited for whom.

use std::ffi::c_int;

use pamir_mpi::balance::BalanceError;
use pamir_transport::balance::announcement::SharedHistory;

use crate::argument::{address, store};
use crate::collective::Call;
use crate::collective::form::announced;
use crate::collective::synchronizing::Barrier;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::types::MPI_Comm;

/// `pamir_call`: a member's call of a synchronisation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownCall {
    /// When its computation began, in nanoseconds; -1 if nothing is known of the call.
    pub started_ns: i64,
    /// When it called; -1 likewise.
    pub arrived_ns: i64,
    /// What it had to do, or how long it was busy; -1 likewise.
    pub load: i64,
}

impl KnownCall {
    const UNKNOWN: Self = Self {
        started_ns: -1,
        arrived_ns: -1,
        load: -1,
    };
}

/// A barrier that announces itself whatever `PAMIR_BALANCE` says.
pub fn balance_sync(comm: MPI_Comm) -> Result {
    let held = running()?;
    held.state().process.announcer().use_announcements();
    let call = Call::new(held.state(), comm)?;
    announced(&call, &Barrier)
}

/// The members' calls of a communicator's last announced synchronisation, or of the one `back`
/// before it.
///
/// # Safety
///
/// `calls` has room for a call of each rank, and `known` is writable.
pub unsafe fn balance_history(
    comm: MPI_Comm,
    back: c_int,
    calls: *mut KnownCall,
    known: *mut c_int,
) -> Result {
    address(calls, "calls")?;
    address(known, "known")?;
    let state = running()?;
    state.process.announcer().use_announcements();
    let communicator = state.communicator(comm)?;
    let back = u32::try_from(back)
        .map_err(|_| ErrorClass::Arg.with(format!("back is {back}; it counts from 0")))?;
    let last = communicator.last_synchronization();
    let number = last.cycle.saturating_sub(back);
    let tasks = communicator.group().tasks().map(|task| task as usize);
    let job = state.process.context().job();
    let history = SharedHistory::new(job, last.group, tasks).map_err(BalanceError::from)?;
    let mut found = 0;
    for member in 0..communicator.size() {
        let call = history.arrival(member, number);
        found += c_int::from(call.is_some());
        let call = call.map_or(KnownCall::UNKNOWN, |call| KnownCall {
            started_ns: call.started_ns as i64,
            arrived_ns: call.arrived_ns as i64,
            load: call.load as i64,
        });
        // SAFETY: the caller vouches for the room.
        unsafe { calls.add(member).write(call) };
    }
    // SAFETY: the caller vouches for it.
    unsafe { store(known, found, "known") }
}
