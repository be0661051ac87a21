//! Communicators: inquiry, construction, destruction, names and hints.

use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::process::{State, running};
use crate::types::*;

/// The communicator that a handle names.
#[inline(always)]
pub fn named(state: &State, comm: MPI_Comm) -> Result<Rc<Communicator>> {
    if comm == MPI_COMM_WORLD {
        return Ok(state.process.world().clone());
    }
    named_slow(state, comm)
}

#[inline(never)]
fn named_slow(state: &State, comm: MPI_Comm) -> Result<Rc<Communicator>> {
    if comm == MPI_COMM_SELF {
        return Ok(state.process.own().clone());
    }
    state
        .communicators
        .get(comm.0)
        .ok_or_else(|| no_communicator(comm))
}

#[cold]
fn no_communicator(comm: MPI_Comm) -> Error {
    let what = if comm == MPI_COMM_NULL {
        "MPI_COMM_NULL is"
    } else {
        "this handle is freed, or"
    };
    ErrorClass::Comm.with(format!("{what} no communicator ({:#x})", comm.0))
}

/// `MPI_Comm_size`, section 7.4.1.
///
/// # Safety
///
/// `size` is writable.
pub unsafe fn comm_size(comm: MPI_Comm, size: *mut c_int) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { size.write(communicator.size() as c_int) };
    Ok(())
}

/// `MPI_Comm_rank`, section 7.4.1.
///
/// # Safety
///
/// `rank` is writable.
pub unsafe fn comm_rank(comm: MPI_Comm, rank: *mut c_int) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { rank.write(communicator.rank() as c_int) };
    Ok(())
}
