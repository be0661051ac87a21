//! Persistent collective operations (MPI-5.0 section 6.13).
//!
//! Each hands its arguments to a body in [`crate::collective`], which each start makes anew.

pub mod reduction;

use std::ffi::{c_int, c_void};

use crate::collective::arguments::{at_root, copied, received, sent, unless_in_place};
use crate::collective::blocks::{listed, typed};
use crate::collective::gathering::RootSide;
use crate::collective::reducing::is_in_place;
use crate::collective::{Call, bodies, persistent};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

pub use reduction::{
    allreduce_init, exscan_init, reduce_init, reduce_scatter_block_init, reduce_scatter_init,
    scan_init,
};

/// `MPI_Allgather_init`, section 6.7.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn allgather_init<C: Count>(
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
    let make = move || {
        let call = call.clone();
        async move {
            bodies::allgather(
                call,
                sent(sendbuf, sendcount, sendtype),
                received(recvbuf, recvcount, recvtype),
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Allgatherv_init`, section 6.7.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn allgatherv_init<C: Count, D: Count>(
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
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, call.peers()) };
    // SAFETY: as the caller vouches.
    let displs = unsafe { copied(displs, call.peers()) };
    let make = move || {
        let call = call.clone();
        let recvcounts = recvcounts.as_ptr();
        let displs = displs.as_ptr();
        async move {
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
            bodies::allgatherv(call, sent(sendbuf, sendcount, sendtype), all).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Alltoall_init`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn alltoall_init<C: Count>(
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
    let make = move || {
        let call = call.clone();
        async move {
            bodies::alltoall(
                call,
                sent(sendbuf, sendcount, sendtype),
                received(recvbuf, recvcount, recvtype),
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Alltoallv_init`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn alltoallv_init<C: Count, D: Count>(
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
    let sent_blocks = if is_in_place(sendbuf.cast()) {
        0
    } else {
        call.peers()
    };
    // SAFETY: as the caller vouches.
    let sendcounts = unsafe { copied(sendcounts, sent_blocks) };
    // SAFETY: as the caller vouches.
    let sdispls = unsafe { copied(sdispls, sent_blocks) };
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, call.peers()) };
    // SAFETY: as the caller vouches.
    let rdispls = unsafe { copied(rdispls, call.peers()) };
    let make = move || {
        let call = call.clone();
        let sendcounts = sendcounts.as_ptr();
        let sdispls = sdispls.as_ptr();
        let recvcounts = recvcounts.as_ptr();
        let rdispls = rdispls.as_ptr();
        async move {
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
            bodies::alltoallv(call, from, to).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Alltoallw_init`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn alltoallw_init<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const D,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const D,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let sent_blocks = if is_in_place(sendbuf.cast()) {
        0
    } else {
        call.peers()
    };
    // SAFETY: as the caller vouches.
    let sendcounts = unsafe { copied(sendcounts, sent_blocks) };
    // SAFETY: as the caller vouches.
    let sdispls = unsafe { copied(sdispls, sent_blocks) };
    // SAFETY: as the caller vouches.
    let sendtypes = unsafe { copied(sendtypes, sent_blocks) };
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, call.peers()) };
    // SAFETY: as the caller vouches.
    let rdispls = unsafe { copied(rdispls, call.peers()) };
    // SAFETY: as the caller vouches.
    let recvtypes = unsafe { copied(recvtypes, call.peers()) };
    let make = move || {
        let call = call.clone();
        let sendcounts = sendcounts.as_ptr();
        let sdispls = sdispls.as_ptr();
        let sendtypes = sendtypes.as_ptr();
        let recvcounts = recvcounts.as_ptr();
        let rdispls = rdispls.as_ptr();
        let recvtypes = recvtypes.as_ptr();
        async move {
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
            bodies::alltoallv(call, from, to).await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Barrier_init`, section 6.3.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn barrier_init(comm: MPI_Comm, _info: MPI_Info, request: *mut MPI_Request) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let make = move || {
        let call = call.clone();
        async move { bodies::barrier(call).await }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Bcast_init`, section 6.4.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn bcast_init<C: Count>(
    buffer: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    call.check_root(root)?;
    let make = move || {
        let call = call.clone();
        async move { bodies::broadcast(call, buffer.cast(), count.to_i64(), datatype, root).await }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Gather_init`, section 6.5.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn gather_init<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    call.check_root(root)?;
    let make = move || {
        let call = call.clone();
        async move {
            bodies::gather(
                call,
                sent(sendbuf, sendcount, sendtype),
                RootSide::Equal(received(recvbuf, recvcount, recvtype)),
                root,
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Gatherv_init`, section 6.5.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn gatherv_init<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    call.check_root(root)?;
    let has_data = call.has_root_data(root);
    // SAFETY: as the caller vouches.
    let recvcounts = unsafe { copied(recvcounts, if has_data { call.peers() } else { 0 }) };
    // SAFETY: as the caller vouches.
    let displs = unsafe { copied(displs, if has_data { call.peers() } else { 0 }) };
    let make = move || {
        let call = call.clone();
        let recvcounts = recvcounts.as_ptr();
        let displs = displs.as_ptr();
        async move {
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
            bodies::gather(
                call,
                sent(sendbuf, sendcount, sendtype),
                RootSide::Listed(all),
                root,
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Scatter_init`, section 6.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn scatter_init<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    call.check_root(root)?;
    let make = move || {
        let call = call.clone();
        async move {
            bodies::scatter(
                call,
                RootSide::Equal(sent(sendbuf, sendcount, sendtype)),
                received(recvbuf, recvcount, recvtype),
                root,
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}

/// `MPI_Scatterv_init`, section 6.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, while the operation is under way;
/// `request` is writable.
pub unsafe fn scatterv_init<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    displs: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    call.check_root(root)?;
    let has_data = call.has_root_data(root);
    // SAFETY: as the caller vouches.
    let sendcounts = unsafe { copied(sendcounts, if has_data { call.peers() } else { 0 }) };
    // SAFETY: as the caller vouches.
    let displs = unsafe { copied(displs, if has_data { call.peers() } else { 0 }) };
    let make = move || {
        let call = call.clone();
        let sendcounts = sendcounts.as_ptr();
        let displs = displs.as_ptr();
        async move {
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
            bodies::scatter(
                call,
                RootSide::Listed(all),
                received(recvbuf, recvcount, recvtype),
                root,
            )
            .await
        }
    };
    // SAFETY: as the caller vouches.
    unsafe { persistent(state, make, request) }
}
