//! Reductions and scans (MPI-5.0 sections 6.9 to 6.11).

use std::ffi::{c_int, c_void};

use super::begin;
use crate::collective::blocks::counts;
use crate::collective::form::Form;
use crate::collective::operand::{Operand, Reducer};
use crate::collective::place::is_in_place;
use crate::collective::reducing::{Allreduce, Extent, Parts, Reduce, ReduceScatter, Scan};
use crate::collective::{Bystander, Call, Root, short};
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::state::datatypes::negative_count;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Op};

#[inline]
fn elements(count: impl Count) -> Result<usize> {
    usize::try_from(count.to_i64()).map_err(|_| negative_count(count.to_i64()))
}

/// The own elements, which are to be combined into `to`; `None` in place, which
/// inter-communicators do not know.
#[inline]
fn own_elements(
    call: &Call,
    reducer: &Reducer,
    address: *const u8,
    to: *const u8,
    count: usize,
) -> Result<Option<Operand>> {
    if is_in_place(address) && !call.is_inter() {
        return Ok(None);
    }
    check_disjoint(address, to, count)?;
    reducer.operand(address, count).map(Some)
}

/// Refuses one buffer in two roles.
#[inline]
fn check_disjoint(from: *const u8, to: *const u8, count: usize) -> Result {
    if count > 0 && from == to && !from.is_null() {
        let text = "send and receive buffer are the same: pass MPI_IN_PLACE";
        return Err(ErrorClass::Buffer.with(text));
    }
    Ok(())
}

/// Allreduce, section 6.9.6.
#[inline]
pub unsafe fn allreduce<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::allreduce::<Allreduce>(
            sendbuf.cast(),
            recvbuf.cast(),
            (count.to_i64(), datatype, op),
            comm,
        )
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let count = elements(count)?;
    let reducer = Reducer::new(call.state, datatype, op)?;
    let to = recvbuf.cast_const().cast();
    let from = own_elements(&call, &reducer, sendbuf.cast(), to, count)?;
    let to = reducer.operand(to, count)?;
    let operation = Allreduce { reducer, from, to };
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Reduce, section 6.9.1.
pub unsafe fn reduce<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    // SAFETY: as the caller vouches.
    if let Some(done) = form.short(|| unsafe {
        short::reduce::<Reduce>(
            sendbuf.cast(),
            recvbuf.cast(),
            (count.to_i64(), datatype, op),
            root,
            comm,
        )
    }) {
        return done;
    }
    let (_held, call) = begin(&form, comm)?;
    let root = call.root(root)?;
    if root == Root::Beside {
        // The other arguments mean nothing here.
        // SAFETY: the caller vouches for the form.
        return unsafe { form.carry_out(call, Bystander) };
    }
    let count = elements(count)?;
    let reducer = Reducer::new(call.state, datatype, op)?;
    let from = match root {
        Root::Here if call.is_inter() => None,
        Root::Here => {
            let to = recvbuf.cast_const().cast();
            own_elements(&call, &reducer, sendbuf.cast(), to, count)?
        }
        Root::Beside => None,
        // Only the root has its elements in place.
        Root::At(_) => Some(reducer.operand(sendbuf.cast(), count)?),
    };
    let to = match root {
        Root::Here => Some(reducer.operand(recvbuf.cast(), count)?),
        _ => None,
    };
    let operation = Reduce {
        reducer,
        from,
        to,
        root,
    };
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Scan, section 6.11.1.
pub unsafe fn scan<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let extent = Extent::Inclusive;
    // SAFETY: as the caller vouches.
    unsafe {
        scan_of(
            form,
            extent,
            sendbuf.cast(),
            recvbuf.cast(),
            count,
            datatype,
            op,
            comm,
        )
    }
}

/// Exclusive scan, section 6.11.2.
pub unsafe fn exscan<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let extent = Extent::Exclusive;
    // SAFETY: as the caller vouches.
    unsafe {
        scan_of(
            form,
            extent,
            sendbuf.cast(),
            recvbuf.cast(),
            count,
            datatype,
            op,
            comm,
        )
    }
}

unsafe fn scan_of(
    form: impl Form,
    extent: Extent,
    from: *const u8,
    to: *const u8,
    count: impl Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let (_held, call) = begin(&form, comm)?;
    if call.is_inter() {
        let text = "scans are not defined on inter-communicators";
        return Err(ErrorClass::Comm.with(text));
    }
    let count = elements(count)?;
    let reducer = Reducer::new(call.state, datatype, op)?;
    let from = own_elements(&call, &reducer, from, to, count)?;
    // Rank 0 of an exclusive scan gets nothing; what it has in place is there, however.
    let to = if extent == Extent::Exclusive && call.rank() == 0 && from.is_some() {
        reducer.operand(std::ptr::null(), 0)?
    } else {
        reducer.operand(to, count)?
    };
    let operation = Scan {
        reducer,
        from,
        to,
        extent,
    };
    // SAFETY: the caller vouches for the form.
    unsafe { form.carry_out(call, operation) }
}

/// Reduce-scatter of equal parts, section 6.10.1.
pub unsafe fn reduce_scatter_block<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let (held, call) = begin(&form, comm)?;
    let own = elements(recvcount)?;
    let reducer = Reducer::new(held.state(), datatype, op)?;
    let all = own.saturating_mul(call.communicator.size());
    let parts = Parts::Equal(reducer.bytes(own));
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    // SAFETY: the caller vouches for the form.
    unsafe { scatter_parts(form, call, reducer, from, to, (all, own), parts) }
}

/// Reduce-scatter of listed parts, section 6.10.2.
pub unsafe fn reduce_scatter<C: Count>(
    form: impl Form,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const C,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let (held, call) = begin(&form, comm)?;
    // SAFETY: the caller vouches for the array.
    let counts = unsafe { counts(recvcounts, call.communicator.size())? };
    let reducer = Reducer::new(held.state(), datatype, op)?;
    let bytes: Vec<usize> = counts.iter().map(|count| reducer.bytes(*count)).collect();
    let starts = bytes
        .iter()
        .scan(0, |at, bytes| Some(std::mem::replace(at, *at + bytes)))
        .collect();
    let all = counts.iter().sum();
    let own = counts[call.rank()];
    let parts = Parts::Listed(bytes, starts);
    let (from, to) = (sendbuf.cast(), recvbuf.cast());
    // SAFETY: the caller vouches for the form.
    unsafe { scatter_parts(form, call, reducer, from, to, (all, own), parts) }
}

unsafe fn scatter_parts(
    form: impl Form,
    call: Call,
    reducer: Reducer,
    from: *const u8,
    to: *const u8,
    (all, own): (usize, usize),
    parts: Parts,
) -> Result {
    let in_place = is_in_place(from) && !call.is_inter();
    check_disjoint(from, to, all)?;
    let from = reducer.operand(if in_place { to } else { from }, all)?;
    let to = reducer.operand(to, own)?;
    let operation = ReduceScatter {
        reducer,
        from,
        in_place,
        to,
        parts,
    };
    // SAFETY: as the caller vouches.
    unsafe { form.carry_out(call, operation) }
}
