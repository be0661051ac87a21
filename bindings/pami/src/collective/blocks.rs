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
use crate::collective::moving::{Outgoing, same};
use crate::collective::span::{Layout, Span, Width, bytes_of, is_in_place};
use crate::refusal::Refusal;
use crate::structures::collective::{Allgatherv, Alltoallv, Gatherv, Scatterv};

/// Blocks of a member that has no list: only the root's is read.
const UNKNOWN: Blocks<'static> = Blocks::Uniform { bytes: 0 };

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn allgather(call: Call, width: Width, parameters: Allgatherv) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
    // SAFETY: the caller vouches for the lists.
    let layout =
        unsafe { Layout::new(width, parameters.rtype, call.size(), counts, displacements)? };
    let buffer = Span::new(parameters.rcvbuf, layout.extent()?, "rcvbuf")?;
    if !is_in_place(parameters.sndbuf) {
        let sent = bytes_of(parameters.stype, width.number(parameters.stypecount)?)?;
        same(sent, layout.bytes(call.rank))?;
        let own = Span::new(parameters.sndbuf, sent, "sndbuf")?;
        // SAFETY: the caller vouches for both buffers.
        unsafe { layout.block(buffer, call.rank).copy_from(own) };
    }
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.write() };
        run!(choice, allgatherv or allgatherv_with(exchange, layout.blocks(), buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn gather(call: Call, width: Width, parameters: Gatherv) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let sent = || bytes_of(parameters.stype, width.number(parameters.stypecount)?);
    let (layout, buffer) = if is_root {
        let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
        // SAFETY: the caller vouches for the lists.
        let layout =
            unsafe { Layout::new(width, parameters.rtype, call.size(), counts, displacements)? };
        let buffer = Span::new(parameters.rcvbuf, layout.extent()?, "rcvbuf")?;
        if !is_in_place(parameters.sndbuf) {
            same(sent()?, layout.bytes(root))?;
            let own = Span::new(parameters.sndbuf, sent()?, "sndbuf")?;
            // SAFETY: the caller vouches for both buffers.
            unsafe { layout.block(buffer, root).copy_from(own) };
        }
        (Some(layout), buffer)
    } else {
        (None, Span::new(parameters.sndbuf, sent()?, "sndbuf")?)
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let blocks = layout.as_ref().map_or(UNKNOWN, Layout::blocks);
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.gathered(is_root) };
        run!(choice, gatherv or gatherv_with(exchange, root, blocks, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn scatter(call: Call, width: Width, parameters: Scatterv) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let received = || bytes_of(parameters.rtype, width.number(parameters.rtypecount)?);
    let (layout, buffer) = if is_root {
        let (counts, displacements) = (parameters.stypecounts, parameters.sdispls);
        // SAFETY: the caller vouches for the lists.
        let layout =
            unsafe { Layout::new(width, parameters.stype, call.size(), counts, displacements)? };
        let buffer = Span::new(parameters.sndbuf, layout.extent()?, "sndbuf")?;
        if !is_in_place(parameters.rcvbuf) {
            same(layout.bytes(root), received()?)?;
            let own = Span::new(parameters.rcvbuf, received()?, "rcvbuf")?;
            // SAFETY: the caller vouches for both buffers.
            unsafe { own.copy_from(layout.block(buffer, root)) };
        }
        (Some(layout), buffer)
    } else {
        (None, Span::new(parameters.rcvbuf, received()?, "rcvbuf")?)
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let blocks = layout.as_ref().map_or(UNKNOWN, Layout::blocks);
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.scattered(is_root) };
        run!(choice, scatterv or scatterv_with(exchange, root, blocks, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn alltoall(call: Call, width: Width, parameters: Alltoallv) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    let (counts, displacements) = (parameters.rtypecounts, parameters.rdispls);
    // SAFETY: the caller vouches for the lists.
    let received =
        unsafe { Layout::new(width, parameters.rtype, call.size(), counts, displacements)? };
    let incoming = Span::new(parameters.rcvbuf, received.extent()?, "rcvbuf")?;
    let own = if is_in_place(parameters.sndbuf) {
        None
    } else {
        let (counts, displacements) = (parameters.stypecounts, parameters.sdispls);
        // SAFETY: the caller vouches for the lists.
        let sent =
            unsafe { Layout::new(width, parameters.stype, call.size(), counts, displacements)? };
        same(sent.bytes(call.rank), received.bytes(call.rank))?;
        Some((
            Span::new(parameters.sndbuf, sent.extent()?, "sndbuf")?,
            sent,
        ))
    };
    let from = own.as_ref().map_or(incoming, |(span, _)| *span);
    // SAFETY: the caller vouches for both buffers.
    let outgoing = unsafe { Outgoing::new(from, incoming)? };
    let body = async move |exchange: &Exchanging<'_>| {
        let sent = own
            .as_ref()
            .map_or(&received, |(_, layout)| layout)
            .blocks();
        // SAFETY: the operation is under way.
        let (outgoing, incoming) = unsafe { (outgoing.read(), incoming.write()) };
        let received = received.blocks();
        run!(choice, alltoallv or alltoallv_with(exchange, sent, outgoing, received, incoming))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}
