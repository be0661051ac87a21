//! Persistent point-to-point requests (MPI-5.0 section 3.9).
//!
//! The arguments are checked, and handles resolved, when the request is made; each start does
//! what the nonblocking call does, and keeps its request until it is complete.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::datatype::Datatype;
use pamir_mpi::point_to_point::{
    address as address_of, pattern, start_contiguous, start_receive, start_send,
};
use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::buffer::Buffer;
use pamir_transport::tagged::envelope::Pattern;
use pamir_transport::tagged::send::Address;

use crate::argument::address;
use crate::constants::*;
use crate::count::Count;
use crate::error::{ErrorClass, Object, Result};
use crate::functions::messages::point_to_point::modes::send_buffered;
use crate::functions::messages::point_to_point::peer::{destination, source};
use crate::functions::messages::request::completion::{completed, end, status_now};
use crate::process::running;
use crate::state::State;
use crate::state::memory::memory_of;
use crate::state::requests::{COMPLETED_SEND, Compound, RECEIVED_NOTHING, request_handle};
use crate::types::*;

/// What a start does.
#[derive(Clone, Copy)]
enum Mode {
    Standard,
    Buffered,
    Synchronous,
    Receive,
}

/// Where messages go to or come from.
#[derive(Clone, Copy)]
enum Peer {
    /// `MPI_PROC_NULL`.
    Nobody,
    To(Address),
    From(Pattern),
}

/// A persistent request: its arguments, and the message under way.
///
/// It keeps communicator and datatype themselves: their handles may be freed before it.
struct Persistent {
    state: &'static State,
    mode: Mode,
    address: *mut c_void,
    count: usize,
    datatype: Rc<Datatype>,
    peer: Peer,
    comm: MPI_Comm,
    communicator: Rc<Communicator>,
    current: Cell<Option<MPI_Request>>,
}

impl Persistent {
    fn current(&self) -> MPI_Request {
        self.current.get().unwrap_or(MPI_REQUEST_NULL)
    }

    /// Starts one message.
    fn begin(&self) -> Result<MPI_Request> {
        let data = memory_of(&self.datatype, self.address.cast(), self.count);
        let (context, owner) = (self.state.process.context(), self.comm.0 as u64);
        // SAFETY: whoever made the request vouched for the buffer whenever it is active.
        let id = unsafe {
            match (self.peer, self.mode, data) {
                (Peer::Nobody, Mode::Receive, _) => return Ok(RECEIVED_NOTHING),
                (Peer::Nobody, ..) => return Ok(COMPLETED_SEND),
                (Peer::From(pattern), _, data) => {
                    start_receive(context, &self.communicator, owner, pattern, data)?
                }
                (Peer::To(to), Mode::Buffered, data) => {
                    send_buffered(self.state, &self.communicator, self.comm, to, data)?;
                    return Ok(COMPLETED_SEND);
                }
                (Peer::To(to), Mode::Synchronous, data) => {
                    let mode = Completion::Matched;
                    start_send(context, &self.communicator, owner, to, data, mode)?
                }
                (Peer::To(to), _, Buffer::Contiguous { address, bytes }) => {
                    let source = (address.cast_const(), bytes);
                    match start_contiguous(context, &self.communicator, owner, to, source)? {
                        Some(id) => id,
                        None => return Ok(COMPLETED_SEND),
                    }
                }
                (Peer::To(to), _, data) => {
                    let mode = Completion::Local;
                    start_send(context, &self.communicator, owner, to, data, mode)?
                }
            }
        };
        Ok(request_handle(id))
    }
}

impl Compound for Persistent {
    fn is_complete(&self) -> bool {
        completed(self.state, self.current())
    }

    fn finish(&self) -> (MPI_Status, Result) {
        end(self.state, self.current.take().unwrap_or(MPI_REQUEST_NULL))
    }

    fn status(&self) -> MPI_Status {
        status_now(self.state, self.current())
    }

    fn is_persistent(&self) -> bool {
        true
    }

    fn is_active(&self) -> bool {
        self.current.get().is_some()
    }

