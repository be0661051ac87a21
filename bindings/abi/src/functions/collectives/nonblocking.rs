//! Nonblocking collective operations (MPI-5.0 section 6.12).
//!
//! Each hands its arguments to a function of [`crate::collective::calls`], which returns a
//! request of the operation that goes on in the background.

use std::ffi::{c_int, c_void};

use crate::collective::calls::calls;
use crate::collective::form::Nonblocking;
use crate::types::*;

calls! {
    Nonblocking(request), (request: *mut MPI_Request);

    /// `MPI_Iallgather`, section 6.12.5.
    pub unsafe fn iallgather<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = allgather;

    /// `MPI_Iallgatherv`, section 6.12.5.
    pub unsafe fn iallgatherv<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = allgatherv;

    /// `MPI_Iallreduce`, section 6.12.8.
    pub unsafe fn iallreduce<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = allreduce;

    /// `MPI_Ialltoall`, section 6.12.6.
    pub unsafe fn ialltoall<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = alltoall;

    /// `MPI_Ialltoallv`, section 6.12.6.
    pub unsafe fn ialltoallv<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const C, rdispls: *const D, recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) = alltoallv;

    /// `MPI_Ialltoallw`, section 6.12.6.
    pub unsafe fn ialltoallw<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const C,
        rdispls: *const D, recvtypes: *const MPI_Datatype, comm: MPI_Comm,
    ) = alltoallw;

    /// `MPI_Ibarrier`, section 6.12.1.
    pub unsafe fn ibarrier(comm: MPI_Comm) = barrier;

    /// `MPI_Ibcast`, section 6.12.2.
    pub unsafe fn ibcast<C>(
        buffer: *mut c_void, count: C, datatype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = bcast;

    /// `MPI_Iexscan`, section 6.12.12.
    pub unsafe fn iexscan<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = exscan;

    /// `MPI_Igather`, section 6.12.3.
    pub unsafe fn igather<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = gather;

    /// `MPI_Igatherv`, section 6.12.3.
    pub unsafe fn igatherv<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, root: c_int,
        comm: MPI_Comm,
    ) = gatherv;

    /// `MPI_Ireduce`, section 6.12.7.
    pub unsafe fn ireduce<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, root: c_int, comm: MPI_Comm,
    ) = reduce;

    /// `MPI_Ireduce_scatter`, section 6.12.10.
    pub unsafe fn ireduce_scatter<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcounts: *const C,
        datatype: MPI_Datatype, op: MPI_Op, comm: MPI_Comm,
    ) = reduce_scatter;

    /// `MPI_Ireduce_scatter_block`, section 6.12.9.
    pub unsafe fn ireduce_scatter_block<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcount: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = reduce_scatter_block;

    /// `MPI_Iscan`, section 6.12.11.
    pub unsafe fn iscan<C>(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: C, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm,
    ) = scan;

    /// `MPI_Iscatter`, section 6.12.4.
    pub unsafe fn iscatter<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = scatter;

    /// `MPI_Iscatterv`, section 6.12.4.
    pub unsafe fn iscatterv<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, displs: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: C, recvtype: MPI_Datatype, root: c_int, comm: MPI_Comm,
    ) = scatterv;
}
