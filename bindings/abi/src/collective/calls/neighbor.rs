//! Collective operations between neighbours (MPI-5.0 section 8.6).

use std::ffi::c_void;

use super::begin;
use crate::collective::blocks::{equal, listed, typed};
use crate::collective::form::Form;
use crate::collective::neighbor::{NeighborExchange, Neighbors, Sent};
use crate::collective::place::Place;
use crate::count::Count;
use crate::error::Result;
use crate::types::{MPI_Comm, MPI_Datatype};

/// Allgather of neighbours, section 8.6.1.
pub unsafe fn neighbor_allgather<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let (_held, call) = begin(&form, comm)?;
    let neighbors = Neighbors::new(&call)?;
    let (state, sources) = (call.state, neighbors.partners.sources.len());
    let block = Place::lenient(state, sendbuf.cast(), sendcount.to_i64(), sendtype)?;
    let to = equal(state, recvbuf.cast(), recvcount.to_i64(), recvtype, sources)?;
    let from = Sent::Same(block);
    let operation = NeighborExchange::new(neighbors, from, to);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Allgather of listed blocks, section 8.6.1.
pub unsafe fn neighbor_allgatherv<C: Count, D: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    displs: *const D,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let (_held, call) = begin(&form, comm)?;
    let neighbors = Neighbors::new(&call)?;
    let (state, sources) = (call.state, neighbors.partners.sources.len());
    let block = Place::new(state, sendbuf.cast(), sendcount.to_i64(), sendtype)?;
    let to = recvbuf.cast();
    // SAFETY: the caller vouches for the arrays.
    let to = unsafe { listed(state, to, recvcounts, displs, recvtype, sources)? };
    let from = Sent::Same(block);
    let operation = NeighborExchange::new(neighbors, from, to);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Alltoall of neighbours, section 8.6.2.
pub unsafe fn neighbor_alltoall<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let (_held, call) = begin(&form, comm)?;
    let neighbors = Neighbors::new(&call)?;
    let (state, partners) = (call.state, &neighbors.partners);
    let (sources, destinations) = (partners.sources.len(), partners.destinations.len());
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    let from = equal(state, from, sendcount.to_i64(), sendtype, destinations)?;
    let to = equal(state, to, recvcount.to_i64(), recvtype, sources)?;
    let from = Sent::Each(from);
    let operation = NeighborExchange::new(neighbors, from, to);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Alltoall of listed blocks, section 8.6.2.
pub unsafe fn neighbor_alltoallv<C: Count, D: Count>(
    form: impl Form,
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
    let (_held, call) = begin(&form, comm)?;
    let neighbors = Neighbors::new(&call)?;
    let (state, partners) = (call.state, &neighbors.partners);
    let (sources, destinations) = (partners.sources.len(), partners.destinations.len());
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    // SAFETY: the caller vouches for the arrays.
    let (from, to) = unsafe {
        let from = listed(state, from, sendcounts, sdispls, sendtype, destinations)?;
        let to = listed(state, to, recvcounts, rdispls, recvtype, sources)?;
        (Sent::Each(from), to)
    };
    let operation = NeighborExchange::new(neighbors, from, to);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Alltoall of listed blocks of different datatypes, section 8.6.2.
pub unsafe fn neighbor_alltoallw<C: Count, D: Count>(
    form: impl Form,
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
    let (_held, call) = begin(&form, comm)?;
    let neighbors = Neighbors::new(&call)?;
    let (state, partners) = (call.state, &neighbors.partners);
    let (sources, destinations) = (partners.sources.len(), partners.destinations.len());
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    // SAFETY: the caller vouches for the arrays.
    let (from, to) = unsafe {
        let from = typed(state, from, sendcounts, sdispls, sendtypes, destinations)?;
        let to = typed(state, to, recvcounts, rdispls, recvtypes, sources)?;
        (Sent::Each(from), to)
    };
    let operation = NeighborExchange::new(neighbors, from, to);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}
