//! Collective operations between the neighbours of a virtual topology (MPI-5.0 section 8.6).
//!
//! Each hands its arguments to a body in [`crate::collective::neighboring`], blocking or
//! nonblocking; [`persistent`] has the third form.

pub mod persistent;

pub use persistent::{
    neighbor_allgather_init, neighbor_allgatherv_init, neighbor_alltoall_init,
    neighbor_alltoallv_init, neighbor_alltoallw_init,
};

use std::ffi::c_void;

use crate::collective::arguments::{received, sent};
use crate::collective::blocks::{listed, typed};
use crate::collective::neighboring::{Around, equal};
use crate::collective::{Call, blocking, bodies, nonblocking};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

/// `MPI_Neighbor_allgather`, section 8.6.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn neighbor_allgather<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let around = Around::new(&call)?;
    let all = equal(
        &call,
        received(recvbuf, recvcount, recvtype),
        around.sources(),
    )?;
    blocking(
        state,
        bodies::gather_around(call, sent(sendbuf, sendcount, sendtype), all, around),
    )
}

/// `MPI_Ineighbor_allgather`, section 8.6.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ineighbor_allgather<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let around = Around::new(&call)?;
    let all = equal(
        &call,
        received(recvbuf, recvcount, recvtype),
        around.sources(),
    )?;
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::gather_around(call, sent(sendbuf, sendcount, sendtype), all, around),
            request,
        )
    }
}

/// `MPI_Neighbor_allgatherv`, section 8.6.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn neighbor_allgatherv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    blocking(
        state,
        bodies::gather_around(call, sent(sendbuf, sendcount, sendtype), all, around),
    )
}

/// `MPI_Ineighbor_allgatherv`, section 8.6.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn ineighbor_allgatherv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::gather_around(call, sent(sendbuf, sendcount, sendtype), all, around),
            request,
        )
    }
}

/// `MPI_Neighbor_alltoall`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn neighbor_alltoall<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    blocking(state, bodies::exchange_around(call, from, to, around))
}

/// `MPI_Ineighbor_alltoall`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ineighbor_alltoall<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::exchange_around(call, from, to, around),
            request,
        )
    }
}

/// `MPI_Neighbor_alltoallv`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn neighbor_alltoallv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    blocking(state, bodies::exchange_around(call, from, to, around))
}

/// `MPI_Ineighbor_alltoallv`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn ineighbor_alltoallv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::exchange_around(call, from, to, around),
            request,
        )
    }
}

/// `MPI_Neighbor_alltoallw`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn neighbor_alltoallw<C: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    blocking(state, bodies::exchange_around(call, from, to, around))
}

/// `MPI_Ineighbor_alltoallw`, section 8.6.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn ineighbor_alltoallw<C: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
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
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::exchange_around(call, from, to, around),
            request,
        )
    }
}
