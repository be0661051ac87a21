//! Operations that combine data.
//!
//! Before: [`super::start()`] with a data function. After: the algorithms of
//! `pamir_transport::collective`, which combine in the order of ranks unless the function is
//! commutative; what a member contributes is copied to where the result goes first. What is sent says what the
//! elements are ([`super::elements`]).

use pamir_transport::collective as c;
use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::collective::{
    allreduce_with, exscan, exscan_with, reduce_scatter_with, reduce_with, scan_with,
};
use pamir_transport::selection::Choice;

use crate::collective::buffer::Buffer;
use crate::collective::call::{Call, Exchanging, run};
use crate::collective::elements::Operands;
use crate::collective::lists::Layout;
use crate::collective::moving::{Outgoing, same};
use crate::layout::reducer::Reducer;
use crate::refusal::Refusal;
use crate::structures::collective::{Allreduce, Reduce, ReduceScatter, Scan};

/// What a member sends, and where the result goes.
struct Ends {
    result: Buffer,
    /// Nothing if it is in the result.
    own: Option<Buffer>,
}

impl Ends {
    /// The buffer of the result, with this member's contribution.
    fn filled(self) -> Result<Buffer, Refusal> {
        let Self { mut result, own } = self;
        let Some(own) = own else {
            return Ok(result.filled());
        };
        same(own.bytes(), result.bytes())?;
        result.copy(0, &own, 0, own.bytes());
        Ok(result)
    }
}

/// The ends and operands of an operation with these parameters.
macro_rules! ends {
    ($call:expr, $parameters:expr, $rtypecount:expr) => {{
        let (stype, rtype) = ($parameters.stype, $parameters.rtype);
        let result = $call.buffer(rtype, $parameters.rcvbuf, $rtypecount, "rcvbuf")?;
        if $parameters.sndbuf.is_in_place() {
            (
                Operands::in_place(stype, rtype)?,
                Ends { result, own: None },
            )
        } else {
            let (sndbuf, count) = ($parameters.sndbuf, $parameters.stypecount);
            let own = Some($call.filled(stype, sndbuf, count, "sndbuf")?);
            (Operands::between(stype, rtype)?, Ends { result, own })
        }
    }};
}

/// Refuses a length that is no whole elements.
fn whole(reducer: &Reducer, bytes: usize) -> Result<(), Refusal> {
    let element_bytes = c::Reduction::element_bytes(reducer);
    if bytes.is_multiple_of(element_bytes) {
        return Ok(());
    }
    Err(Refusal::CutElement {
        bytes,
        element_bytes,
    })
}

fn commutes(reducer: &Reducer) -> bool {
    c::Reduction::commutative(reducer)
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn allreduce(call: Call, parameters: Allreduce) -> Result<(), Refusal> {
    use c::allreduce;
    let Allreduce {
        op,
        data_cookie,
        commutative,
        ..
    } = parameters;
    let (operands, ends) = ends!(call, parameters, parameters.rtypecount);
    let reducer = operands.reducer(op, data_cookie, commutative != 0)?;
    let choice = call.choice(commutes(&reducer))?;
    let buffer = ends.filled()?;
    whole(&reducer, buffer.bytes())?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.write();
        run!(choice, allreduce or allreduce_with(exchange, &reducer, bytes))?;
        buffer.finish();
        Ok(())
    };
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn reduce(call: Call, parameters: Reduce) -> Result<(), Refusal> {
    use c::reduce;
    let Reduce {
        op,
        data_cookie,
        commutative,
        ..
    } = parameters;
    let root = call.root(parameters.root)?;
    let is_root = call.rank == root;
    let (operands, buffer) = if is_root {
        let (operands, ends) = ends!(call, parameters, parameters.rtypecount);
        (operands, ends.filled()?)
    } else {
        let (stype, count) = (parameters.stype, parameters.stypecount);
        let own = call.filled(stype, parameters.sndbuf, count, "sndbuf")?;
        (Operands::of(stype)?, own)
    };
    let reducer = operands.reducer(op, data_cookie, commutative != 0)?;
    let choice = call.choice(commutes(&reducer))?;
    whole(&reducer, buffer.bytes())?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.gathered(is_root);
        run!(choice, reduce or reduce_with(exchange, &reducer, root, bytes))?;
        if is_root {
            buffer.finish();
        }
        Ok(())
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
    let (operands, ends) = ends!(call, parameters, parameters.rtypecount);
    let reducer = operands.reducer(parameters.op, parameters.data_cookie, false)?;
    let choice = call.choice(commutes(&reducer))?;
    whole(&reducer, ends.result.bytes())?;
    if parameters.exclusive != 0 {
        return exclusive_scan(call, reducer, choice.and_then(exclusively), ends);
    }
    let buffer = ends.filled()?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.write();
        run!(choice, scan or scan_with(exchange, &reducer, bytes))?;
        buffer.finish();
        Ok(())
    };
    call.start(body);
    Ok(())
}

fn exclusive_scan(
    call: Call,
    reducer: Reducer,
    choice: Option<c::combining::exscan::Algorithm>,
    ends: Ends,
) -> Result<(), Refusal> {
    let Ends { mut result, own } = ends;
    let mut own = if let Some(own) = own {
        same(own.bytes(), result.bytes())?;
        Scratch::copy_of(own.read())?
    } else {
        result = result.filled();
        Scratch::copy_of(result.read())?
    };
    let has_result = call.rank > 0;
    let body = async move |exchange: &Exchanging<'_>| {
        run!(choice, exscan or exscan_with(exchange, &reducer, &mut own))?;
        if has_result {
            let mut result = result;
            result.write().copy_from_slice(&own);
            result.finish();
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
        rtype,
        rcvbuf,
        rcounts,
        op,
        data_cookie,
        commutative,
        ..
    } = parameters;
    let argument = "rcounts";
    let counts = (rcounts.get(call.size())).ok_or(Refusal::Null { argument })?;
    let layout = Layout::packed(rtype, call.size(), rcounts)?;
    let (operands, ends) = ends!(call, parameters, counts[call.rank]);
    let reducer = operands.reducer(op, data_cookie, commutative != 0)?;
    let choice = call.choice(commutes(&reducer))?;
    for rank in 0..call.size() {
        whole(&reducer, layout.bytes(rank))?;
    }
    let sent = if let Some(own) = ends.own {
        same(own.bytes(), layout.extent()?)?;
        own
    } else {
        let add = |all: usize, count: &usize| all.checked_add(*count);
        let all = counts.iter().try_fold(0, add).ok_or(Refusal::Count)?;
        call.filled(rtype, rcvbuf, all, "rcvbuf")?
    };
    let input = Outgoing::new(Some(sent), &ends.result)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut output = ends.result;
        let (input, bytes) = (input.read(), output.write());
        let blocks = layout.blocks();
        run!(choice, reduce_scatter or reduce_scatter_with(exchange, &reducer, blocks, input, bytes))?;
        output.finish();
        Ok(())
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
