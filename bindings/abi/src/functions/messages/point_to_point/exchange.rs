//! Calls that send and receive (section 3.11).

use std::ffi::{c_int, c_void};

use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::buffer::Buffer;

use super::modes::copy_of;
use super::peer::destination;
use super::receive::irecv;
use super::send::isend;
use crate::constants::MPI_REQUEST_NULL;
use crate::count::Count;
use crate::error::Result;
use crate::functions::messages::request::completion::{completed, status_now};
use crate::functions::messages::request::{complete_pair, request_free};
use crate::process::running;
use crate::state::State;
use crate::state::requests::{COMPLETED_SEND, Compound, request_handle};
use crate::types::*;

/// `MPI_Sendrecv`.
///
/// # Safety
///
/// Both buffers are good for their data; `status` is writable or ignored.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn sendrecv<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    let (mut receive, mut sent) = (MPI_REQUEST_NULL, MPI_REQUEST_NULL);
    check_send(sendbuf, sendcount, sendtype, dest, sendtag, comm)?;
    // SAFETY: the caller vouches for the buffers, which both requests are done with when this
    // returns.
    unsafe {
        irecv(
            recvbuf,
            recvcount,
            recvtype,
            source,
            recvtag,
            comm,
            &raw mut receive,
        )?;
        let started = isend(
            sendbuf,
            sendcount,
            sendtype,
            dest,
            sendtag,
            comm,
            &raw mut sent,
        );
        complete_pair(receive, sent, started, status)
    }
}

/// Refuses a send that could not be started, before a receive is posted which might take a
/// message that is meant for another.
fn check_send<C: Count>(
    address: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    if state
        .datatypes
        .span(address.cast(), count.to_i64(), datatype)
        .is_none()
    {
        state
            .datatypes
            .buffer(address.cast(), count.to_i64(), datatype)?;
    }
    destination(&communicator, dest, tag)?;
    Ok(())
}

/// `MPI_Sendrecv_replace`: what is sent is copied first.
///
/// # Safety
///
/// The buffer is good for its data; `status` is writable or ignored.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn sendrecv_replace<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    let mut receive = MPI_REQUEST_NULL;
    // SAFETY: the caller vouches for the buffer.
    unsafe {
        check_send(buf, count, datatype, dest, sendtag, comm)?;
        let copy = copied(buf, count, datatype)?;
        irecv(
            buf,
            count,
            datatype,
            source,
            recvtag,
            comm,
            &raw mut receive,
        )?;
        let sent = send_copy(copy, dest, sendtag, comm);
        let (sent, started) = match sent {
            Ok(sent) => (sent, Ok(())),
            Err(error) => (MPI_REQUEST_NULL, Err(error)),
        };
        complete_pair(receive, sent, started, status)
    }
}

/// A copy of what the buffer holds.
///
/// # Safety
///
/// The buffer is readable.
unsafe fn copied<C: Count>(buf: *const c_void, count: C, datatype: MPI_Datatype) -> Result<Buffer> {
    let state = running()?;
    let data = state
        .datatypes
        .buffer(buf.cast(), count.to_i64(), datatype)?;
    // SAFETY: as the caller vouches.
    Ok(unsafe { copy_of(data) })
}

/// Starts a send of a copy, which keeps its data itself.
fn send_copy(copy: Buffer, dest: c_int, tag: c_int, comm: MPI_Comm) -> Result<MPI_Request> {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let Some(rank) = destination(&communicator, dest, tag)? else {
        return Ok(COMPLETED_SEND);
    };
    let to = pamir_mpi::point_to_point::address(&communicator, rank, tag);
    let (context, owner) = (state.process.context(), comm.0 as u64);
    // SAFETY: the request keeps the copy.
    let id = unsafe {
        pamir_mpi::point_to_point::start_send(
            context,
            &communicator,
            owner,
            to,
            copy,
            Completion::Local,
        )?
    };
    Ok(request_handle(id))
}

/// The request of a send and a receive together; its status is the receive's.
struct Pair {
    state: &'static State,
    receive: MPI_Request,
    sent: MPI_Request,
}

impl Compound for Pair {
    fn is_complete(&self) -> bool {
        completed(self.state, self.receive) && completed(self.state, self.sent)
    }

    fn finish(&self) -> (MPI_Status, Result) {
        let mut status = MPI_Status::empty();
        // SAFETY: the status is a local; both requests are this one's own, and ended once.
        let result = unsafe { complete_pair(self.receive, self.sent, Ok(()), &raw mut status) };
        (status, result)
    }

    fn status(&self) -> MPI_Status {
        status_now(self.state, self.receive)
    }

    fn released(&self) -> Result<bool> {
        let (mut receive, mut sent) = (self.receive, self.sent);
        // SAFETY: the requests are locals; what is under way goes on.
        unsafe {
            request_free(&raw mut receive)?;
            request_free(&raw mut sent)?;
        }
        Ok(true)
    }
}

/// The request of both; if the send failed to start, the receive is taken back.
fn pair(receive: MPI_Request, sent: Result<MPI_Request>) -> Result<MPI_Request> {
    let state = running()?;
    match sent {
        Ok(sent) => {
            let state = state.state();
            Ok(state.requests.insert(Pair {
                state,
                receive,
                sent,
            }))
        }
        Err(error) => {
            let ignored = std::ptr::null_mut();
            // SAFETY: the status is ignored.
            unsafe { complete_pair(receive, MPI_REQUEST_NULL, Err(error), ignored)? };
            Ok(MPI_REQUEST_NULL)
        }
    }
}

/// `MPI_Isendrecv`.
///
/// # Safety
///
/// Both buffers are good for their data until the request is complete; `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn isendrecv<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let (mut receive, mut sent) = (MPI_REQUEST_NULL, MPI_REQUEST_NULL);
    check_send(sendbuf, sendcount, sendtype, dest, sendtag, comm)?;
    // SAFETY: the caller vouches for the buffers and the request.
    unsafe {
        irecv(
            recvbuf,
            recvcount,
            recvtype,
            source,
            recvtag,
            comm,
            &raw mut receive,
        )?;
        let started = isend(
            sendbuf,
            sendcount,
            sendtype,
            dest,
            sendtag,
            comm,
            &raw mut sent,
        );
        request.write(pair(receive, started.map(|()| sent))?);
    }
    Ok(())
}

/// `MPI_Isendrecv_replace`.
///
/// # Safety
///
/// The buffer is good for its data until the request is complete; `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn isendrecv_replace<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let mut receive = MPI_REQUEST_NULL;
    // SAFETY: the caller vouches for the buffer and the request.
    unsafe {
        check_send(buf, count, datatype, dest, sendtag, comm)?;
        let copy = copied(buf, count, datatype)?;
        irecv(
            buf,
            count,
            datatype,
            source,
            recvtag,
            comm,
            &raw mut receive,
        )?;
        let sent = send_copy(copy, dest, sendtag, comm);
        request.write(pair(receive, sent)?);
    }
    Ok(())
}
