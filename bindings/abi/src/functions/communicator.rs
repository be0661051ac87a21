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
use crate::error::{Error, ErrorClass, Result};
use crate::functions::{attribute, buffer, group, info};
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

/// Gives the program a handle of a communicator that was just made.
pub fn insert(state: &State, communicator: Rc<Communicator>) -> MPI_Comm {
    let handle = state.communicators.insert(communicator.clone());
    communicator.owner.set(handle as u64);
    MPI_Comm(handle)
}

/// The handle of a communicator: what errors of its requests are raised on. Once the handle
/// is freed, it names nothing any more.
pub fn handle_of(state: &State, communicator: &Communicator) -> MPI_Comm {
    if std::ptr::eq(communicator, &**state.process.world()) {
        MPI_COMM_WORLD
    } else if std::ptr::eq(communicator, &**state.process.own()) {
        MPI_COMM_SELF
    } else {
        MPI_Comm(communicator.owner.get() as usize)
    }
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
/// `size` is null or writable.
pub unsafe fn comm_size(comm: MPI_Comm, size: *mut c_int) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
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
    let communicator = named(&state, comm)?;
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
    let communicator = named(&state, comm)?;
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
    let (one, other) = (named(&state, comm1)?, named(&state, comm2)?);
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
    let communicator = named(&state, handle)?;
    if handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF {
        return Err(ErrorClass::Comm.with("a predefined communicator cannot be freed"));
    }
    let deleted = communicator.attributes().delete_all(handle.0 as u64);
    deleted.map_err(attribute::translate)?;
    state.communicators.remove(handle.0);
    buffer::forget(&state, handle);
    // SAFETY: as above.
    unsafe { store(comm, MPI_COMM_NULL, "comm") }
}

/// How many handles keep a communicator although nothing of them is under way: of requests that are inactive, or complete
/// and not waited for, and of messages that matched probes have claimed.
fn resting_on(state: &State, communicator: &Rc<Communicator>) -> usize {
    let (requests, messages) = (state.requests.all(), state.messages.all());
    let operations = requests
        .iter()
        .filter(|(_, operation)| operation.rests_on(state, communicator));
    let claimed = messages
        .iter()
        .filter(|(_, message)| message.is_of(communicator));
    operations.count()
        + claimed.count()
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
    let communicator = named(&state, unsafe { comm.read() })?;
    state.process.context().advance_until(|| {
        buffer::sweep(&state);
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
    let communicator = named(&state, comm)?;
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
        named(&state, comm)?.name()
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
    let communicator = named(&state, comm)?;
    communicator.add_hints(&info::hints(info)?);
    Ok(())
}

/// `MPI_Comm_get_info`, section 7.4.4.
///
/// # Safety
///
/// `info_used` is null or writable.
pub unsafe fn comm_get_info(comm: MPI_Comm, info_used: *mut MPI_Info) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
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
