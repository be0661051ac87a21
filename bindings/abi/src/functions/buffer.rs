//! The buffers that buffered sends are counted against (MPI-5.0 section 3.6).
//!
//! Data is kept in memory of the library's own; the attached buffer says how much of it a program
//! may have under way. A communicator has a buffer of its own, or uses the process's.

use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;

use pamir_mpi::point_to_point::take;
use pamir_transport::context::Context;
use pamir_transport::tagged::state::request::RequestId;

use crate::argument::address as check_address;
use crate::compound::Compound;
use crate::constants::*;
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::functions::communicator::named;
use crate::process::{State, running};
use crate::types::*;

/// An attached buffer, and the sends that are counted against it.
#[derive(Debug)]
pub struct Attached {
    address: usize,
    /// Bytes; none: as much as there is memory (`MPI_BUFFER_AUTOMATIC`).
    size: Option<i64>,
    size_given: i64,
    sends: Vec<(RequestId, usize)>,
    /// Bytes that the sends take, with their overhead.
    used: i64,
    /// How many sends there may be before those that have ended are looked for.
    patience: usize,
}

/// Sends that are kept before anybody looks which have ended.
const LEAST_PATIENCE: usize = 64;

/// What a message of `bytes` bytes takes of the attached buffer.
fn room_for(bytes: usize) -> i64 {
    bytes as i64 + i64::from(MPI_BSEND_OVERHEAD)
}

impl Attached {
    /// Forgets what has ended.
    fn sweep(&mut self, context: &Context) {
        let used = &mut self.used;
        self.sends.retain(|(id, bytes)| {
            let under_way = take(context, *id).is_none();
            if !under_way {
                *used -= room_for(*bytes);
            }
            under_way
        });
        // Twice what is left: each send is looked at a few times, however many there are.
        self.patience = (2 * self.sends.len()).max(LEAST_PATIENCE);
    }

    /// Whether a message that takes `needed` bytes fits.
    fn has_room(&self, needed: i64) -> bool {
        self.size.is_none_or(|size| self.used + needed <= size)
    }
}

/// Names a buffer: a communicator's, or the process's.
#[derive(Clone, Copy)]
pub struct Space(usize);

const PROCESS: Space = Space(0);

impl Space {
    /// The buffer that sends of a communicator use.
    pub fn of(state: &State, comm: MPI_Comm) -> Self {
        if state.buffers.borrow().contains_key(&comm.0) {
            Self(comm.0)
        } else {
            PROCESS
        }
    }

    /// Whether nothing is under way any more; what has ended is forgotten.
    fn is_drained(self, state: &State) -> bool {
        let mut buffers = state.buffers.borrow_mut();
        let Some(attached) = buffers.get_mut(&self.0) else {
            return true;
        };
        attached.sweep(state.process.context());
        attached.sends.is_empty()
    }

    /// Makes sure that there is room for a message of `bytes` bytes.
    pub fn take(self, state: &State, bytes: usize) -> Result {
        let context = state.process.context();
        context.advance()?;
        let needed = room_for(bytes);
        let mut buffers = state.buffers.borrow_mut();
        let Some(attached) = buffers.get_mut(&self.0) else {
            let text =
                "no buffer is attached for buffered sends: attach one with MPI_Buffer_attach";
            return Err(ErrorClass::Buffer.with(text));
        };
        if attached.sends.len() >= attached.patience || !attached.has_room(needed) {
            attached.sweep(context);
        }
        if attached.has_room(needed) {
            return Ok(());
        }
        let size = attached.size.unwrap_or_default();
        Err(ErrorClass::Buffer.with(format!(
            "a buffered send needs {needed} bytes, and {} of the attached buffer's {size} are free: attach a larger one with MPI_Buffer_attach",
            size - attached.used
        )))
    }

    /// A send of `bytes` bytes is under way.
    pub fn holds(self, state: &State, id: RequestId, bytes: usize) {
        let mut buffers = state.buffers.borrow_mut();
        match buffers.get_mut(&self.0) {
            Some(attached) => {
                attached.sends.push((id, bytes));
                attached.used += room_for(bytes);
            }
            None => detach(state.process.context(), id),
        }
    }

    fn attach(self, state: &State, address: *mut c_void, size: i64) -> Result {
        if size < 0 {
            return Err(ErrorClass::Arg.with(format!("a buffer's size is at least 0, not {size}")));
        }
        if state.buffers.borrow().contains_key(&self.0) {
            let text = "a buffer is already attached: detach it first";
            return Err(ErrorClass::Buffer.with(text));
        }
        let automatic = address.cast_const() == MPI_BUFFER_AUTOMATIC.cast_const().cast();
        let attached = Attached {
            address: address as usize,
            size: (!automatic).then_some(size),
            size_given: size,
            sends: Vec::new(),
            used: 0,
            patience: LEAST_PATIENCE,
        };
        state.buffers.borrow_mut().insert(self.0, attached);
        Ok(())
    }

    fn flush(self, state: &State) -> Result {
        Ok(state
            .process
            .context()
            .advance_until(|| self.is_drained(state))?)
    }

