//! Probing for messages, and receiving what a matched probe has claimed (MPI-5.0 section 3.8).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{pattern, start_receive_matched};
use pamir_transport::tagged::receive::{Found, MatchedMessage};

use crate::argument::address;
use crate::constants::*;
use crate::count::Count;
use crate::error::{Error, Object, Result};
use crate::functions::messages::point_to_point::outcome::{check, status_of, write_status};
use crate::functions::messages::point_to_point::peer::source;
use crate::process::running;
use crate::state::State;
use crate::state::requests::{RECEIVED_NOTHING, request_handle};
use crate::types::*;

/// What a probe looks for; `None` for `MPI_PROC_NULL`.
fn wanted(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> Result<Option<pamir_transport::tagged::envelope::Pattern>> {
    match source(communicator, rank, tag) {
        Ok((rank, tag)) => Ok(Some(pattern(communicator, rank, tag))),
        Err(None) => Ok(None),
        Err(Some(error)) => Err(error),
    }
}

fn status(communicator: &Communicator, found: &Found) -> MPI_Status {
    let task = found.envelope.source as usize;
    let rank = communicator.peer_rank(task).unwrap_or(task);
    MPI_Status::new(rank as c_int, found.envelope.tag, found.bytes as i64)
}

fn nothing() -> MPI_Status {
    MPI_Status::new(MPI_PROC_NULL, MPI_ANY_TAG, 0)
}

/// `MPI_Probe`.
///
/// # Safety
///
/// `status_at` is writable or ignored.
pub unsafe fn probe(rank: c_int, tag: c_int, comm: MPI_Comm, status_at: *mut MPI_Status) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let told = match wanted(&communicator, rank, tag)? {
        None => nothing(),
        Some(pattern) => {
            let context = state.process.context();
            let mut found = None;
            context.advance_until(|| {
                found = context.probe(&pattern);
                found.is_some()
            })?;
            status(
                &communicator,
                &found.expect("advancing ends when a message is found"),
            )
        }
    };
    // SAFETY: the caller vouches for it.
    unsafe { write_status(status_at, told) };
    Ok(())
}

/// `MPI_Iprobe`.
///
/// # Safety
///
/// `flag` is writable; `status_at` is writable or ignored.
pub unsafe fn iprobe(
    rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    status_at: *mut MPI_Status,
) -> Result {
    let state = running()?;
    address(flag, "flag")?;
    let communicator = state.communicator(comm)?;
    let told = match wanted(&communicator, rank, tag)? {
        None => Some(nothing()),
        Some(pattern) => {
            let context = state.process.context();
            context
                .poll(|| Ok::<_, Error>(context.probe(&pattern)))?
                .map(|found| status(&communicator, &found))
        }
    };
    // SAFETY: the caller vouches for both.
    unsafe {
        flag.write(told.is_some().into());
        if let Some(told) = told {
            write_status(status_at, told);
        }
    }
    Ok(())
}

/// Claims a message, and gives its handle and status.
fn claim(
    state: &State,
    communicator: Rc<Communicator>,
    comm: MPI_Comm,
    message: MatchedMessage,
) -> (MPI_Message, MPI_Status) {
    let told = status(&communicator, &message.found);
    (state.messages.insert(message, communicator, comm), told)
}

/// `MPI_Mprobe`.
///
/// # Safety
///
/// `message` is writable; `status_at` is writable or ignored.
pub unsafe fn mprobe(
    rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *mut MPI_Message,
    status_at: *mut MPI_Status,
) -> Result {
    let state = running()?;
    address(message, "message")?;
    let communicator = state.communicator(comm)?;
    let (handle, told) = match wanted(&communicator, rank, tag)? {
        None => (MPI_MESSAGE_NO_PROC, nothing()),
        Some(pattern) => {
            let context = state.process.context();
            let mut found = None;
            context.advance_until(|| {
                found = context.probe_matched(&pattern);
                found.is_some()
            })?;
            let found = found.expect("advancing ends when a message is found");
            claim(&state, communicator, comm, found)
        }
    };
    // SAFETY: the caller vouches for both.
    unsafe {
        message.write(handle);
        write_status(status_at, told);
    }
    Ok(())
}

/// `MPI_Improbe`.
///
/// # Safety
///
/// `flag` and `message` are writable; `status_at` is writable or ignored.
pub unsafe fn improbe(
    rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    message: *mut MPI_Message,
    status_at: *mut MPI_Status,
) -> Result {
    let state = running()?;
    address(flag, "flag")?;
    address(message, "message")?;
    let communicator = state.communicator(comm)?;
    let found = match wanted(&communicator, rank, tag)? {
        None => Some((MPI_MESSAGE_NO_PROC, nothing())),
        Some(pattern) => {
            let context = state.process.context();
            let found = context.poll(|| Ok::<_, Error>(context.probe_matched(&pattern)))?;
            found.map(|found| claim(&state, communicator, comm, found))
        }
    };
    // SAFETY: the caller vouches for all of them.
    unsafe {
        flag.write(found.is_some().into());
        if let Some((handle, told)) = found {
            message.write(handle);
            write_status(status_at, told);
        }
    }
    Ok(())
}

/// Raises errors of a call with a claimed message on the message's communicator.
fn on_communicator(state: &State, message: MPI_Message) -> impl FnOnce(Error) -> Error {
    let comm = state.messages.comm(message);
    move |error| match comm {
        Some(comm) => error.on(Object::Communicator(comm)),
        None => error,
    }
}

/// `MPI_Mrecv`.
///
/// # Safety
///
/// `buf` is writable for the data; `message` is readable and writable; `status_at` is writable
/// or ignored.
pub unsafe fn mrecv<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    status_at: *mut MPI_Status,
) -> Result {
    let state = running()?;
    address(message, "message")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let raised = on_communicator(&state, unsafe { *message });
    let data = state
        .datatypes
        .buffer(buf.cast_const().cast(), count.to_i64(), datatype)
        .map_err(raised)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        if *message == MPI_MESSAGE_NO_PROC {
            *message = MPI_MESSAGE_NULL;
            write_status(status_at, nothing());
            return Ok(());
        }
        let (taken, communicator, comm) = state.messages.take(*message)?;
        *message = MPI_MESSAGE_NULL;
        let (context, owner) = (state.process.context(), comm.0 as u64);
        let id = start_receive_matched(context, &communicator, owner, taken, data)?;
        let settled = pamir_mpi::point_to_point::wait(context, id)?;
        let outcome = settled.expect("the receive was just started").outcome;
        write_status(status_at, status_of(&outcome));
        check(&outcome).map_err(|error| error.on(Object::Communicator(comm)))
    }
}

/// `MPI_Imrecv`.
///
/// # Safety
///
/// `buf` is writable for the data until the request is complete; `message` is readable and
/// writable; `request` is writable.
pub unsafe fn imrecv<C: Count>(
    buf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    address(message, "message")?;
    address(request, "request")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let raised = on_communicator(&state, unsafe { *message });
    let data = state
        .datatypes
        .buffer(buf.cast_const().cast(), count.to_i64(), datatype)
        .map_err(raised)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        if *message == MPI_MESSAGE_NO_PROC {
            *message = MPI_MESSAGE_NULL;
            request.write(RECEIVED_NOTHING);
            return Ok(());
        }
        let (taken, communicator, comm) = state.messages.take(*message)?;
        *message = MPI_MESSAGE_NULL;
        let (context, owner) = (state.process.context(), comm.0 as u64);
        let id = start_receive_matched(context, &communicator, owner, taken, data)?;
        request.write(request_handle(id));
    }
    Ok(())
}
