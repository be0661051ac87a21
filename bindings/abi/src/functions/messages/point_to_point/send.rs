//! `MPI_Send` and `MPI_Isend`, and sends of all modes.

use std::ffi::{c_int, c_void};

use pamir_mpi::point_to_point::{address, start_contiguous, start_send};
use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::state::request::RequestId;

use super::peer::{borrowed, destination};
use super::scattered;
use super::short::send_short;
use crate::constants::*;
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::state::requests::{COMPLETED_SEND, request_handle};
use crate::types::*;

/// `MPI_Send`, section 3.2.1.
///
/// # Safety
///
/// `buf` is readable for `count` elements of `datatype`.
#[inline(always)]
pub unsafe fn send<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe {
        if send_short(buf, count.to_i64(), datatype, dest, tag, comm) {
            return Ok(());
        }
        send_any(buf, count, datatype, dest, tag, comm)
    }
}

/// A blocking send of whatever the program gives.
///
/// # Safety
///
/// As for [`send`].
#[inline(never)]
unsafe fn send_any<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result {
    let state = running()?;
    let held;
    let communicator = borrowed!(state, comm, held);
    let Some(data) = state.datatypes.span(buf.cast(), count.to_i64(), datatype) else {
        let data = (buf, count.to_i64(), datatype);
        // SAFETY: as the caller vouches.
        return unsafe {
            if scattered::send(&state, communicator, data, dest, tag)? {
                return Ok(());
            }
            send_mode(buf, count, datatype, dest, tag, comm, Completion::Local)
        };
    };
    let Some(rank) = destination(communicator, dest, tag)? else {
        return Ok(());
    };
    let context = state.process.context();
    let to = address(communicator, rank, tag);
    // SAFETY: the caller vouches for the buffer, until this returns.
    match unsafe { context.send_until(to, data.address, data.bytes, Completion::Awaited)? } {
        None => Ok(()),
        Some(id) => finish_send(&state, id),
    }
}

/// A blocking send of any datatype.
///
/// # Safety
///
/// As for [`send`].
pub(in crate::functions) unsafe fn send_mode<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    completion: Completion,
) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let data = state
        .datatypes
        .buffer(buf.cast(), count.to_i64(), datatype)?;
    let Some(rank) = destination(&communicator, dest, tag)? else {
        return Ok(());
    };
    let to = address(&communicator, rank, tag);
    let context = state.process.context();
    // SAFETY: the caller vouches for the buffer, until this returns.
    let id = unsafe { start_send(context, &communicator, comm.0 as u64, to, data, completion)? };
    finish_send(&state, id)
}

#[cold]
#[inline(never)]
pub(in crate::functions) fn finish_send(state: &State, id: RequestId) -> Result {
    pamir_mpi::point_to_point::wait(state.process.context(), id)?;
    Ok(())
}

/// `MPI_Isend`, section 3.7.2.
///
/// # Safety
///
/// `buf` is readable for `count` elements of `datatype` until the request is complete;
/// `request` is writable.
#[inline(always)]
pub unsafe fn isend<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe {
        if send_short(buf, count.to_i64(), datatype, dest, tag, comm) {
            request.write(COMPLETED_SEND);
            return Ok(());
        }
        isend_any(buf, count, datatype, dest, tag, comm, request)
    }
}

/// A nonblocking send of whatever the program gives.
///
/// # Safety
///
/// As for [`isend`].
#[inline(never)]
unsafe fn isend_any<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    let held;
    let communicator = borrowed!(state, comm, held);
    let Some(data) = state.datatypes.span(buf.cast(), count.to_i64(), datatype) else {
        // SAFETY: as the caller vouches.
        return unsafe {
            start_mode(
                buf,
                count,
                datatype,
                dest,
                tag,
                comm,
                request,
                Completion::Local,
            )
        };
    };
    let mut handle = COMPLETED_SEND;
    if let Some(rank) = destination(communicator, dest, tag)? {
        let to = address(communicator, rank, tag);
        let (context, owner) = (state.process.context(), comm.0 as u64);
        let source = (data.address.cast_const(), data.bytes);
        // SAFETY: the caller vouches for the buffer.
        let sent = unsafe { start_contiguous(context, communicator, owner, to, source)? };
        handle = sent.map_or(handle, request_handle);
    }
    // SAFETY: the caller vouches for the request.
    unsafe { request.write(handle) };
    Ok(())
}

/// A nonblocking send of any datatype.
///
/// # Safety
///
/// As for [`isend`].
#[allow(clippy::too_many_arguments)] // MPI_Isend has seven, and the mode.
pub(in crate::functions) unsafe fn start_mode<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
    completion: Completion,
) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let data = state
        .datatypes
        .buffer(buf.cast(), count.to_i64(), datatype)?;
    let mut handle = COMPLETED_SEND;
    if let Some(rank) = destination(&communicator, dest, tag)? {
        let to = address(&communicator, rank, tag);
        // SAFETY: the caller vouches for the buffer.
        let id = unsafe {
            start_send(
                state.process.context(),
                &communicator,
                comm.0 as u64,
                to,
                data,
                completion,
            )?
        };
        handle = request_handle(id);
    }
    // SAFETY: the caller vouches for the request.
    unsafe { request.write(handle) };
    Ok(())
}
