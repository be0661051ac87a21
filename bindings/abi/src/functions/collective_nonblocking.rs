//! Nonblocking collective operations (MPI-5.0 section 6.12).
//!
//! Each hands its arguments to a body in [`crate::collective`], which goes on in the background.

pub mod reduction;

use std::ffi::{c_int, c_void};

use crate::collective::arguments::{at_root, received, sent, unless_in_place};
use crate::collective::blocks::{listed, typed};
use crate::collective::gathering::RootSide;
use crate::collective::{Call, bodies, nonblocking};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

pub use reduction::{iallreduce, iexscan, ireduce, ireduce_scatter, ireduce_scatter_block, iscan};

/// `MPI_Iallgather`, section 6.7.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iallgather<C: Count>(
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
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::allgather(
                call,
                sent(sendbuf, sendcount, sendtype),
                received(recvbuf, recvcount, recvtype),
            ),
            request,
        )
    }
}

/// `MPI_Iallgatherv`, section 6.7.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iallgatherv<C: Count, D: Count>(
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
    // SAFETY: as the caller vouches.
    let all = unsafe {
        listed(
            call.state,
            recvbuf.cast(),
            recvcounts,
            displs,
            recvtype,
            call.peers(),
        )?
    };
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::allgatherv(call, sent(sendbuf, sendcount, sendtype), all),
            request,
        )
    }
}

/// `MPI_Ialltoall`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ialltoall<C: Count>(
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
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::alltoall(
                call,
                sent(sendbuf, sendcount, sendtype),
                received(recvbuf, recvcount, recvtype),
            ),
            request,
        )
    }
}

/// `MPI_Ialltoallv`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ialltoallv<C: Count, D: Count>(
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
    // SAFETY: as the caller vouches.
    let from = unsafe {
        unless_in_place(sendbuf, || {
            listed(
                call.state,
                sendbuf.cast(),
                sendcounts,
                sdispls,
                sendtype,
                call.peers(),
            )
        })?
    };
    // SAFETY: as the caller vouches.
    let to = unsafe {
        listed(
            call.state,
            recvbuf.cast(),
            recvcounts,
            rdispls,
            recvtype,
            call.peers(),
        )?
    };
    // SAFETY: as the caller vouches.
    unsafe { nonblocking(state, bodies::alltoallv(call, from, to), request) }
}

/// `MPI_Ialltoallw`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ialltoallw<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const D,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const D,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    let from = unsafe {
        unless_in_place(sendbuf, || {
            typed(
                call.state,
                sendbuf.cast(),
                sendcounts,
                sdispls,
                sendtypes,
                call.peers(),
            )
        })?
    };
    // SAFETY: as the caller vouches.
    let to = unsafe {
        typed(
            call.state,
            recvbuf.cast(),
            recvcounts,
            rdispls,
            recvtypes,
            call.peers(),
        )?
    };
    // SAFETY: as the caller vouches.
    unsafe { nonblocking(state, bodies::alltoallv(call, from, to), request) }
}

/// `MPI_Ibarrier`, section 6.3.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ibarrier(comm: MPI_Comm, request: *mut MPI_Request) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    unsafe { nonblocking(state, bodies::barrier(call), request) }
}

/// `MPI_Ibcast`, section 6.4.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn ibcast<C: Count>(
    buffer: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
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
            bodies::broadcast(call, buffer.cast(), count.to_i64(), datatype, root),
            request,
        )
    }
}

/// `MPI_Igather`, section 6.5.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn igather<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
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
            bodies::gather(
                call,
                sent(sendbuf, sendcount, sendtype),
                RootSide::Equal(received(recvbuf, recvcount, recvtype)),
                root,
            ),
            request,
        )
    }
}

/// `MPI_Igatherv`, section 6.5.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn igatherv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    let all = unsafe {
        at_root(&call, root, || {
            listed(
                call.state,
                recvbuf.cast(),
                recvcounts,
                displs,
                recvtype,
                call.peers(),
            )
        })?
    };
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::gather(
                call,
                sent(sendbuf, sendcount, sendtype),
                RootSide::Listed(all),
                root,
            ),
            request,
        )
    }
}

/// `MPI_Iscatter`, section 6.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iscatter<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
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
            bodies::scatter(
                call,
                RootSide::Equal(sent(sendbuf, sendcount, sendtype)),
                received(recvbuf, recvcount, recvtype),
                root,
            ),
            request,
        )
    }
}

/// `MPI_Iscatterv`, section 6.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until the request is complete;
/// `request` is writable.
pub unsafe fn iscatterv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    displs: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    let all = unsafe {
        at_root(&call, root, || {
            listed(
                call.state,
                sendbuf.cast(),
                sendcounts,
                displs,
                sendtype,
                call.peers(),
            )
        })?
    };
    // SAFETY: as the caller vouches.
    unsafe {
        nonblocking(
            state,
            bodies::scatter(
                call,
                RootSide::Listed(all),
                received(recvbuf, recvcount, recvtype),
                root,
            ),
            request,
        )
    }
}
