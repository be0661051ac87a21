//! Operations that move blocks of any lengths.
//!
//! Before: [`super::start()`], with lists of `size_t` or of `int`. After: the algorithms of
//! `pamir_transport::collective`. As in [`super::moving`], a member's own block is copied to where
//! it goes first.

use pamir_transport::collective::{
    Blocks, allgatherv, allgatherv_with, alltoallv, alltoallv_with, gatherv, gatherv_with,
    scatterv, scatterv_with,
};

use crate::collective::call::{Call, Exchanging, run};
use crate::collective::lists::{Layout, Width, bytes_of};
use crate::collective::moving::{Outgoing, same};
use crate::edge::span::Span;
use crate::refusal::Refusal;
use crate::structures::collective::{Allgatherv, Alltoallv, Gatherv, Scatterv};

/// Blocks of a member that has no list: only the root's is read.
const UNKNOWN: Blocks<'static> = Blocks::Uniform { bytes: 0 };

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn allgather(call: Call, width: Width, parameters: Allgatherv) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
    let layout = Layout::new(width, parameters.rtype, call.size(), counts, displacements)?;
    let buffer = Span::new(parameters.rcvbuf, layout.extent()?, "rcvbuf")?;
    if !parameters.sndbuf.is_in_place() {
        let sent = bytes_of(parameters.stype, width.number(parameters.stypecount)?)?;
        same(sent, layout.bytes(call.rank))?;
        let own = Span::new(parameters.sndbuf, sent, "sndbuf")?;
        layout.block(&buffer, call.rank).copy_from(&own);
    }
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.write();
        run!(choice, allgatherv or allgatherv_with(exchange, layout.blocks(), buffer))
    };
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn gather(call: Call, width: Width, parameters: Gatherv) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let sent = || bytes_of(parameters.stype, width.number(parameters.stypecount)?);
    let (layout, buffer) = if is_root {
        let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
        let layout = Layout::new(width, parameters.rtype, call.size(), counts, displacements)?;
        let buffer = Span::new(parameters.rcvbuf, layout.extent()?, "rcvbuf")?;
        if !parameters.sndbuf.is_in_place() {
            same(sent()?, layout.bytes(root))?;
            let own = Span::new(parameters.sndbuf, sent()?, "sndbuf")?;
            layout.block(&buffer, root).copy_from(&own);
        }
        (Some(layout), buffer)
    } else {
        (None, Span::new(parameters.sndbuf, sent()?, "sndbuf")?)
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let blocks = layout.as_ref().map_or(UNKNOWN, Layout::blocks);
        let mut buffer = buffer;
        let buffer = buffer.gathered(is_root);
        run!(choice, gatherv or gatherv_with(exchange, root, blocks, buffer))
    };
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn scatter(call: Call, width: Width, parameters: Scatterv) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let received = || bytes_of(parameters.rtype, width.number(parameters.rtypecount)?);
    let (layout, buffer) = if is_root {
        let (counts, displacements) = (parameters.stypecounts, parameters.sdispls);
        let layout = Layout::new(width, parameters.stype, call.size(), counts, displacements)?;
        let buffer = Span::new(parameters.sndbuf, layout.extent()?, "sndbuf")?;
        if !parameters.rcvbuf.is_in_place() {
            same(layout.bytes(root), received()?)?;
            let own = Span::new(parameters.rcvbuf, received()?, "rcvbuf")?;
            own.copy_from(&layout.block(&buffer, root));
        }
        (Some(layout), buffer)
    } else {
        (None, Span::new(parameters.rcvbuf, received()?, "rcvbuf")?)
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let blocks = layout.as_ref().map_or(UNKNOWN, Layout::blocks);
        let mut buffer = buffer;
        let buffer = buffer.scattered(is_root);
        run!(choice, scatterv or scatterv_with(exchange, root, blocks, buffer))
    };
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn alltoall(call: Call, width: Width, parameters: Alltoallv) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
    let received = Layout::new(width, parameters.rtype, call.size(), counts, displacements)?;
    let incoming = Span::new(parameters.rcvbuf, received.extent()?, "rcvbuf")?;
    let (from, sent) = if parameters.sndbuf.is_in_place() {
        (None, None)
    } else {
        let (counts, displacements) = (parameters.stypecounts, parameters.sdispls);
        let sent = Layout::new(width, parameters.stype, call.size(), counts, displacements)?;
        same(sent.bytes(call.rank), received.bytes(call.rank))?;
        let from = Span::new(parameters.sndbuf, sent.extent()?, "sndbuf")?;
        (Some(from), Some(sent))
    };
    let outgoing = Outgoing::new(from, &incoming)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let sent = sent.as_ref().unwrap_or(&received).blocks();
        let mut incoming = incoming;
        let (outgoing, incoming) = (outgoing.read(), incoming.write());
        let received = received.blocks();
        run!(choice, alltoallv or alltoallv_with(exchange, sent, outgoing, received, incoming))
    };
    call.start(body);
    Ok(())
}
