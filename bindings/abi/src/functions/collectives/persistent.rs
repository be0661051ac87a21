//! Persistent collective operations (MPI-5.0 section 6.13).
//!
//! Each hands its arguments to a function of [`crate::collective::calls`], which returns a
//! request that starts the operation.

use std::ffi::{c_int, c_void};

use crate::collective::calls::calls;
use crate::collective::form::Persistent;
use crate::types::*;

calls! {
    Persistent(info, request), (info: MPI_Info, request: *mut MPI_Request);

    /// `MPI_Allgather_init`, section 6.13.5.
    pub unsafe fn allgather_init<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = allgather;

    /// `MPI_Allgatherv_init`, section 6.13.5.
    pub unsafe fn allgatherv_init<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = allgatherv;

    /// `MPI_Allreduce_init`, section 6.13.8.
    pub unsafe fn allreduce_init<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = allreduce;

    /// `MPI_Alltoall_init`, section 6.13.6.
    pub unsafe fn alltoall_init<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = alltoall;

    /// `MPI_Alltoallv_init`, section 6.13.6.
    pub unsafe fn alltoallv_init<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const C, rdispls: *const D, recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) = alltoallv;

    /// `MPI_Alltoallw_init`, section 6.13.6.
    pub unsafe fn alltoallw_init<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const C,
        rdispls: *const D, recvtypes: *const MPI_Datatype, comm: MPI_Comm,
    ) = alltoallw;

    /// `MPI_Barrier_init`, section 6.13.1.
    pub unsafe fn barrier_init(comm: MPI_Comm) = barrier;

    /// `MPI_Bcast_init`, section 6.13.2.
    pub unsafe fn bcast_init<C>(
        buffer: *mut c_void, count: C, datatype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = bcast;

    /// `MPI_Exscan_init`, section 6.13.12.
    pub unsafe fn exscan_init<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = exscan;

    /// `MPI_Gather_init`, section 6.13.3.
    pub unsafe fn gather_init<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = gather;

    /// `MPI_Gatherv_init`, section 6.13.3.
    pub unsafe fn gatherv_init<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, root: c_int,
        comm: MPI_Comm,
    ) = gatherv;

    /// `MPI_Reduce_init`, section 6.13.7.
    pub unsafe fn reduce_init<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, root: c_int, comm: MPI_Comm,
    ) = reduce;

    /// `MPI_Reduce_scatter_block_init`, section 6.13.9.
    pub unsafe fn reduce_scatter_block_init<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcount: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = reduce_scatter_block;

    /// `MPI_Reduce_scatter_init`, section 6.13.10.
    pub unsafe fn reduce_scatter_init<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcounts: *const C,
        datatype: MPI_Datatype, op: MPI_Op, comm: MPI_Comm,
    ) = reduce_scatter;

    /// `MPI_Scan_init`, section 6.13.11.
    pub unsafe fn scan_init<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = scan;

    /// `MPI_Scatter_init`, section 6.13.4.
    pub unsafe fn scatter_init<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = scatter;

    /// `MPI_Scatterv_init`, section 6.13.4.
    pub unsafe fn scatterv_init<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, displs: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = scatterv;
}
