//! Calls that send and receive (section 3.11).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_transport::tagged::buffer::{Buffer, Copied};
use pamir_transport::tagged::send::Completion;

use super::{COMPLETED_SEND, destination, irecv, isend, request_handle};
use crate::compound::Compound;
use crate::constants::MPI_REQUEST_NULL;
use crate::count::Count;
use crate::data::input;
use crate::error::Result;
use crate::functions::communicator::named;
use crate::functions::request::{complete_pair, completed};
use crate::process::{State, running};
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

/// # Safety
///
/// The buffer is readable.
unsafe fn copied<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
) -> Result<Vec<u8>> {
    let state = running()?;
    // SAFETY: as the caller vouches.
    Ok(unsafe { input(&state, buf.cast(), count.to_i64(), datatype)? }.to_vec())
}

/// Starts a send that keeps its data itself.
fn send_copy(data: Vec<u8>, dest: c_int, tag: c_int, comm: MPI_Comm) -> Result<MPI_Request> {
    let state = running()?;
    let communicator = named(&state, comm)?;
    let Some(rank) = destination(&communicator, dest, tag)? else {
        return Ok(MPI_Request(COMPLETED_SEND));
    };
    let to = pamir_mpi::point_to_point::address(&communicator, rank, tag);
    let copy = Buffer::Noncontiguous(Box::new(Copied(data)));
    let (context, owner) = (state.process.context(), comm.0 as u64);
    // SAFETY: the request keeps the data.
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
    receive: MPI_Request,
    sent: MPI_Request,
}

impl Compound for Pair {
    fn is_complete(&self, state: &State) -> bool {
        completed(state, self.receive) && completed(state, self.sent)
    }

    fn finish(&self, _: &State) -> (MPI_Status, Result) {
        let mut status = MPI_Status::empty();
        // SAFETY: the status is a local; both requests are this one's own, and ended once.
        let result = unsafe { complete_pair(self.receive, self.sent, Ok(()), &raw mut status) };
        (status, result)
    }

    fn status(&self, state: &State) -> MPI_Status {
        crate::functions::request::status_now(state, self.receive)
    }
}

fn pair(receive: MPI_Request, sent: MPI_Request) -> Result<MPI_Request> {
    let state = running()?;
    let pair = Pair { receive, sent };
    Ok(MPI_Request(state.requests.insert(Rc::new(Box::new(pair)))))
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
        isend(
            sendbuf,
            sendcount,
            sendtype,
            dest,
            sendtag,
            comm,
            &raw mut sent,
        )?;
        request.write(pair(receive, sent)?);
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
        let sent = send_copy(copy, dest, sendtag, comm)?;
        request.write(pair(receive, sent)?);
    }
    Ok(())
}
