//! Persistent collective operations between neighbours (MPI-5.0 section 8.8).
//!
//! Each start makes a body of [`crate::collective::neighboring`] anew.

use std::ffi::c_void;

use crate::collective::arguments::{copied, received, sent};
use crate::collective::blocks::{listed, typed};
use crate::collective::neighboring::{Around, equal};
use crate::collective::{Call, bodies, persistent};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

/// `MPI_Neighbor_allgather_init`, section 8.6.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn neighbor_allgather_init<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    Around::new(&call)?;
    let make = move || {
        let call = call.clone();
        async move {
            let around = Around::new(&call)?;
            let all = equal(
                &call,
                received(recvbuf, recvcount, recvtype),
                around.sources(),
            )?;
            bodies::gather_around(call, sent(sendbuf, sendcount, sendtype), all, around).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Neighbor_allgatherv_init`, section 8.6.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn neighbor_allgatherv_init<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let around = Around::new(&call)?;
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, around.sources()) };
    // SAFETY: as the caller vouches.
    let displs = unsafe { copied(displs, around.sources()) };
    let make = move || {
        let call = call.clone();
        let recvcounts = recvcounts.as_ptr();
        let displs = displs.as_ptr();
        async move {
            let around = Around::new(&call)?;
            // SAFETY: as the caller vouches.
            let all = unsafe {
                listed(
                    call.state,
                    recvbuf.cast(),
                    recvcounts,
                    displs,
                    recvtype,
                    around.sources(),
                )?
            };
            bodies::gather_around(call, sent(sendbuf, sendcount, sendtype), all, around).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Neighbor_alltoall_init`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn neighbor_alltoall_init<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    Around::new(&call)?;
    let make = move || {
        let call = call.clone();
        async move {
            let around = Around::new(&call)?;
            let from = equal(
                &call,
                sent(sendbuf, sendcount, sendtype),
                around.destinations(),
            )?;
            let to = equal(
                &call,
                received(recvbuf, recvcount, recvtype),
                around.sources(),
            )?;
            bodies::exchange_around(call, from, to, around).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Neighbor_alltoallv_init`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn neighbor_alltoallv_init<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let around = Around::new(&call)?;
    // SAFETY: as the caller vouches.
    let sendcounts = unsafe { copied(sendcounts, around.destinations()) };
    // SAFETY: as the caller vouches.
    let sdispls = unsafe { copied(sdispls, around.destinations()) };
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, around.sources()) };
    // SAFETY: as the caller vouches.
    let rdispls = unsafe { copied(rdispls, around.sources()) };
    let make = move || {
        let call = call.clone();
        let sendcounts = sendcounts.as_ptr();
        let sdispls = sdispls.as_ptr();
        let recvcounts = recvcounts.as_ptr();
        let rdispls = rdispls.as_ptr();
        async move {
            let around = Around::new(&call)?;
            // SAFETY: as the caller vouches.
            let from = unsafe {
                listed(
                    call.state,
                    sendbuf.cast(),
                    sendcounts,
                    sdispls,
                    sendtype,
                    around.destinations(),
                )?
            };
            // SAFETY: as the caller vouches.
            let to = unsafe {
                listed(
                    call.state,
                    recvbuf.cast(),
                    recvcounts,
                    rdispls,
                    recvtype,
                    around.sources(),
                )?
            };
            bodies::exchange_around(call, from, to, around).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Neighbor_alltoallw_init`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn neighbor_alltoallw_init<C: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let around = Around::new(&call)?;
    // SAFETY: as the caller vouches.
    let sendcounts = unsafe { copied(sendcounts, around.destinations()) };
    // SAFETY: as the caller vouches.
    let sdispls = unsafe { copied(sdispls, around.destinations()) };
    // SAFETY: as the caller vouches.
    let sendtypes = unsafe { copied(sendtypes, around.destinations()) };
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, around.sources()) };
    // SAFETY: as the caller vouches.
    let rdispls = unsafe { copied(rdispls, around.sources()) };
    // SAFETY: as the caller vouches.
    let recvtypes = unsafe { copied(recvtypes, around.sources()) };
    let make = move || {
        let call = call.clone();
        let sendcounts = sendcounts.as_ptr();
        let sdispls = sdispls.as_ptr();
        let sendtypes = sendtypes.as_ptr();
        let recvcounts = recvcounts.as_ptr();
        let rdispls = rdispls.as_ptr();
        let recvtypes = recvtypes.as_ptr();
        async move {
            let around = Around::new(&call)?;
            // SAFETY: as the caller vouches.
            let from = unsafe {
                typed(
                    call.state,
                    sendbuf.cast(),
                    sendcounts,
                    sdispls,
                    sendtypes,
                    around.destinations(),
                )?
            };
            // SAFETY: as the caller vouches.
            let to = unsafe {
                typed(
                    call.state,
                    recvbuf.cast(),
                    recvcounts,
                    rdispls,
                    recvtypes,
                    around.sources(),
                )?
            };
            bodies::exchange_around(call, from, to, around).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}
