//! Sends in the other modes: synchronous, ready and buffered (section 3.4).
//!
//! A ready send is a standard one. A buffered send is copied, and counted against the buffer
//! that the program attached (see [`crate::functions::buffer`]).

use std::ffi::{c_int, c_void};

use pamir_mpi::point_to_point::{address, start_send};
use pamir_transport::tagged::buffer::{Buffer, Copied};
use pamir_transport::tagged::send::Completion;

use super::{COMPLETED_SEND, destination, isend, send, send_mode, start_mode};
use crate::count::Count;
use crate::data::input;
use crate::error::Result;
use crate::functions::buffer::Space;
use crate::functions::communicator::named;
use crate::process::running;
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
    let communicator = named(&state, comm)?;
    // SAFETY: the caller vouches for the buffer.
    let data = unsafe { input(&state, buf.cast(), count.to_i64(), datatype)? };
    let Some(rank) = destination(&communicator, dest, tag)? else {
        return Ok(());
    };
    let space = Space::of(&state, comm);
    space.take(&state, data.len())?;
    let to = address(&communicator, rank, tag);
    let copy = Buffer::Noncontiguous(Box::new(Copied(data.to_vec())));
    let (context, owner) = (state.process.context(), comm.0 as u64);
    // SAFETY: the request keeps the copy.
    let id = unsafe { start_send(context, &communicator, owner, to, copy, Completion::Local)? };
    space.holds(&state, id, data.len());
    Ok(())
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
        request.write(MPI_Request(COMPLETED_SEND));
    }
    Ok(())
}
