//! Operations that move data, one length for all members.
//!
//! Before: [`super::start()`]. After: the algorithms of `pamir_transport::collective`, which
//! want a member's own block where it goes: it is copied there first, unless it is there
//! (`PAMI_IN_PLACE`).

use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::collective::{
    self as c, FromRoot, ToRoot, allgather_with, alltoall_with, broadcast_with, gather_with,
    scatter_with,
};

use crate::collective::call::{Call, Exchanging, run};
use crate::collective::span::{Span, bytes_of, is_in_place};
use crate::refusal::Refusal;
use crate::structures::collective::{Alltoall, Broadcast, Gather};

/// Bytes of all blocks.
fn all(call: &Call, block_bytes: usize) -> Result<usize, Refusal> {
    block_bytes.checked_mul(call.size()).ok_or(Refusal::Count)
}

/// The lengths of what is sent and of where it goes must be one.
pub fn same(sent_bytes: usize, received_bytes: usize) -> Result<(), Refusal> {
    if sent_bytes == received_bytes {
        return Ok(());
    }
    Err(Refusal::Lengths {
        sent_bytes,
        received_bytes,
    })
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn broadcast(call: Call, parameters: Broadcast) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let bytes = bytes_of(parameters.type_, parameters.typecount)?;
    let buffer = Span::new(parameters.buf, bytes, "buf")?;
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.write() };
        run!(choice, broadcast or broadcast_with(exchange, root, buffer))
    };
    use c::broadcast;
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn allgather(call: Call, parameters: Alltoall) -> Result<(), Refusal> {
    use c::allgather;
    let choice = call.choice(true)?;
    let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let buffer = Span::new(parameters.rcvbuf, all(&call, block)?, "rcvbuf")?;
    if !is_in_place(parameters.sndbuf) {
        same(bytes_of(parameters.stype, parameters.stypecount)?, block)?;
        let own = Span::new(parameters.sndbuf, block, "sndbuf")?;
        // SAFETY: the caller vouches for both buffers.
        unsafe { buffer.part(call.rank, block).copy_from(own) };
    }
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.write() };
        run!(choice, allgather or allgather_with(exchange, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn gather(call: Call, parameters: Gather) -> Result<(), Refusal> {
    use c::gather;
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let buffer = if is_root {
        let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
        let buffer = Span::new(parameters.rcvbuf, all(&call, block)?, "rcvbuf")?;
        if !is_in_place(parameters.sndbuf) {
            same(bytes_of(parameters.stype, parameters.stypecount)?, block)?;
            let own = Span::new(parameters.sndbuf, block, "sndbuf")?;
            // SAFETY: the caller vouches for both buffers.
            unsafe { buffer.part(root, block).copy_from(own) };
        }
        buffer
    } else {
        let block = bytes_of(parameters.stype, parameters.stypecount)?;
        Span::new(parameters.sndbuf, block, "sndbuf")?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.gathered(is_root) };
        run!(choice, gather or gather_with(exchange, root, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

impl Span {
    /// The buffer of the root, or of another member that sends to it.
    ///
    /// # Safety
    ///
    /// As for [`Span::write`].
    pub unsafe fn gathered<'a>(self, is_root: bool) -> ToRoot<'a> {
        if is_root {
            // SAFETY: as the caller vouches.
            ToRoot::Root(unsafe { self.write() })
        } else {
            // SAFETY: as the caller vouches.
            ToRoot::Member(unsafe { self.read() })
        }
    }

    /// The buffer of the root, or of another member that receives from it.
    ///
    /// # Safety
    ///
    /// As for [`Span::write`].
    pub unsafe fn scattered<'a>(self, is_root: bool) -> FromRoot<'a> {
        if is_root {
            // SAFETY: as the caller vouches.
            FromRoot::Root(unsafe { self.read() })
        } else {
            // SAFETY: as the caller vouches.
            FromRoot::Member(unsafe { self.write() })
        }
    }
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn scatter(call: Call, parameters: Gather) -> Result<(), Refusal> {
    use c::scatter;
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let buffer = if is_root {
        let block = bytes_of(parameters.stype, parameters.stypecount)?;
        let buffer = Span::new(parameters.sndbuf, all(&call, block)?, "sndbuf")?;
        if !is_in_place(parameters.rcvbuf) {
            same(block, bytes_of(parameters.rtype, parameters.rtypecount)?)?;
            let own = Span::new(parameters.rcvbuf, block, "rcvbuf")?;
            // SAFETY: the caller vouches for both buffers.
            unsafe { own.copy_from(buffer.part(root, block)) };
        }
        buffer
    } else {
        let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
        Span::new(parameters.rcvbuf, block, "rcvbuf")?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let buffer = unsafe { buffer.scattered(is_root) };
        run!(choice, scatter or scatter_with(exchange, root, buffer))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}

/// What is sent: the program's bytes, or a copy where the result overwrites them.
pub enum Outgoing {
    /// As they are.
    Apart(Span),
    /// Copied.
    Copied(Scratch),
}

impl Outgoing {
    /// What `sent` holds, or `incoming` if the data is in place.
    ///
    /// # Safety
    ///
    /// Both are readable.
    pub unsafe fn new(sent: Span, incoming: Span) -> Result<Self, Refusal> {
        if sent.overlaps(incoming) {
            // SAFETY: as the caller vouches.
            return Ok(Self::Copied(Scratch::copy_of(unsafe { sent.read() })?));
        }
        Ok(Self::Apart(sent))
    }

    /// The bytes.
    ///
    /// # Safety
    ///
    /// As for [`Span::read`].
    pub unsafe fn read(&self) -> &[u8] {
        match self {
            // SAFETY: as the caller vouches.
            Self::Apart(span) => unsafe { span.read() },
            Self::Copied(bytes) => bytes,
        }
    }
}

/// # Safety
///
/// As for [`super::start()`].
pub unsafe fn alltoall(call: Call, parameters: Alltoall) -> Result<(), Refusal> {
    use c::alltoall;
    let choice = call.choice(true)?;
    let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let incoming = Span::new(parameters.rcvbuf, all(&call, block)?, "rcvbuf")?;
    let sent = if is_in_place(parameters.sndbuf) {
        incoming
    } else {
        same(bytes_of(parameters.stype, parameters.stypecount)?, block)?;
        Span::new(parameters.sndbuf, incoming.bytes(), "sndbuf")?
    };
    // SAFETY: the caller vouches for both buffers.
    let outgoing = unsafe { Outgoing::new(sent, incoming)? };
    let body = async move |exchange: &Exchanging<'_>| {
        // SAFETY: the operation is under way.
        let (outgoing, incoming) = unsafe { (outgoing.read(), incoming.write()) };
        run!(choice, alltoall or alltoall_with(exchange, outgoing, incoming))
    };
    // SAFETY: as the caller vouches.
    unsafe { call.start(body) };
    Ok(())
}
