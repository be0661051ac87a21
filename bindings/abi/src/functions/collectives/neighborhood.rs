//! Collective operations between the neighbours of a virtual topology (MPI-5.0 sections 8.6 to
//! 8.8), blocking, nonblocking and persistent.

use std::ffi::c_void;

use crate::collective::calls::calls;
use crate::collective::form::{Blocking, Nonblocking, Persistent};
use crate::types::*;

calls! {
    Blocking, ();

    /// `MPI_Neighbor_allgather`, section 8.6.1.
    pub unsafe fn neighbor_allgather<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_allgather;

    /// `MPI_Neighbor_allgatherv`, section 8.6.1.
    pub unsafe fn neighbor_allgatherv<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_allgatherv;

    /// `MPI_Neighbor_alltoall`, section 8.6.2.
    pub unsafe fn neighbor_alltoall<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_alltoall;

    /// `MPI_Neighbor_alltoallv`, section 8.6.2.
    pub unsafe fn neighbor_alltoallv<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const C, rdispls: *const D, recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) = neighbor_alltoallv;

    /// `MPI_Neighbor_alltoallw`, section 8.6.2.
    pub unsafe fn neighbor_alltoallw<C>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const C,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_alltoallw;
}

calls! {
    Nonblocking(request), (request: *mut MPI_Request);

    /// `MPI_Ineighbor_allgather`, section 8.7.1.
    pub unsafe fn ineighbor_allgather<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_allgather;

    /// `MPI_Ineighbor_allgatherv`, section 8.7.1.
    pub unsafe fn ineighbor_allgatherv<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_allgatherv;

    /// `MPI_Ineighbor_alltoall`, section 8.7.2.
    pub unsafe fn ineighbor_alltoall<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_alltoall;

    /// `MPI_Ineighbor_alltoallv`, section 8.7.2.
    pub unsafe fn ineighbor_alltoallv<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const C, rdispls: *const D, recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) = neighbor_alltoallv;

    /// `MPI_Ineighbor_alltoallw`, section 8.7.2.
    pub unsafe fn ineighbor_alltoallw<C>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const C,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_alltoallw;
}

calls! {
    Persistent(info, request), (info: MPI_Info, request: *mut MPI_Request);

    /// `MPI_Neighbor_allgather_init`, section 8.8.1.
    pub unsafe fn neighbor_allgather_init<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_allgather;

    /// `MPI_Neighbor_allgatherv_init`, section 8.8.1.
    pub unsafe fn neighbor_allgatherv_init<C, D>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcounts: *const C, displs: *const D, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_allgatherv;

    /// `MPI_Neighbor_alltoall_init`, section 8.8.2.
    pub unsafe fn neighbor_alltoall_init<C>(
        sendbuf: *const c_void, sendcount: C, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: C, recvtype: MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_alltoall;

    /// `MPI_Neighbor_alltoallv_init`, section 8.8.2.
    pub unsafe fn neighbor_alltoallv_init<C, D>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const D, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const C, rdispls: *const D, recvtype: MPI_Datatype,
        comm: MPI_Comm,
    ) = neighbor_alltoallv;

    /// `MPI_Neighbor_alltoallw_init`, section 8.8.2.
    pub unsafe fn neighbor_alltoallw_init<C>(
        sendbuf: *const c_void, sendcounts: *const C, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const C,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: MPI_Comm,
    ) = neighbor_alltoallw;
}
