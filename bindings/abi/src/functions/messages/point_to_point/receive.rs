//! `MPI_Recv` and `MPI_Irecv`.

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{envelope, pattern, start_receive};

use super::outcome::{check, status_of, tell, write_status};
use super::peer::{borrowed, source};
use super::scattered;
use super::short::{post, receive_short};
use crate::constants::*;
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::state::requests::{RECEIVED_NOTHING, request_handle};
use crate::types::*;

/// `MPI_Recv`, section 3.2.4.
///
/// # Safety
///
/// `buf` is writable for `count` elements of `datatype`; `status` is writable or
/// `MPI_STATUS_IGNORE`.
#[inline(always)]
pub unsafe fn recv<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe {
        match receive_short(
            buf,
            count.to_i64(),
            datatype,
            source_rank,
            tag,
            comm,
            status,
        ) {
            Some(done) => done,
            None => recv_any(buf, count, datatype, source_rank, tag, comm, status),
        }
    }
}

/// A receive of whatever comes.
///
/// # Safety
///
/// As for [`recv`].
#[inline(never)]
unsafe fn recv_any<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let held;
    let communicator = borrowed!(state, comm, held);
    let data = state.datatypes.span(buf.cast(), count.to_i64(), datatype);
    if let Some(data) = data
        && communicator.has_peer(source_rank as usize)
        && tag >= 0
    {
        let wanted = envelope(communicator, source_rank as usize, tag);
        let context = state.process.context();
        // SAFETY: the caller vouches for the buffer.
        let received = unsafe { context.receive_at_once(wanted, data.address, data.bytes)? };
        if let Some(message_bytes) = received {
            // SAFETY: as the caller vouches.
            return unsafe { tell(status, source_rank, tag, message_bytes, data.bytes) };
        }
    }
    if data.is_none() {
        let data = (buf, count.to_i64(), datatype);
        // SAFETY: as the caller vouches.
        let received =
            unsafe { scattered::receive(&state, communicator, data, source_rank, tag, status)? };
        if received.is_some() {
            return Ok(());
        }
    }
    // SAFETY: as the caller vouches.
    unsafe {
        recv_posted(
            &state,
            communicator,
            buf,
            count.to_i64(),
            datatype,
            source_rank,
            tag,
            status,
        )
    }
}

/// A receive that has to wait.
///
/// # Safety
///
/// As for [`recv`].
#[inline(never)]
#[allow(clippy::too_many_arguments)] // MPI_Recv has seven, and the two that they name.
unsafe fn recv_posted(
    state: &State,
    communicator: &Rc<Communicator>,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    status: *mut MPI_Status,
) -> Result {
    let data = state.datatypes.buffer(buf.cast(), count, datatype)?;
    let (rank, tag) = match source(communicator, source_rank, tag) {
        Ok(found) => found,
        Err(None) => {
            // SAFETY: as the caller vouches.
            unsafe { write_status(status, MPI_Status::new(MPI_PROC_NULL, MPI_ANY_TAG, 0)) };
            return Ok(());
        }
        Err(Some(error)) => return Err(error),
    };
    let context = state.process.context();
    let wanted = pattern(communicator, rank, tag);
    // SAFETY: the caller vouches for the buffer, until this returns.
    let id = unsafe { start_receive(context, communicator, 0, wanted, data)? };
    let settled = pamir_mpi::point_to_point::wait(context, id)?;
    let outcome = settled.expect("the receive was just posted").outcome;
    // SAFETY: as the caller vouches.
    unsafe { write_status(status, status_of(&outcome)) };
    check(&outcome)
}

/// `MPI_Irecv`, section 3.7.2.
///
/// # Safety
///
/// `buf` is writable for `count` elements of `datatype` until the request is complete;
/// `request` is writable.
#[inline(always)]
pub unsafe fn irecv<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe {
        let Some(posted) = post(buf, count.to_i64(), datatype, source_rank, tag, comm) else {
            return irecv_any(buf, count, datatype, source_rank, tag, comm, request);
        };
        request.write(posted?);
    }
    Ok(())
}

/// A nonblocking receive of whatever the program asks for.
///
/// # Safety
///
/// As for [`irecv`].
#[inline(never)]
unsafe fn irecv_any<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let data = state
        .datatypes
        .buffer(buf.cast(), count.to_i64(), datatype)?;
    let handle = match source(&communicator, source_rank, tag) {
        Err(Some(error)) => return Err(error),
        Err(None) => RECEIVED_NOTHING,
        Ok((rank, tag)) => {
            let wanted = pattern(&communicator, rank, tag);
            // SAFETY: the caller vouches for the buffer.
            let id = unsafe {
                start_receive(
                    state.process.context(),
                    &communicator,
                    comm.0 as u64,
                    wanted,
                    data,
                )?
            };
            request_handle(id)
        }
    };
    // SAFETY: the caller vouches for the request.
    unsafe { request.write(handle) };
    Ok(())
}
