//! Communicators: inquiry, construction, destruction, names and hints.

pub mod construct;
pub mod split_type;

use std::ffi::{c_char, c_int};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::group::{Comparison, Group};
use pamir_mpi::point_to_point;

pub use construct::{
    comm_create, comm_create_group, comm_dup, comm_dup_with_info, comm_idup, comm_idup_with_info,
    comm_split,
};
pub use split_type::comm_split_type;

use crate::argument::{address, store, store_string, string};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::functions::communicators::group;
use crate::functions::management::info;
use crate::process::running;
use crate::state::State;
use crate::state::infos;
use crate::types::*;

/// `MPI_Comm_size`, section 7.4.1.
///
/// # Safety
///
/// `size` is null or writable.
pub unsafe fn comm_size(comm: MPI_Comm, size: *mut c_int) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { store(size, communicator.size() as c_int, "size") }
}

/// `MPI_Comm_rank`, section 7.4.1.
///
/// # Safety
///
/// `rank` is null or writable.
pub unsafe fn comm_rank(comm: MPI_Comm, rank: *mut c_int) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { store(rank, communicator.rank() as c_int, "rank") }
}

/// `MPI_Comm_group`, section 7.3.2.
///
/// # Safety
///
/// `group` is null or writable.
pub unsafe fn comm_group(comm: MPI_Comm, group: *mut MPI_Group) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { group::give(&state, communicator.group().clone(), group) }
}

/// `MPI_Comm_compare`, section 7.4.1.
///
/// # Safety
///
/// `result` is null or writable.
pub unsafe fn comm_compare(comm1: MPI_Comm, comm2: MPI_Comm, result: *mut c_int) -> Result {
    let state = running()?;
    let (one, other) = (state.communicator(comm1)?, state.communicator(comm2)?);
    let remote = match (one.remote(), other.remote()) {
        (None, None) => Some(Comparison::Identical),
        (Some(one), Some(other)) => Some(one.compare(other)),
        _ => None,
    };
    let both = (one.group().compare(other.group()), remote);
    let value = match both {
        _ if Rc::ptr_eq(&one, &other) => MPI_IDENT,
        (Comparison::Identical, Some(Comparison::Identical)) => MPI_CONGRUENT,
        (Comparison::Unequal, _) | (_, None | Some(Comparison::Unequal)) => MPI_UNEQUAL,
        _ => MPI_SIMILAR,
    };
    // SAFETY: the caller vouches for it.
    unsafe { store(result, value, "result") }
}

/// `MPI_Comm_free`, section 7.4.3: what is under way goes on.
///
/// # Safety
///
/// `comm` is null or points to a handle.
pub unsafe fn comm_free(comm: *mut MPI_Comm) -> Result {
    let state = running()?;
    address(comm, "comm")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { comm.read() };
    let communicator = state.communicator(handle)?;
    if handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF {
        return Err(ErrorClass::Comm.with("a predefined communicator cannot be freed"));
    }
    let deleted = communicator.attributes().delete_all(handle.0 as u64);
    deleted?;
    state.communicators.remove(handle);
    state.buffers.forget(state.process.context(), handle);
    // SAFETY: as above.
    unsafe { store(comm, MPI_COMM_NULL, "comm") }
}

/// How many handles keep a communicator although nothing of them is under way: of requests that are inactive, or complete
/// and not waited for, and of messages that matched probes have claimed.
fn resting_on(state: &State, communicator: &Rc<Communicator>) -> usize {
    state.requests.resting_on(communicator)
        + state.messages.resting_on(communicator)
        + point_to_point::resting_on(state.process.context(), communicator)
}

/// `MPI_Comm_disconnect`, section 11.10.4: waits for what is under way.
///
/// # Safety
///
/// `comm` is null or points to a handle.
pub unsafe fn comm_disconnect(comm: *mut MPI_Comm) -> Result {
    let state = running()?;
    address(comm, "comm")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let communicator = state.communicator(unsafe { comm.read() })?;
    let context = state.process.context();
    context.advance_until(|| {
        state.buffers.sweep(context);
        // What is under way holds the communicator; the table and this function do so too.
        Rc::strong_count(&communicator) <= 2 + resting_on(&state, &communicator)
    })?;
    drop(communicator);
    // SAFETY: as the caller vouches.
    unsafe { comm_free(comm) }
}

/// `MPI_Comm_set_name`, section 7.8.
///
/// # Safety
///
/// `comm_name` is null or a string.
pub unsafe fn comm_set_name(comm: MPI_Comm, comm_name: *const c_char) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    let name = unsafe { string(comm_name, "comm_name")? };
    communicator.set_name(&name[..name.len().min(MPI_MAX_OBJECT_NAME as usize - 1)]);
    Ok(())
}

/// `MPI_Comm_get_name`, section 7.8.
///
/// # Safety
///
/// `comm_name` is null or has room for `MPI_MAX_OBJECT_NAME` characters; `resultlen` is null
/// or writable.
pub unsafe fn comm_get_name(
    comm: MPI_Comm,
    comm_name: *mut c_char,
    resultlen: *mut c_int,
) -> Result {
    let state = running()?;
    let name = if comm == MPI_COMM_NULL {
        b"MPI_COMM_NULL".as_slice().into()
    } else {
        state.communicator(comm)?.name()
    };
    address(resultlen, "resultlen")?;
    // SAFETY: the caller vouches for both.
    unsafe {
        let bytes = store_string(comm_name, &name, MPI_MAX_OBJECT_NAME as usize, "comm_name")?;
        store(resultlen, bytes, "resultlen")
    }
}

/// `MPI_Comm_set_info`, section 7.4.4.
pub fn comm_set_info(comm: MPI_Comm, info: MPI_Info) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    communicator.add_hints(&infos::hints(info)?);
    Ok(())
}

/// `MPI_Comm_get_info`, section 7.4.4.
///
/// # Safety
///
/// `info_used` is null or writable.
pub unsafe fn comm_get_info(comm: MPI_Comm, info_used: *mut MPI_Info) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { info::give(communicator.hints(), info_used, "info_used") }
}

/// The group across, of an inter-communicator.
pub fn remote(communicator: &Communicator) -> Result<&Group> {
    let remote = communicator.remote();
    remote.ok_or_else(|| {
        ErrorClass::Comm.with("this function takes an inter-communicator, which has two groups")
    })
}