    fn start(&self) -> Result {
        if self.is_active() {
            return Err(ErrorClass::Request.with("the persistent request is already active"));
        }
        let started = self.begin();
        let request = started.map_err(|error| error.on(Object::Communicator(self.comm)))?;
        self.current.set(Some(request));
        Ok(())
    }

    fn cancel(&self) -> Result {
        let Some(mut request) = self.current.get() else {
            return Err(ErrorClass::Request.with("an inactive request cannot be cancelled"));
        };
        // SAFETY: the request is a local.
        unsafe { crate::functions::messages::request::cancel(&raw mut request) }
    }

    fn released(&self) -> Result<bool> {
        if let Some(mut request) = self.current.take() {
            // SAFETY: the request is a local; what is under way goes on.
            unsafe { crate::functions::messages::request::request_free(&raw mut request)? };
        }
        Ok(true)
    }

    fn rests_on(&self, communicator: &Rc<Communicator>) -> bool {
        self.is_complete() && Rc::ptr_eq(&self.communicator, communicator)
    }
}

/// Makes a persistent request.
///
/// # Safety
///
/// `buf` is good for its data whenever the request is active; `request` is writable.
unsafe fn make<C: Count>(
    mode: Mode,
    buf: *const c_void,
    count: C,
    datatype: MPI_Datatype,
    rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    address(request, "request")?;
    let state = running()?;
    let communicator = state.communicator(comm)?;
    state
        .datatypes
        .buffer(buf.cast(), count.to_i64(), datatype)?;
    // The buffer has no elements, if they have no datatype.
    let datatype = if datatype == MPI_DATATYPE_NULL {
        MPI_BYTE
    } else {
        datatype
    };
    let peer = match mode {
        Mode::Receive => match source(&communicator, rank, tag) {
            Ok((rank, tag)) => Peer::From(pattern(&communicator, rank, tag)),
            Err(None) => Peer::Nobody,
            Err(Some(error)) => return Err(error),
        },
        _ => match destination(&communicator, rank, tag)? {
            Some(rank) => Peer::To(address_of(&communicator, rank, tag)),
            None => Peer::Nobody,
        },
    };
    let persistent = Persistent {
        state: state.state(),
        mode,
        address: buf.cast_mut(),
        count: count.to_i64() as usize, // Not negative: it was checked with the buffer.
        datatype: state.datatypes.committed(datatype)?,
        peer,
        comm,
        communicator,
        current: Cell::new(None),
    };
    let handle = state.requests.insert(persistent);
    // SAFETY: it is not null, so the caller vouches for it.
    unsafe { request.write(handle) };
    Ok(())
}

/// `MPI_Send_init`.
///
/// # Safety
///
/// `buf` is readable whenever the request is active; `request` is writable.
pub unsafe fn send_init<C: Count>(
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
        make(
            Mode::Standard,
            buf,
            count,
            datatype,
            dest,
            tag,
            comm,
            request,
        )
    }
}

/// `MPI_Rsend_init`.
///
/// # Safety
///
/// As for [`send_init`].
pub unsafe fn rsend_init<C: Count>(
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
        make(
            Mode::Standard,
            buf,
            count,
            datatype,
            dest,
            tag,
            comm,
            request,
        )
    }
}

/// `MPI_Bsend_init`.
///
/// # Safety
///
/// As for [`send_init`].
pub unsafe fn bsend_init<C: Count>(
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
        make(
            Mode::Buffered,
            buf,
            count,
            datatype,
            dest,
            tag,
            comm,
            request,
        )
    }
}

/// `MPI_Ssend_init`.
///
/// # Safety
///
/// As for [`send_init`].
pub unsafe fn ssend_init<C: Count>(
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
        make(
            Mode::Synchronous,
            buf,
            count,
            datatype,
            dest,
            tag,
            comm,
            request,
        )
    }
}

/// `MPI_Recv_init`.
///
/// # Safety
///
/// `buf` is writable whenever the request is active; `request` is writable.
pub unsafe fn recv_init<C: Count>(
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
        make(
            Mode::Receive,
            buf,
            count,
            datatype,
            source_rank,
            tag,
            comm,
            request,
        )
    }
}
