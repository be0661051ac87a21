//! Sends in the other modes: synchronous, ready and buffered (section 3.4).
//!
//! A ready send is a standard one. A buffered send is copied, and counted against the buffer
//! that the program attached (see [`crate::state::buffers`]).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{address, start_send};
use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::buffer::{Buffer, Copied};
use pamir_transport::tagged::send::Address;

use super::peer::destination;
use super::send::{isend, send, send_mode, start_mode};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::state::requests::COMPLETED_SEND;
use crate::types::*;

/// `MPI_Ssend`.
///
/// # Safety
///
/// As for [`send`].
pub unsafe fn ssend<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { send_mode(buf, count, datatype, dest, tag, comm, Completion::Matched) }
}

/// `MPI_Issend`.
///
/// # Safety
///
/// As for [`isend`].
pub unsafe fn issend<C: Count>(
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
        start_mode(
            buf,
            count,
            datatype,
            dest,
            tag,
            comm,
            request,
            Completion::Matched,
        )
    }
}

/// `MPI_Rsend`.
///
/// # Safety
///
/// As for [`send`].
pub unsafe fn rsend<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { send(buf, count, datatype, dest, tag, comm) }
}

/// `MPI_Irsend`.
///
/// # Safety
///
/// As for [`isend`].
pub unsafe fn irsend<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { isend(buf, count, datatype, dest, tag, comm, request) }
}

/// `MPI_Bsend`.
///
/// # Safety
///
/// As for [`send`].
pub unsafe fn bsend<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
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
    // SAFETY: the caller vouches for the buffer.
    unsafe { send_buffered(&state, &communicator, comm, to, data) }
}

/// Sends a copy of the data, which is counted against the attached buffer.
///
/// # Safety
///
/// The data is readable.
pub unsafe fn send_buffered(
    state: &State,
    communicator: &Rc<Communicator>,
    comm: MPI_Comm,
    to: Address,
    data: Buffer,
) -> Result {
    let (context, owner) = (state.process.context(), comm.0 as u64);
    let (space, bytes) = (state.buffers.used_by(comm), data.bytes());
    state.buffers.take(context, space, bytes)?;
    // SAFETY: the caller vouches for the data, and the request keeps the copy.
    let id = unsafe {
        let copy = copy_of(data);
        start_send(context, communicator, owner, to, copy, Completion::Local)?
    };
    state.buffers.hold(context, space, id, bytes);
    Ok(())
}

/// A message with the same bytes that keeps them itself.
///
/// # Safety
///
/// The data is readable.
pub(super) unsafe fn copy_of(mut data: Buffer) -> Buffer {
    let bytes = data.bytes();
    let mut copy = Vec::with_capacity(bytes);
    if bytes > 0 {
        // SAFETY: the vector has room for the bytes, and `pack` writes each of them.
        unsafe {
            data.pack(0, copy.as_mut_ptr(), bytes);
            copy.set_len(bytes);
        }
    }
    Buffer::Noncontiguous(Box::new(Copied(copy)))
}

/// `MPI_Ibsend`: complete at once.
///
/// # Safety
///
/// As for [`isend`].
pub unsafe fn ibsend<C: Count>(
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
        bsend(buf, count, datatype, dest, tag, comm)?;
        request.write(COMPLETED_SEND);
    }
    Ok(())
}