    /// Takes the buffer away when its sends have ended. Without one the size is 0, and the address
    /// is not written.
    ///
    /// # Safety
    ///
    /// Both results are writable.
    unsafe fn detach<C: Count>(self, state: &State, address: *mut c_void, size: *mut C) -> Result {
        check_address(address, "buffer_addr")?;
        check_address(size, "size")?;
        self.flush(state)?;
        let Some(attached) = state.buffers.borrow_mut().remove(&self.0) else {
            // SAFETY: the caller vouches for it.
            unsafe { size.write(C::from_i64(0)) };
            return Ok(());
        };
        // SAFETY: the caller vouches for both; the address is written where the argument points.
        unsafe {
            address.cast::<usize>().write(attached.address);
            size.write(C::from_i64(attached.size_given));
        }
        Ok(())
    }
}

/// Nobody will ask for the send any more; it goes on, and then frees itself.
fn detach(context: &Context, id: RequestId) {
    if let Some(request) = context.requests().get(id) {
        context.requests().detach(id, request);
    }
}

/// Forgets the buffered sends that have ended, which keep their communicators.
pub fn sweep(state: &State) {
    let mut buffers = state.buffers.borrow_mut();
    let context = state.process.context();
    buffers
        .values_mut()
        .for_each(|attached| attached.sweep(context));
}

/// A communicator is freed, and its buffer with it. What is under way goes on: the data is in
/// memory of the library's own.
pub fn forget(state: &State, comm: MPI_Comm) {
    let Some(attached) = state.buffers.borrow_mut().remove(&comm.0) else {
        return;
    };
    for (id, _) in attached.sends {
        detach(state.process.context(), id);
    }
}

/// `MPI_Buffer_attach`.
///
/// # Safety
///
/// `buffer` is only looked at as an address.
pub unsafe fn buffer_attach<C: Count>(buffer: *mut c_void, size: C) -> Result {
    let state = running()?;
    PROCESS.attach(&state, buffer, size.to_i64())
}

/// `MPI_Buffer_detach`.
///
/// # Safety
///
/// `buffer_addr` points to a pointer; `size` is writable.
pub unsafe fn buffer_detach<C: Count>(buffer_addr: *mut c_void, size: *mut C) -> Result {
    let state = running()?;
    // SAFETY: as the caller vouches.
    unsafe { PROCESS.detach(&state, buffer_addr, size) }
}

/// `MPI_Buffer_flush`.
pub fn buffer_flush() -> Result {
    let state = running()?;
    PROCESS.flush(&state)
}

/// `MPI_Buffer_iflush`.
///
/// # Safety
///
/// `request` is writable.
pub unsafe fn buffer_iflush(request: *mut MPI_Request) -> Result {
    let state = running()?;
    check_address(request, "request")?;
    // SAFETY: it is not null, so the caller vouches for it.
    unsafe { request.write(flushing(&state, PROCESS)) };
    Ok(())
}

fn of_communicator(state: &State, comm: MPI_Comm) -> Result<Space> {
    named(state, comm)?;
    Ok(Space(comm.0))
}

/// `MPI_Comm_attach_buffer`.
///
/// # Safety
///
/// `buffer` is only looked at as an address.
pub unsafe fn comm_attach_buffer<C: Count>(comm: MPI_Comm, buffer: *mut c_void, size: C) -> Result {
    let state = running()?;
    of_communicator(&state, comm)?.attach(&state, buffer, size.to_i64())
}

/// `MPI_Comm_detach_buffer`.
///
/// # Safety
///
/// `buffer_addr` points to a pointer; `size` is writable.
pub unsafe fn comm_detach_buffer<C: Count>(
    comm: MPI_Comm,
    buffer_addr: *mut c_void,
    size: *mut C,
) -> Result {
    let state = running()?;
    // SAFETY: as the caller vouches.
    unsafe { of_communicator(&state, comm)?.detach(&state, buffer_addr, size) }
}

/// `MPI_Comm_flush_buffer`.
pub fn comm_flush_buffer(comm: MPI_Comm) -> Result {
    let state = running()?;
    of_communicator(&state, comm)?.flush(&state)
}

/// `MPI_Comm_iflush_buffer`.
///
/// # Safety
///
/// `request` is writable.
pub unsafe fn comm_iflush_buffer(comm: MPI_Comm, request: *mut MPI_Request) -> Result {
    let state = running()?;
    let space = of_communicator(&state, comm)?;
    check_address(request, "request")?;
    // SAFETY: it is not null, so the caller vouches for it.
    unsafe { request.write(flushing(&state, space)) };
    Ok(())
}

/// The request of a flush: what was under way when it began.
struct Flush(RefCell<Vec<RequestId>>);

fn flushing(state: &State, space: Space) -> MPI_Request {
    let buffers = state.buffers.borrow();
    let sends = buffers
        .get(&space.0)
        .map(|attached| attached.sends.iter().map(|(id, _)| *id));
    let sends = sends.into_iter().flatten().collect();
    MPI_Request(
        state
            .requests
            .insert(Rc::new(Box::new(Flush(RefCell::new(sends))))),
    )
}

impl Compound for Flush {
    fn is_complete(&self, state: &State) -> bool {
        let context = state.process.context();
        let under_way = |id: &RequestId| {
            context
                .requests()
                .get(*id)
                .is_some_and(|request| !request.is_complete())
        };
        self.0.borrow_mut().retain(under_way);
        self.0.borrow().is_empty()
    }

    fn finish(&self, _: &State) -> (MPI_Status, Result) {
        (MPI_Status::empty(), Ok(()))
    }

    fn status(&self, _: &State) -> MPI_Status {
        MPI_Status::empty()
    }
}
