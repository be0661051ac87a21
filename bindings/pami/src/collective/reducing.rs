//! Operations that combine data.
//!
//! Before: [`super::start()`] with a data function. After: the algorithms of
//! `pamir_transport::collective`, which combine in the order of ranks unless the function is
//! commutative; what a member contributes is copied to where the result goes first.

use pamir_transport::collective as c;
use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::collective::{
    ToRoot, allreduce_with, exscan, exscan_with, reduce_scatter_with, reduce_with, scan_with,
};
use pamir_transport::selection::Choice;

use crate::collective::call::{Call, Exchanging, run};
use crate::collective::moving::{Outgoing, same};
use crate::collective::span::{Layout, Span, bytes_of, is_in_place};
use crate::layout::reducer::Reducer;
use crate::refusal::Refusal;
use crate::structures::collective::{Allreduce, Reduce, ReduceScatter, Scan};

/// The buffer of the result, with this member's contribution.
///
/// # Safety
///
/// `sent` is readable, and `result` writable, for their elements.
unsafe fn filled(result: Span, sent: *mut u8, sent_bytes: usize) -> Result<Span, Refusal> {
    if is_in_place(sent) {
        return Ok(result);
    }
    same(sent_bytes, result.bytes())?;
    let own = Span::new(sent, sent_bytes, "sndbuf")?;
    // SAFETY: as the caller vouches.
    unsafe { result.copy_from(own) };
    Ok(result)
}

