//! Blocking and nonblocking sends, receives and their combinations (MPI-5.0 chapter 3).
//!
//! Here stand the calls that everything is measured by, and `short.rs` has their shortest way;
//! [`modes`] has the other modes, and [`exchange`] the calls that send and receive.

pub mod exchange;
pub mod modes;
mod scattered;
mod short;

pub use exchange::{isendrecv, isendrecv_replace, sendrecv, sendrecv_replace};
pub use modes::{bsend, ibsend, irsend, issend, rsend, ssend};

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{
    address, envelope, pattern, start_contiguous, start_receive, start_send,
};
use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::state::request::{Outcome, RequestId};

use crate::constants::*;
use crate::count::Count;
use crate::data::{buffer, span};
use crate::error::{Error, ErrorClass, Result};
use crate::functions::communicator::named;
use crate::process::{State, running};
use crate::types::*;
use short::{post, receive_short, send_short, tell};

/// Marks the handles of requests that were complete when they were started.
const SETTLED: usize = 1 << 62;

/// Marks the handle of a request that is one message.
const MESSAGE_REQUEST: usize = 1 << 63;

/// The handle of a message's request.
#[inline(always)]
pub fn request_handle(id: RequestId) -> MPI_Request {
    MPI_Request(id.word() as usize | MESSAGE_REQUEST)
}

/// The message's request that a handle names, if it is the handle of one.
#[inline(always)]
pub fn request_id(request: MPI_Request) -> Option<RequestId> {
    let marked = request.0 & MESSAGE_REQUEST != 0;
    marked.then(|| RequestId::from_word((request.0 & !MESSAGE_REQUEST) as u64))
}

/// The communicator behind a handle, borrowed where it is `MPI_COMM_WORLD`.
macro_rules! borrowed {
    ($state:ident, $comm:ident, $held:ident) => {
        if $comm == MPI_COMM_WORLD {
            $state.process.world()
        } else {
            $held = named(&$state, $comm)?;
            &$held
        }
    };
}

/// The rank a message goes to; `None` for `MPI_PROC_NULL`.
#[inline(always)]
pub(super) fn destination(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> Result<Option<usize>> {
    if communicator.has_peer(rank as usize) && tag >= 0 {
        return Ok(Some(rank as usize));
    }
    destination_slow(communicator, rank, tag)
}

#[cold]
fn destination_slow(communicator: &Communicator, rank: c_int, tag: c_int) -> Result<Option<usize>> {
    if rank == MPI_PROC_NULL {
        return Ok(None);
    }
    if tag < 0 {
        return Err(ErrorClass::Tag.with(format!("a tag is at least 0, not {tag}")));
    }
    Err(no_rank(communicator, rank))
}

fn no_rank(communicator: &Communicator, rank: c_int) -> Error {
    let size = communicator.peers().size();
    ErrorClass::Rank.with(format!(
        "rank {rank} is not in a communicator of {size} ranks"
    ))
}

/// Source and tag of a receive, where `None` is any; `Err(None)` for `MPI_PROC_NULL`.
#[inline(always)]
pub(super) fn source(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> std::result::Result<(Option<usize>, Option<i32>), Option<Error>> {
    if communicator.has_peer(rank as usize) && tag >= 0 {
        return Ok((Some(rank as usize), Some(tag)));
    }
    source_slow(communicator, rank, tag)
}

#[cold]
fn source_slow(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> std::result::Result<(Option<usize>, Option<i32>), Option<Error>> {
    if rank == MPI_PROC_NULL {
        return Err(None);
    }
    let tag = match tag {
        MPI_ANY_TAG => None,
        tag if tag >= 0 => Some(tag),
        tag => {
            let text = format!("a tag is at least 0 or MPI_ANY_TAG, not {tag}");
            return Err(Some(ErrorClass::Tag.with(text)));
        }
    };
    match rank {
        MPI_ANY_SOURCE => Ok((None, tag)),
        rank if communicator.has_peer(rank as usize) => Ok((Some(rank as usize), tag)),
        rank => Err(Some(no_rank(communicator, rank))),
    }
}

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
    let Some(data) = span(&state, buf.cast(), count.to_i64(), datatype) else {
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
pub(super) unsafe fn send_mode<C: Count>(
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    completion: Completion,
) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    let data = buffer(&state, buf.cast(), count.to_i64(), datatype)?;
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
pub(super) fn finish_send(state: &State, id: RequestId) -> Result {
    pamir_mpi::point_to_point::wait(state.process.context(), id)?;
    Ok(())
}

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
    let data = span(&state, buf.cast(), count.to_i64(), datatype);
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
    let data = buffer(state, buf.cast(), count, datatype)?;
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
            request.write(MPI_Request(COMPLETED_SEND));
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
    let Some(data) = span(&state, buf.cast(), count.to_i64(), datatype) else {
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
    let mut handle = MPI_Request(COMPLETED_SEND);
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
pub(super) unsafe fn start_mode<C: Count>(
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
    let communicator = named(&state, comm)?;
    let data = buffer(&state, buf.cast(), count.to_i64(), datatype)?;
    let mut handle = MPI_Request(COMPLETED_SEND);
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

/// The request of a send that was complete when it started; it may be waited for any number
/// of times.
pub const COMPLETED_SEND: usize = SETTLED | 1;

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
    let communicator = named(&state, comm)?;
    let data = buffer(&state, buf.cast(), count.to_i64(), datatype)?;
    let handle = match source(&communicator, source_rank, tag) {
        Err(Some(error)) => return Err(error),
        Err(None) => MPI_Request(RECEIVED_NOTHING),
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

/// The request of a receive from `MPI_PROC_NULL`.
pub const RECEIVED_NOTHING: usize = SETTLED | 2;

/// What a program sees of a message's outcome.
#[inline(always)]
pub fn status_of(outcome: &Outcome) -> MPI_Status {
    let mut status = MPI_Status::new(outcome.task as c_int, outcome.tag, outcome.bytes as i64);
    if outcome.cancelled {
        status.set_cancelled(true);
    }
    status
}

/// Writes a status, unless it is to be ignored.
///
/// # Safety
///
/// `target` is writable or `MPI_STATUS_IGNORE`. Its `MPI_ERROR` is left as it is, as for all
/// calls that give one status (MPI-5.0 section 3.2.5), unless the status is empty: an empty one
/// says `MPI_SUCCESS` (section 3.7.3).
#[inline(always)]
pub unsafe fn write_status(target: *mut MPI_Status, status: MPI_Status) {
    if target.is_null() {
        return;
    }
    // SAFETY: the caller vouches for it.
    unsafe {
        let code = (*target).MPI_ERROR;
        let empty = status.MPI_SOURCE == MPI_ANY_SOURCE;
        *target = MPI_Status {
            MPI_ERROR: if empty { MPI_SUCCESS } else { code },
            ..status
        }
    };
}

/// A message that was longer than its buffer is an error.
#[inline(always)]
pub fn check(outcome: &Outcome) -> Result {
    if outcome.truncated {
        Err(truncated(outcome))
    } else {
        Ok(())
    }
}

#[cold]
fn truncated(outcome: &Outcome) -> Error {
    too_long(
        outcome.message_bytes,
        outcome.bytes,
        outcome.task,
        outcome.tag,
    )
}

#[cold]
fn too_long(message_bytes: usize, bytes: usize, rank: u32, tag: i32) -> Error {
    ErrorClass::Truncate.with(format!(
        "the message of {message_bytes} bytes from rank {rank} with tag {tag} is longer than the buffer of {bytes} bytes"
    ))
}
