//! Operations that combine data.
//!
//! Before: [`super::start()`] with a data function. After: the algorithms of
//! `pamir_transport::collective`, which combine in the order of ranks unless the function is
//! commutative; what a member contributes is copied to where the result goes first.

use pamir_transport::collective as c;
use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::collective::{
    allreduce_with, exscan, exscan_with, reduce_scatter_with, reduce_with, scan_with,
};
use pamir_transport::selection::Choice;

use crate::collective::call::{Call, Exchanging, run};
use crate::collective::lists::{Layout, bytes_of};
use crate::collective::moving::{Outgoing, same};
use crate::edge::span::Span;
use crate::layout::reducer::Reducer;
use crate::refusal::Refusal;
use crate::structures::Type;
use crate::structures::collective::{Allreduce, Reduce, ReduceScatter, Scan};
use crate::structures::pointer::Address;

/// The buffer of the result, with this member's contribution.
fn filled(result: Span, sent: Address, sent_bytes: usize) -> Result<Span, Refusal> {
    if sent.is_in_place() {
        return Ok(result);
    }
    same(sent_bytes, result.bytes())?;
    let own = Span::new(sent, sent_bytes, "sndbuf")?;
    result.copy_from(&own);
    Ok(result)
}

/// Bytes of what is sent; none if it is in place.
fn sent_bytes(sndbuf: Address, type_: Type, count: usize) -> Result<usize, Refusal> {
    if sndbuf.is_in_place() {
        return Ok(0);
    }
    bytes_of(type_, count)
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn allreduce(call: Call, parameters: Allreduce) -> Result<(), Refusal> {
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
    let reducer = Reducer::new(op, rtype, data_cookie, commutative != 0)?;
    let choice = call.choice(commutes(&reducer))?;
    let result = Span::new(rcvbuf, bytes_of(rtype, rtypecount)?, "rcvbuf")?;
    let buffer = filled(result, sndbuf, sent_bytes(sndbuf, stype, stypecount)?)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.write();
        run!(choice, allreduce or allreduce_with(exchange, &reducer, buffer))
    };
    call.start(body);
    Ok(())
}

fn commutes(reducer: &Reducer) -> bool {
    c::Reduction::commutative(reducer)
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn reduce(call: Call, parameters: Reduce) -> Result<(), Refusal> {
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
    let reducer = Reducer::new(op, type_, data_cookie, commutative != 0)?;
    let choice = call.choice(commutes(&reducer))?;
    let buffer = if is_root {
        let result = Span::new(rcvbuf, bytes_of(rtype, rtypecount)?, "rcvbuf")?;
        filled(result, sndbuf, sent_bytes(sndbuf, stype, stypecount)?)?
    } else {
        Span::new(sndbuf, bytes_of(stype, stypecount)?, "sndbuf")?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.gathered(is_root);
        run!(choice, reduce or reduce_with(exchange, &reducer, root, buffer))
    };
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn scan(call: Call, parameters: Scan) -> Result<(), Refusal> {
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
    let reducer = Reducer::new(op, rtype, data_cookie, false)?;
    let choice = call.choice(commutes(&reducer))?;
    let result = Span::new(rcvbuf, bytes_of(rtype, rtypecount)?, "rcvbuf")?;
    let sent_bytes = sent_bytes(sndbuf, stype, stypecount)?;
    if exclusive == 0 {
        let buffer = filled(result, sndbuf, sent_bytes)?;
        let body = async move |exchange: &Exchanging<'_>| {
            let mut buffer = buffer;
            let buffer = buffer.write();
            run!(choice, scan or scan_with(exchange, &reducer, buffer))
        };
        call.start(body);
        return Ok(());
    }
    let mut own = if sndbuf.is_in_place() {
        Scratch::copy_of(result.read())?
    } else {
        same(sent_bytes, result.bytes())?;
        Scratch::copy_of(Span::new(sndbuf, sent_bytes, "sndbuf")?.read())?
    };
    let exclusive = choice.and_then(exclusively);
    let has_result = call.rank > 0;
    let body = async move |exchange: &Exchanging<'_>| {
        run!(exclusive, exscan or exscan_with(exchange, &reducer, &mut own))?;
        if has_result {
            let mut result = result;
            result.write().copy_from_slice(&own);
        }
        Ok(())
    };
    call.start(body);
    Ok(())
}

/// The algorithm of the same name that leaves the own data out.
fn exclusively(
    algorithm: c::combining::scan::Algorithm,
) -> Option<c::combining::exscan::Algorithm> {
    c::combining::exscan::Algorithm::from_name(algorithm.name())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn reduce_scatter(call: Call, parameters: ReduceScatter) -> Result<(), Refusal> {
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
    let reducer = Reducer::new(op, rtype, data_cookie, commutative != 0)?;
    let choice = call.choice(commutes(&reducer))?;
    let layout = Layout::packed(rtype, call.size(), rcounts)?;
    let (whole, block) = (layout.extent()?, layout.bytes(call.rank));
    let output = Span::new(rcvbuf, block, "rcvbuf")?;
    let sent = if sndbuf.is_in_place() {
        Span::new(rcvbuf, whole, "rcvbuf")?
    } else {
        same(bytes_of(stype, stypecount)?, whole)?;
        Span::new(sndbuf, whole, "sndbuf")?
    };
    let input = Outgoing::new(Some(sent), &output)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut output = output;
        let (input, output) = (input.read(), output.write());
        let blocks = layout.blocks();
        run!(choice, reduce_scatter or reduce_scatter_with(exchange, &reducer, blocks, input, output))
    };
    call.start(body);
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
