//! The fast path of the calls that everything is measured by.
//!
//! Before: `MPI_Send`, `MPI_Isend`, `MPI_Recv` or `MPI_Irecv`, in whose exported function all of
//! this stands. After: the line is in the target's memory, the message in its buffer, or the
//! receive in the posted queue. What is unusual in any way, bad arguments too, is not done here:
//! then the general functions next door do it, or say what is wrong.
//!
//! Invariant: nothing here is done unless all of it can be done.

use std::ffi::{c_int, c_void};

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{address, envelope};
use pamir_transport::tagged::envelope::Pattern;
use pamir_transport::tagged::send::LINE_DATA_BYTES;

use super::outcome::tell;
use super::peer::{is_exact, usual};
use super::scattered;
use crate::error::{Error, Result};
use crate::state::State;
use crate::state::datatypes::PREDEFINED;
use crate::state::memory::Span;
use crate::state::requests::request_handle;
use crate::types::*;

/// A send of a message that fits a packet and can go at once; whether it has gone.
///
/// # Safety
///
/// `buf` is readable for `count` elements of `datatype`.
#[inline(always)]
pub(super) unsafe fn send_short(
    buf: *const c_void,
    count: i64,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> bool {
    // SAFETY: as the caller vouches.
    unsafe {
        send_line(buf, count, datatype, dest, tag, comm)
            || datatype.0 >= PREDEFINED
                && scattered::send_at_once((buf, count, datatype), dest, tag, comm)
    }
}

/// A receive of a message that fits a packet and comes at once; whether it was that.
///
/// # Safety
///
/// As for [`recv`].
#[inline(always)]
pub(super) unsafe fn receive_short(
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Option<Result> {
    // SAFETY: as the caller vouches.
    unsafe {
        if datatype.0 >= PREDEFINED {
            let data = (buf, count, datatype);
            return scattered::receive_at_once(data, source_rank, tag, comm, status);
        }
        receive_line(buf, count, datatype, source_rank, tag, comm, status)
    }
}

/// A send of a short message that can go at once; whether it has gone.
///
/// # Safety
///
/// `buf` is readable for `count` elements of `datatype`.
#[inline(always)]
unsafe fn send_line(
    buf: *const c_void,
    count: i64,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> bool {
    let Some((state, communicator)) = usual(comm) else {
        return false;
    };
    let Some(data) = state.datatypes.span(buf.cast(), count, datatype) else {
        return false;
    };
    if data.bytes > LINE_DATA_BYTES {
        // SAFETY: as the caller vouches.
        return unsafe { send_packet(state, communicator, data, dest, tag) };
    }
    if !is_exact(communicator, dest, tag) {
        return false;
    }
    let to = address(communicator, dest as usize, tag);
    let context = state.process.context();
    // SAFETY: as the caller vouches; the length was just checked.
    unsafe { context.send_line(to, data.address, data.bytes) }
}

/// A send of a message that may fit one packet; whether it has gone. Whatever is wrong is found again
/// by the general function.
///
/// # Safety
///
/// `data` is readable.
#[inline(never)]
unsafe fn send_packet(
    state: &State,
    communicator: &Communicator,
    data: Span,
    dest: c_int,
    tag: c_int,
) -> bool {
    if !is_exact(communicator, dest, tag) {
        return false;
    }
    let to = address(communicator, dest as usize, tag);
    let context = state.process.context();
    // SAFETY: as the caller vouches.
    unsafe { context.send_packet(to, data.address, data.bytes) }.unwrap_or(false)
}

/// A receive of a short message that has come; whether it was that.
///
/// # Safety
///
/// As for [`recv`].
#[inline(always)]
unsafe fn receive_line(
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Option<Result> {
    let (state, communicator) = usual(comm)?;
    let data = state.datatypes.span(buf.cast(), count, datatype)?;
    if !is_exact(communicator, source_rank, tag) {
        return None;
    }
    let wanted = envelope(communicator, source_rank as usize, tag);
    let context = state.process.context();
    // SAFETY: the caller vouches for the buffer.
    let message_bytes = unsafe { context.receive_line(wanted, data.address, data.bytes)? };
    // SAFETY: as the caller vouches.
    Some(unsafe { tell(status, source_rank, tag, message_bytes, data.bytes) })
}

/// Posts a receive of contiguous data with neither wildcard; none if it is of another kind.
///
/// # Safety
///
/// As for [`irecv`].
#[inline(always)]
pub(super) unsafe fn post(
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Option<Result<MPI_Request>> {
    let (state, communicator) = usual(comm)?;
    let data = state.datatypes.span(buf.cast(), count, datatype)?;
    if !is_exact(communicator, source_rank, tag) {
        return None;
    }
    let wanted = Pattern::exactly(envelope(communicator, source_rank as usize, tag));
    let context = state.process.context();
    // SAFETY: as the caller vouches.
    let posted = unsafe { context.receive(wanted, data.buffer()) };
    Some(posted.map_err(Error::from).map(|request| {
        request.owner.set(comm.0 as u64);
        request_handle(request.id())
    }))
}
