//! The buffers that buffered sends are counted against (MPI-5.0 section 3.6): attaching, detaching, flushing.
//!
//! [`crate::state::buffers`] has the buffers.

use std::cell::RefCell;
use std::ffi::c_void;

use pamir_transport::tagged::state::request::RequestId;

use crate::argument::address as check_address;
use crate::constants::*;
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::state::buffers::{Given, Space};
use crate::state::requests::Compound;
use crate::types::*;

fn attach<C: Count>(state: &State, space: Space, address: *mut c_void, size: C) -> Result {
    let given = Given {
        address: address as usize,
        size: size.to_i64(),
        is_automatic: address.cast_const() == MPI_BUFFER_AUTOMATIC.cast_const().cast(),
    };
    state.buffers.attach(space, given)
}

/// Takes the buffer away when its sends have ended. Without one the size is 0, and the address
/// is not written.
///
/// # Safety
///
/// Both results are writable.
unsafe fn detach<C: Count>(
    state: &State,
    space: Space,
    address: *mut c_void,
    size: *mut C,
) -> Result {
    check_address(address, "buffer_addr")?;
    check_address(size, "size")?;
    let given = state.buffers.detach(state.process.context(), space)?;
    // SAFETY: the caller vouches for both; the address is written where the argument points.
    unsafe {
        if let Some(given) = given {
            address.cast::<usize>().write(given.address);
        }
        size.write(C::from_i64(given.map_or(0, |given| given.size)));
    }
    Ok(())
}

/// `MPI_Buffer_attach`.
///
/// # Safety
///
/// `buffer` is only looked at as an address.
pub unsafe fn buffer_attach<C: Count>(buffer: *mut c_void, size: C) -> Result {
    let state = running()?;
    attach(&state, Space::PROCESS, buffer, size)
}

/// `MPI_Buffer_detach`.
///
/// # Safety
///
/// `buffer_addr` points to a pointer; `size` is writable.
pub unsafe fn buffer_detach<C: Count>(buffer_addr: *mut c_void, size: *mut C) -> Result {
    let state = running()?;
    // SAFETY: as the caller vouches.
    unsafe { detach(&state, Space::PROCESS, buffer_addr, size) }
}

/// `MPI_Buffer_flush`.
pub fn buffer_flush() -> Result {
    let state = running()?;
    state.buffers.flush(state.process.context(), Space::PROCESS)
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
    unsafe { request.write(flushing(state.state(), Space::PROCESS)) };
    Ok(())
}

fn of_communicator(state: &State, comm: MPI_Comm) -> Result<Space> {
    state.communicator(comm)?;
    Ok(Space::own(comm))
}

/// `MPI_Comm_attach_buffer`.
///
/// # Safety
///
/// `buffer` is only looked at as an address.
pub unsafe fn comm_attach_buffer<C: Count>(comm: MPI_Comm, buffer: *mut c_void, size: C) -> Result {
    let state = running()?;
    attach(&state, of_communicator(&state, comm)?, buffer, size)
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
    unsafe { detach(&state, of_communicator(&state, comm)?, buffer_addr, size) }
}

/// `MPI_Comm_flush_buffer`.
pub fn comm_flush_buffer(comm: MPI_Comm) -> Result {
    let state = running()?;
    let space = of_communicator(&state, comm)?;
    state.buffers.flush(state.process.context(), space)
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
    unsafe { request.write(flushing(state.state(), space)) };
    Ok(())
}

/// The request of a flush: what was under way when it began.
struct Flush {
    state: &'static State,
    sends: RefCell<Vec<RequestId>>,
}

fn flushing(state: &'static State, space: Space) -> MPI_Request {
    let sends = RefCell::new(state.buffers.sends(space));
    state.requests.insert(Flush { state, sends })
}

impl Compound for Flush {
    fn is_complete(&self) -> bool {
        let requests = self.state.process.context().requests();
        let under_way = |id: &RequestId| {
            let request = requests.get(*id);
            request.is_some_and(|request| !request.is_complete())
        };
        self.sends.borrow_mut().retain(under_way);
        self.sends.borrow().is_empty()
    }

    fn finish(&self) -> (MPI_Status, Result) {
        (MPI_Status::empty(), Ok(()))
    }

    fn status(&self) -> MPI_Status {
        MPI_Status::empty()
    }
}