/// Bytes of what is sent; none if it is in place.
fn sent_bytes(
    sndbuf: *mut u8,
    type_: crate::structures::Type,
    count: usize,
) -> Result<usize, Refusal> {
    if is_in_place(sndbuf) {
        return Ok(0);
    }
    bytes_of(type_, count)
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn allreduce(call: Call, parameters: Allreduce) -> Result<(), Refusal> {
    use c::allreduce;
    let Allreduce {
        sndbuf,
        stype,
        stypecount,
        rcvbuf,
        rtype,
        rtypecount,
        op,
        data_cookie,
        commutative,
    } = parameters;
    // SAFETY: the caller vouches for the function.
    let reducer = unsafe { Reducer::new(op, rtype, data_cookie, commutative != 0)? };
    let choice = call.choice(commutes(&reducer))?;
    let result = Span::new(rcvbuf, bytes_of(rtype, rtypecount)?, "rcvbuf")?;
    // SAFETY: the caller vouches for both buffers.
    let buffer = unsafe { filled(result, sndbuf, sent_bytes(sndbuf, stype, stypecount)?)? };
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.write() };
        run!(choice, allreduce or allreduce_with(exchange, &reducer, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

fn commutes(reducer: &Reducer) -> bool {
    c::Reduction::commutative(reducer)
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn reduce(call: Call, parameters: Reduce) -> Result<(), Refusal> {
    use c::reduce;
    let Reduce {
        sndbuf,
        stype,
        stypecount,
        rcvbuf,
        rtype,
        rtypecount,
        op,
        data_cookie,
        commutative,
        ..
    } = parameters;
    let root = call.root(parameters.root)?;
    let is_root = call.rank == root;
    let type_ = if is_root { rtype } else { stype };
    // SAFETY: the caller vouches for the function.
    let reducer = unsafe { Reducer::new(op, type_, data_cookie, commutative != 0)? };
    let choice = call.choice(commutes(&reducer))?;
    let buffer = if is_root {
        let result = Span::new(rcvbuf, bytes_of(rtype, rtypecount)?, "rcvbuf")?;
        // SAFETY: the caller vouches for both buffers.
        unsafe { filled(result, sndbuf, sent_bytes(sndbuf, stype, stypecount)?)? }
    } else {
        Span::new(sndbuf, bytes_of(stype, stypecount)?, "sndbuf")?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer: ToRoot<'_> = unsafe { buffer.gathered(is_root) };
        run!(choice, reduce or reduce_with(exchange, &reducer, root, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn scan(call: Call, parameters: Scan) -> Result<(), Refusal> {
    use c::scan;
    let Scan {
        sndbuf,
        stype,
        stypecount,
        rcvbuf,
        rtype,
        rtypecount,
        op,
        data_cookie,
        exclusive,
    } = parameters;
    // SAFETY: the caller vouches for the function.
    let reducer = unsafe { Reducer::new(op, rtype, data_cookie, false)? };
    let choice = call.choice(commutes(&reducer))?;
    let result = Span::new(rcvbuf, bytes_of(rtype, rtypecount)?, "rcvbuf")?;
    let sent_bytes = sent_bytes(sndbuf, stype, stypecount)?;
    if exclusive == 0 {
        // SAFETY: the caller vouches for both buffers.
        let buffer = unsafe { filled(result, sndbuf, sent_bytes)? };
        let body = async move |exchange: &Exchanging<'_>| {
            // SAFETY: the operation is under way.
            let buffer = unsafe { buffer.write() };
            run!(choice, scan or scan_with(exchange, &reducer, buffer))
        };
        // SAFETY: as the caller vouches.
        unsafe { call.start(body) };
        return Ok(());
    }
    let sent = if is_in_place(sndbuf) {
        result
    } else {
        same(sent_bytes, result.bytes())?;
        Span::new(sndbuf, sent_bytes, "sndbuf")?
    };
    // SAFETY: the caller vouches for the buffer.
    let mut own = Scratch::copy_of(unsafe { sent.read() })?;
    let exclusive = choice.and_then(exclusively);
    let has_result = call.rank > 0;
    let body = async move |exchange: &Exchanging<'_>| {
        run!(exclusive, exscan or exscan_with(exchange, &reducer, &mut own))?;
        if has_result {
            // SAFETY: the operation is under way.
            unsafe { result.write() }.copy_from_slice(&own);
        }
        Ok(())
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// The algorithm of the same name that leaves the own data out.
fn exclusively(
    algorithm: c::combining::scan::Algorithm,
) -> Option<c::combining::exscan::Algorithm> {
    c::combining::exscan::Algorithm::from_name(algorithm.name())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn reduce_scatter(call: Call, parameters: ReduceScatter) -> Result<(), Refusal> {
    use c::reduce_scatter;
    let ReduceScatter {
        sndbuf,
        stype,
        stypecount,
        rcvbuf,
        rtype,
        rcounts,
        op,
        data_cookie,
        commutative,
    } = parameters;
    // SAFETY: the caller vouches for the function.
    let reducer = unsafe { Reducer::new(op, rtype, data_cookie, commutative != 0)? };
    let choice = call.choice(commutes(&reducer))?;
    // SAFETY: the caller vouches for the list.
    let layout = unsafe { Layout::packed(rtype, call.size(), rcounts)? };
    let (whole, block) = (layout.extent()?, layout.bytes(call.rank));
    let output = Span::new(rcvbuf, block, "rcvbuf")?;
    let sent = if is_in_place(sndbuf) {
        Span::new(rcvbuf, whole, "rcvbuf")?
    } else {
        same(bytes_of(stype, stypecount)?, whole)?;
        Span::new(sndbuf, whole, "sndbuf")?
    };
    // SAFETY: the caller vouches for both buffers.
    let input = unsafe { Outgoing::new(sent, output)? };
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let (input, output) = unsafe { (input.read(), output.write()) };
        let blocks = layout.blocks();
        run!(choice, reduce_scatter or reduce_scatter_with(exchange, &reducer, blocks, input, output))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scan_has_one_that_leaves_the_own_data_out() {
        for algorithm in c::combining::scan::Algorithm::ALL {
            let exclusive = exclusively(*algorithm).unwrap();
            assert_eq!(exclusive.name(), algorithm.name());
        }
    }
}
