//! Blocking collective operations.
//!
//! Each hands its arguments to a body in [`crate::collective`], and runs it to its end.

use std::ffi::{c_int, c_void};

use pamir_transport::collective::Reduction;

use crate::collective::arguments::{at_root, numbers, received, reduced, sent, unless_in_place};
use crate::collective::blocks::{listed, typed};
use crate::collective::gathering::RootSide;
use crate::collective::operand::Plan;
use crate::collective::reducing::Scan;
use crate::collective::{Call, blocking, bodies};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::types::*;

/// `MPI_Allgather`, section 6.7.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn allgather<C: Count>(
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
    blocking(
        state,
        bodies::allgather(
            call,
            sent(sendbuf, sendcount, sendtype),
            received(recvbuf, recvcount, recvtype),
        ),
    )
}

/// `MPI_Allgatherv`, section 6.7.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn allgatherv<C: Count, D: Count>(
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
    blocking(
        state,
        bodies::allgatherv(call, sent(sendbuf, sendcount, sendtype), all),
    )
}

/// `MPI_Allreduce`, section 6.9.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn allreduce<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::allreduce(call, reduced(sendbuf, recvbuf, count, datatype, op)),
    )
}

/// `MPI_Alltoall`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn alltoall<C: Count>(
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
    blocking(
        state,
        bodies::alltoall(
            call,
            sent(sendbuf, sendcount, sendtype),
            received(recvbuf, recvcount, recvtype),
        ),
    )
}

/// `MPI_Alltoallv`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn alltoallv<C: Count, D: Count>(
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
    blocking(state, bodies::alltoallv(call, from, to))
}

/// `MPI_Alltoallw`, section 6.8.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn alltoallw<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    sdispls: *const D,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    rdispls: *const D,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
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
    blocking(state, bodies::alltoallv(call, from, to))
}

/// `MPI_Barrier`, section 6.3.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn barrier(comm: MPI_Comm) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(state, bodies::barrier(call))
}

/// `MPI_Bcast`, section 6.4.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn bcast<C: Count>(
    buffer: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::broadcast(call, buffer.cast(), count.to_i64(), datatype, root),
    )
}

/// `MPI_Exscan`, section 6.11.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn exscan<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::scan(
            call,
            reduced(sendbuf, recvbuf, count, datatype, op),
            Scan::Exclusive,
        ),
    )
}

/// `MPI_Gather`, section 6.5.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn gather<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::gather(
            call,
            sent(sendbuf, sendcount, sendtype),
            RootSide::Equal(received(recvbuf, recvcount, recvtype)),
            root,
        ),
    )
}

/// `MPI_Gatherv`, section 6.5.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn gatherv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
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
    blocking(
        state,
        bodies::gather(
            call,
            sent(sendbuf, sendcount, sendtype),
            RootSide::Listed(all),
            root,
        ),
    )
}

/// `MPI_Reduce`, section 6.9.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn reduce<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::reduce(call, reduced(sendbuf, recvbuf, count, datatype, op), root),
    )
}

/// `MPI_Reduce_scatter`, section 6.10.2.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn reduce_scatter<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    // SAFETY: as the caller vouches.
    let counts = unsafe { numbers(recvcounts, call.communicator.size())? };
    blocking(
        state,
        bodies::reduce_scatter(call, reduced(sendbuf, recvbuf, 0, datatype, op), counts),
    )
}

/// `MPI_Reduce_scatter_block`, section 6.10.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn reduce_scatter_block<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    let counts = vec![recvcount.to_i64(); call.communicator.size()];
    blocking(
        state,
        bodies::reduce_scatter(call, reduced(sendbuf, recvbuf, 0, datatype, op), counts),
    )
}

/// `MPI_Scan`, section 6.11.1.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn scan<C: Count>(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::scan(
            call,
            reduced(sendbuf, recvbuf, count, datatype, op),
            Scan::Inclusive,
        ),
    )
}

/// `MPI_Scatter`, section 6.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn scatter<C: Count>(
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    let held = running()?;
    let state = held.state();
    let call = Call::new(state, comm)?;
    blocking(
        state,
        bodies::scatter(
            call,
            RootSide::Equal(sent(sendbuf, sendcount, sendtype)),
            received(recvbuf, recvcount, recvtype),
            root,
        ),
    )
}

/// `MPI_Scatterv`, section 6.6.
///
/// # Safety
///
/// The buffers and arrays are good for what the standard says, until it returns.
pub unsafe fn scatterv<C: Count, D: Count>(
    sendbuf: *const c_void,
    sendcounts: *const C,
    displs: *const D,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
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
    blocking(
        state,
        bodies::scatter(
            call,
            RootSide::Listed(all),
            received(recvbuf, recvcount, recvtype),
            root,
        ),
    )
}

/// `MPI_Reduce_local`, section 6.9.7: no rank but this one takes part.
///
/// # Safety
///
/// Both buffers are good for `count` elements of `datatype`.
pub unsafe fn reduce_local<C: Count>(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let state = running()?;
    let plan = Plan::new(&state, count.to_i64(), datatype, op)?;
    // SAFETY: the caller vouches for both buffers, which do not overlap.
    unsafe {
        let incoming = plan.input(inbuf.cast(), plan.count());
        let mut inout = plan.input(inoutbuf.cast(), plan.count());
        plan.combination.combine(incoming.read(), inout.write());
        plan.store(inout.read(), inoutbuf.cast(), plan.count());
    }
    Ok(())
}
