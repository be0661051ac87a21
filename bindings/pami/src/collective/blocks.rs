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
use crate::collective::lists::{Layout, Width};
use crate::collective::moving::{Outgoing, same};
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
    let layout = call.layout(width, parameters.rtype, counts, displacements)?;
    let mut buffer = layout.buffer(parameters.rcvbuf, "rcvbuf")?;
    if parameters.sndbuf.is_in_place() {
        buffer = buffer.filled();
    } else {
        let Allgatherv { stype, sndbuf, .. } = parameters;
        let count = width.number(parameters.stypecount)?;
        let own = call.filled(stype, sndbuf, count, "sndbuf")?;
        same(own.bytes(), layout.bytes(call.rank))?;
        buffer.copy(layout.start(call.rank), &own, 0, own.bytes());
    }
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.write();
        run!(choice, allgatherv or allgatherv_with(exchange, layout.blocks(), bytes))?;
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
pub fn gather(call: Call, width: Width, parameters: Gatherv) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let Gatherv { stype, sndbuf, .. } = parameters;
    let own = || {
        let count = width.number(parameters.stypecount)?;
        call.filled(stype, sndbuf, count, "sndbuf")
    };
    let (layout, buffer) = if is_root {
        let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
        let layout = call.layout(width, parameters.rtype, counts, displacements)?;
        let mut buffer = layout.buffer(parameters.rcvbuf, "rcvbuf")?;
        if sndbuf.is_in_place() {
            buffer = buffer.filled();
        } else {
            let own = own()?;
            same(own.bytes(), layout.bytes(root))?;
            buffer.copy(layout.start(root), &own, 0, own.bytes());
        }
        (Some(layout), buffer)
    } else {
        (None, own()?)
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let blocks = layout.as_ref().map_or(UNKNOWN, Layout::blocks);
        let mut buffer = buffer;
        let bytes = buffer.gathered(is_root);
        run!(choice, gatherv or gatherv_with(exchange, root, blocks, bytes))?;
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
pub fn scatter(call: Call, width: Width, parameters: Scatterv) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let Scatterv { rtype, rcvbuf, .. } = parameters;
    let own = || {
        call.buffer(
            rtype,
            rcvbuf,
            width.number(parameters.rtypecount)?,
            "rcvbuf",
        )
    };
    let (layout, buffer) = if is_root {
        let (counts, displacements) = (parameters.stypecounts, parameters.sdispls);
        let layout = call.layout(width, parameters.stype, counts, displacements)?;
        let buffer = layout.buffer(parameters.sndbuf, "sndbuf")?.filled();
        if !rcvbuf.is_in_place() {
            let mut own = own()?;
            same(layout.bytes(root), own.bytes())?;
            own.copy(0, &buffer, layout.start(root), layout.bytes(root));
            own.finish();
        }
        (Some(layout), buffer)
    } else {
        (None, own()?)
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let blocks = layout.as_ref().map_or(UNKNOWN, Layout::blocks);
        let mut buffer = buffer;
        let bytes = buffer.scattered(is_root);
        run!(choice, scatterv or scatterv_with(exchange, root, blocks, bytes))?;
        if !is_root {
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
pub fn alltoall(call: Call, width: Width, parameters: Alltoallv) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
    let received = call.layout(width, parameters.rtype, counts, displacements)?;
    let mut incoming = received.buffer(parameters.rcvbuf, "rcvbuf")?;
    let (from, sent) = if parameters.sndbuf.is_in_place() {
        incoming = incoming.filled();
        (None, None)
    } else {
        let (counts, displacements) = (parameters.stypecounts, parameters.sdispls);
        let sent = call.layout(width, parameters.stype, counts, displacements)?;
        same(sent.bytes(call.rank), received.bytes(call.rank))?;
        let from = sent.buffer(parameters.sndbuf, "sndbuf")?.filled();
        (Some(from), Some(sent))
    };
    let outgoing = Outgoing::new(from, &incoming)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let sent = sent.as_ref().unwrap_or(&received).blocks();
        let mut incoming = incoming;
        let (outgoing, bytes) = (outgoing.read(), incoming.write());
        let received = received.blocks();
        run!(choice, alltoallv or alltoallv_with(exchange, sent, outgoing, received, bytes))?;
        incoming.finish();
        Ok(())
    };
    call.start(body);
    Ok(())
}
