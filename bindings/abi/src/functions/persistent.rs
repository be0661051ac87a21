//! Persistent point-to-point requests (MPI-5.0 section 3.9).
//!
//! The arguments are checked when the request is made; each start does what the nonblocking call
//! does, and keeps its request until it is complete.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;

use crate::compound::Compound;
use crate::constants::*;
use crate::count::Count;
use crate::data::buffer;
use crate::error::{ErrorClass, Result};
use crate::functions::communicator::named;
use crate::functions::point_to_point::{destination, ibsend, irecv, isend, issend, source};
use crate::functions::request::{completed, end, status_now};
use crate::process::{State, running};
use crate::types::*;

/// What a start does.
#[derive(Clone, Copy)]
enum Mode {
    Standard,
    Buffered,
    Synchronous,
    Receive,
}

/// A persistent request: its arguments, and the message under way.
struct Persistent {
    mode: Mode,
    address: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    /// Keeps the communicator as long as the request is there.
    _communicator: Rc<Communicator>,
    current: Cell<Option<MPI_Request>>,
}

impl Persistent {
    fn current(&self) -> MPI_Request {
        self.current.get().unwrap_or(MPI_REQUEST_NULL)
    }
}

impl Compound for Persistent {
    fn is_complete(&self, state: &State) -> bool {
        completed(state, self.current())
    }

    fn finish(&self, state: &State) -> (MPI_Status, Result) {
        end(state, self.current.take().unwrap_or(MPI_REQUEST_NULL))
    }

    fn status(&self, state: &State) -> MPI_Status {
        status_now(state, self.current())
    }

    fn is_persistent(&self) -> bool {
        true
    }

    fn is_active(&self) -> bool {
        self.current.get().is_some()
    }

    fn start(&self, _: &State) -> Result {
        if self.is_active() {
            return Err(ErrorClass::Request.with("the persistent request is already active"));
        }
        let Self {
            address,
            count,
            datatype,
            rank,
            tag,
            comm,
            ..
        } = *self;
        let mut request = MPI_REQUEST_NULL;
        let at = &raw mut request;
        // SAFETY: whoever made the request vouched for the buffer whenever it is active.
        unsafe {
            match self.mode {
                Mode::Standard => isend(address, count, datatype, rank, tag, comm, at),
                Mode::Buffered => ibsend(address, count, datatype, rank, tag, comm, at),
                Mode::Synchronous => issend(address, count, datatype, rank, tag, comm, at),
                Mode::Receive => irecv(address, count, datatype, rank, tag, comm, at),
            }?;
        }
        self.current.set(Some(request));
        Ok(())
    }

    fn cancel(&self, _: &State) -> Result {
        let mut request = self.current();
        if self.current.get().is_none() {
            return Err(ErrorClass::Request.with("an inactive request cannot be cancelled"));
        }
        // SAFETY: the request is a local.
        unsafe { crate::functions::request::cancel(&raw mut request) }
    }

    fn released(&self, _: &State) -> Result<bool> {
        if let Some(mut request) = self.current.take() {
            // SAFETY: the request is a local; what is under way goes on.
            unsafe { crate::functions::request::request_free(&raw mut request)? };
        }
        Ok(true)
    }
}

/// Makes a persistent request.
///
/// # Safety
///
/// `buf` is good for its data whenever the request is active; `request` is writable.
#[allow(clippy::too_many_arguments)] // MPI_Send_init has seven, and the mode.
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
    let state = running()?;
    let communicator = named(&state, comm)?;
    buffer(&state, buf.cast(), count.to_i64(), datatype)?;
    match mode {
        Mode::Receive => {
            if let Err(Some(error)) = source(&communicator, rank, tag) {
                return Err(error);
            }
        }
        _ => {
            destination(&communicator, rank, tag)?;
        }
    }
    let persistent = Persistent {
        mode,
        address: buf.cast_mut(),
        count: count.to_i64(),
        datatype,
        rank,
        tag,
        comm,
        _communicator: communicator,
        current: Cell::new(None),
    };
    let handle = state.requests.insert(Rc::new(Box::new(persistent)));
    // SAFETY: the caller vouches for it.
    unsafe { request.write(MPI_Request(handle)) };
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
