//! Gather, scatter, allgather and alltoall (MPI-5.0 sections 6.5 to 6.8).

use std::ffi::{c_int, c_void};

use super::begin;
use crate::collective::blocks::{BlockList, listed, typed};
use crate::collective::form::Form;
use crate::collective::moving::{AllBlocks, Allgather, Alltoall, Alltoallv, Gather, Scatter};
use crate::collective::place::{Place, is_in_place};
use crate::collective::{Call, Root, short};
use crate::count::Count;
use crate::error::Result;
use crate::types::{MPI_Comm, MPI_Datatype};

/// A rank's own block; `None` in place, which inter-communicators do not know.
fn own_block(
    call: &Call,
    address: *const u8,
    count: impl Count,
    datatype: MPI_Datatype,
) -> Result<Option<Place>> {
    if is_in_place(address) && !call.is_inter() {
        return Ok(None);
    }
    Place::new(call.state, address, count.to_i64(), datatype).map(Some)
}

/// Equal blocks, one for each rank.
fn equal_blocks(
    call: &Call,
    address: *const u8,
    count: impl Count,
    datatype: MPI_Datatype,
) -> Result<Place> {
    let all = count.to_i64().saturating_mul(call.peers() as i64);
    Place::new(call.state, address, all, datatype)
}

/// The own block of an operation with a root.
fn rooted_block(
    call: &Call,
    root: Root,
    address: *const u8,
    count: impl Count,
    datatype: MPI_Datatype,
) -> Result<Option<Place>> {
    match root {
        Root::Here if call.is_inter() => Ok(None),
        Root::Here => own_block(call, address, count, datatype),
        Root::Beside => Ok(None),
        // Only the root has its block in place.
        Root::At(_) => Place::new(call.state, address, count.to_i64(), datatype).map(Some),
    }
}

/// Gather, section 6.5.
pub unsafe fn gather<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::gather::<Gather>(
            (sendbuf.cast(), sendcount.to_i64(), sendtype),
            (recvbuf.cast_const().cast(), recvcount.to_i64(), recvtype),
            root,
            comm,
        )
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let root = call.root(root)?;
    let own = rooted_block(&call, root, sendbuf.cast(), sendcount, sendtype)?;
    let all = match root {
        Root::Here => equal_blocks(&call, recvbuf.cast(), recvcount, recvtype)?,
        _ => Place::NONE,
    };
    let all = AllBlocks::Equal(all);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Gather { own, all, root }) }
}

/// Gather of listed blocks, section 6.5.
pub unsafe fn gatherv<C: Count, D: Count>(
    form: impl Form,
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
    let (_held, call) = begin(&form, comm)?;
    let root = call.root(root)?;
    let own = rooted_block(&call, root, sendbuf.cast(), sendcount, sendtype)?;
    let (state, peers, to) = (call.state, call.peers(), recvbuf.cast());
    let all = AllBlocks::Listed(match root {
        // SAFETY: the caller vouches for the arrays.
        Root::Here => unsafe { listed(state, to, recvcounts, displs, recvtype, peers)?.apart() },
        _ => BlockList::none(),
    });
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Gather { own, all, root }) }
}

/// Scatter, section 6.6.
pub unsafe fn scatter<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::scatter::<Scatter>(
            (sendbuf.cast(), sendcount.to_i64(), sendtype),
            (recvbuf.cast_const().cast(), recvcount.to_i64(), recvtype),
            root,
            comm,
        )
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let root = call.root(root)?;
    let own = rooted_block(&call, root, recvbuf.cast(), recvcount, recvtype)?;
    let all = match root {
        Root::Here => equal_blocks(&call, sendbuf.cast(), sendcount, sendtype)?,
        _ => Place::NONE,
    };
    let all = AllBlocks::Equal(all);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Scatter { all, own, root }) }
}

/// Scatter of listed blocks, section 6.6.
pub unsafe fn scatterv<C: Count, D: Count>(
    form: impl Form,
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
    let (_held, call) = begin(&form, comm)?;
    let root = call.root(root)?;
    let own = rooted_block(&call, root, recvbuf.cast(), recvcount, recvtype)?;
    let (state, peers, from) = (call.state, call.peers(), sendbuf.cast());
    let all = AllBlocks::Listed(match root {
        // SAFETY: the caller vouches for the arrays.
        Root::Here => unsafe { listed(state, from, sendcounts, displs, sendtype, peers)? },
        _ => BlockList::none(),
    });
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Scatter { all, own, root }) }
}

/// Allgather, section 6.7.
pub unsafe fn allgather<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::allgather::<Allgather>(
            (sendbuf.cast(), sendcount.to_i64(), sendtype),
            (recvbuf.cast_const().cast(), recvcount.to_i64(), recvtype),
            comm,
        )
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let own = own_block(&call, sendbuf.cast(), sendcount, sendtype)?;
    let all = AllBlocks::Equal(equal_blocks(&call, recvbuf.cast(), recvcount, recvtype)?);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Allgather { own, all }) }
}

/// Allgather of listed blocks, section 6.7.
pub unsafe fn allgatherv<C: Count, D: Count>(
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
    let own = own_block(&call, sendbuf.cast(), sendcount, sendtype)?;
    let (state, peers, to) = (call.state, call.peers(), recvbuf.cast());
    // SAFETY: the caller vouches for the arrays.
    let all = unsafe { listed(state, to, recvcounts, displs, recvtype, peers)?.apart() };
    let all = AllBlocks::Listed(all);
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Allgather { own, all }) }
}

/// Alltoall, section 6.8.
pub unsafe fn alltoall<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    sendcount: C,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: C,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::alltoall::<Alltoall>(
            (sendbuf.cast(), sendcount.to_i64(), sendtype),
            (recvbuf.cast_const().cast(), recvcount.to_i64(), recvtype),
            comm,
        )
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let from = if is_in_place(sendbuf.cast()) && !call.is_inter() {
        None
    } else {
        Some(equal_blocks(&call, sendbuf.cast(), sendcount, sendtype)?)
    };
    let to = equal_blocks(&call, recvbuf.cast(), recvcount, recvtype)?;
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Alltoall { from, to }) }
}

/// Alltoall of listed blocks, section 6.8.
pub unsafe fn alltoallv<C: Count, D: Count>(
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
    let (state, peers) = (call.state, call.peers());
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    // SAFETY: the caller vouches for the arrays; those of the send side are not looked at in
    // place.
    let (from, to) = unsafe {
        let from = if is_in_place(from) && !call.is_inter() {
            None
        } else {
            Some(listed(state, from, sendcounts, sdispls, sendtype, peers)?)
        };
        let to = listed(state, to, recvcounts, rdispls, recvtype, peers)?.apart();
        (from, to)
    };
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Alltoallv { from, to }) }
}

/// Alltoall of listed blocks of different datatypes, section 6.8.
pub unsafe fn alltoallw<C: Count, D: Count>(
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
    let (state, peers) = (call.state, call.peers());
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    // SAFETY: as in `alltoallv`.
    let (from, to) = unsafe {
        let from = if is_in_place(from) && !call.is_inter() {
            None
        } else {
            Some(typed(state, from, sendcounts, sdispls, sendtypes, peers)?)
        };
        let to = typed(state, to, recvcounts, rdispls, recvtypes, peers)?.apart();
        (from, to)
    };
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, Alltoallv { from, to }) }
}
