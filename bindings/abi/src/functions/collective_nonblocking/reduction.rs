//! Nonblocking reductions and scans (MPI-5.0 section 6.12).
//!
//! As the other nonblocking collective operations, beside which they stand.

use std::ffi::{c_int, c_void};

use crate::collective::arguments::{numbers, reduced};
use crate::collective::reducing::Scan;
use crate::collective::{Call, bodies, nonblocking};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

/// `MPI_Iallreduce`, section 6.9.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iallreduce<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::allreduce(call, reduced(sendbuf, recvbuf, count, datatype, op)),
            request,
        )
    }
}

/// `MPI_Iexscan`, section 6.11.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iexscan<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::scan(
                call,
                reduced(sendbuf, recvbuf, count, datatype, op),
                Scan::Exclusive,
            ),
            request,
        )
    }
}

/// `MPI_Ireduce`, section 6.9.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ireduce<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::reduce(call, reduced(sendbuf, recvbuf, count, datatype, op), root),
            request,
        )
    }
}

/// `MPI_Ireduce_scatter`, section 6.10.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ireduce_scatter<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    let counts = unsafe { numbers(recvcounts, call.communicator.size())? };
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::reduce_scatter(call, reduced(sendbuf, recvbuf, 0, datatype, op), counts),
            request,
        )
    }
}

/// `MPI_Ireduce_scatter_block`, section 6.10.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ireduce_scatter_block<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let counts = vec![recvcount.to_i64(); call.communicator.size()];
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::reduce_scatter(call, reduced(sendbuf, recvbuf, 0, datatype, op), counts),
            request,
        )
    }
}

/// `MPI_Iscan`, section 6.11.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iscan<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::scan(
                call,
                reduced(sendbuf, recvbuf, count, datatype, op),
                Scan::Inclusive,
            ),
            request,
        )
    }
}
