//! Persistent reductions and scans (MPI-5.0 section 6.13).
//!
//! As the other persistent collective operations, beside which they stand.

use std::ffi::{c_int, c_void};

use crate::collective::arguments::{copied, numbers, reduced};
use crate::collective::reducing::Scan;
use crate::collective::{Call, bodies, persistent};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

/// `MPI_Allreduce_init`, section 6.9.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn allreduce_init<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let make = move || {
        let call = call.clone();
        async move { bodies::allreduce(call, reduced(sendbuf, recvbuf, count, datatype, op)).await }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Exscan_init`, section 6.11.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn exscan_init<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let make = move || {
        let call = call.clone();
        async move {
            bodies::scan(
                call,
                reduced(sendbuf, recvbuf, count, datatype, op),
                Scan::Exclusive,
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Reduce_init`, section 6.9.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn reduce_init<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let make = move || {
        let call = call.clone();
        async move { bodies::reduce(call, reduced(sendbuf, recvbuf, count, datatype, op), root).await }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Reduce_scatter_init`, section 6.10.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn reduce_scatter_init<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, call.communicator.size()) };
    let make = move || {
        let call = call.clone();
        let recvcounts = recvcounts.as_ptr();
        async move {
            // SAFETY: as the caller vouches.
            let counts = unsafe { numbers(recvcounts, call.communicator.size())? };
            bodies::reduce_scatter(call, reduced(sendbuf, recvbuf, 0, datatype, op), counts).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Reduce_scatter_block_init`, section 6.10.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn reduce_scatter_block_init<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let make = move || {
        let call = call.clone();
        async move {
            let counts = vec![recvcount.to_i64(); call.communicator.size()];
            bodies::reduce_scatter(call, reduced(sendbuf, recvbuf, 0, datatype, op), counts).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Scan_init`, section 6.11.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn scan_init<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let make = move || {
        let call = call.clone();
        async move {
            bodies::scan(
                call,
                reduced(sendbuf, recvbuf, count, datatype, op),
                Scan::Inclusive,
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}
