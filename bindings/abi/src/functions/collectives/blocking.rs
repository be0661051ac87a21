//! Blocking collective operations (MPI-5.0 chapter 6).
//!
//! Each hands its arguments to a function of [`crate::collective::calls`], which returns when the
//! operation is done.

use std::ffi::{c_int, c_void};

use pamir_transport::collective::Reduction;

use crate::collective::calls::calls;
use crate::collective::form::Blocking;
use crate::collective::operand::Reducer;
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::datatypes::negative_count;
use crate::types::*;

calls! {
    Blocking, ();

    /// `MPI_Allgather`, section 6.7.
    pub unsafe fn allgather<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = allgather;

    /// `MPI_Allgatherv`, section 6.7.
    pub unsafe fn allgatherv<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = allgatherv;

    /// `MPI_Allreduce`, section 6.9.6.
    pub unsafe fn allreduce<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = allreduce;

    /// `MPI_Alltoall`, section 6.8.
    pub unsafe fn alltoall<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = alltoall;

    /// `MPI_Alltoallv`, section 6.8.
    pub unsafe fn alltoallv<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const C, rdispls: *const D, recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) = alltoallv;

    /// `MPI_Alltoallw`, section 6.8.
    pub unsafe fn alltoallw<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const C,
        rdispls: *const D, recvtypes: *const MPI_Datatype, comm: MPI_Comm,
    ) = alltoallw;

    /// `MPI_Barrier`, section 6.3.
    pub unsafe fn barrier(comm: MPI_Comm) = barrier;

    /// `MPI_Bcast`, section 6.4.
    pub unsafe fn bcast<C>(
        buffer: *mut c_void, count: C, datatype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = bcast;

    /// `MPI_Exscan`, section 6.11.2.
    pub unsafe fn exscan<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = exscan;

    /// `MPI_Gather`, section 6.5.
    pub unsafe fn gather<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = gather;

    /// `MPI_Gatherv`, section 6.5.
    pub unsafe fn gatherv<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, root: c_int,
        comm: MPI_Comm,
    ) = gatherv;

    /// `MPI_Reduce`, section 6.9.1.
    pub unsafe fn reduce<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, root: c_int, comm: MPI_Comm,
    ) = reduce;

    /// `MPI_Reduce_scatter`, section 6.10.2.
    pub unsafe fn reduce_scatter<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcounts: *const C,
        datatype: MPI_Datatype, op: MPI_Op, comm: MPI_Comm,
    ) = reduce_scatter;

    /// `MPI_Reduce_scatter_block`, section 6.10.1.
    pub unsafe fn reduce_scatter_block<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcount: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = reduce_scatter_block;

    /// `MPI_Scan`, section 6.11.1.
    pub unsafe fn scan<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = scan;

    /// `MPI_Scatter`, section 6.6.
    pub unsafe fn scatter<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = scatter;

    /// `MPI_Scatterv`, section 6.6.
    pub unsafe fn scatterv<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, displs: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = scatterv;
}

/// `MPI_Reduce_local`, section 6.9.7.
///
/// # Safety
///
/// Both buffers are good for `count` elements, and do not overlap.
pub unsafe fn reduce_local<C: Count>(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let state = running()?;
    let count = count.to_i64();
    let elements = usize::try_from(count).map_err(|_| negative_count(count))?;
    let reducer = Reducer::new(&state, datatype, op)?;
    let from = reducer.operand(inbuf.cast(), elements)?;
    let to = reducer.operand(inoutbuf.cast_const().cast(), elements)?;
    // SAFETY: the caller vouches for both.
    let combined = unsafe {
        from.open(true).and_then(|incoming| {
            let mut inout = to.open(true)?;
            reducer.combine(&incoming, &mut inout);
            inout.store();
            Ok(())
        })
    };
    combined.map_err(|error| ErrorClass::NoMem.with(error.to_string()))
}
