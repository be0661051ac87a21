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
use crate::collective::lists::bytes_of;
use crate::edge::span::Span;
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

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn broadcast(call: Call, parameters: Broadcast) -> Result<(), Refusal> {
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let bytes = bytes_of(parameters.type_, parameters.typecount)?;
    let buffer = Span::new(parameters.buf, bytes, "buf")?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.write();
        run!(choice, broadcast or broadcast_with(exchange, root, buffer))
    };
    use c::broadcast;
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn allgather(call: Call, parameters: Alltoall) -> Result<(), Refusal> {
    use c::allgather;
    let choice = call.choice(true)?;
    let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let buffer = Span::new(parameters.rcvbuf, all(&call, block)?, "rcvbuf")?;
    if !parameters.sndbuf.is_in_place() {
        same(bytes_of(parameters.stype, parameters.stypecount)?, block)?;
        let own = Span::new(parameters.sndbuf, block, "sndbuf")?;
        buffer.part(call.rank, block).copy_from(&own);
    }
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.write();
        run!(choice, allgather or allgather_with(exchange, buffer))
    };
    call.start(body);
    Ok(())
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn gather(call: Call, parameters: Gather) -> Result<(), Refusal> {
    use c::gather;
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let buffer = if is_root {
        let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
        let buffer = Span::new(parameters.rcvbuf, all(&call, block)?, "rcvbuf")?;
        if !parameters.sndbuf.is_in_place() {
            same(bytes_of(parameters.stype, parameters.stypecount)?, block)?;
            let own = Span::new(parameters.sndbuf, block, "sndbuf")?;
            buffer.part(root, block).copy_from(&own);
        }
        buffer
    } else {
        let block = bytes_of(parameters.stype, parameters.stypecount)?;
        Span::new(parameters.sndbuf, block, "sndbuf")?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.gathered(is_root);
        run!(choice, gather or gather_with(exchange, root, buffer))
    };
    call.start(body);
    Ok(())
}

impl Span {
    /// The buffer of the root, or of another member that sends to it.
    pub fn gathered(&mut self, is_root: bool) -> ToRoot<'_> {
        if is_root {
            ToRoot::Root(self.write())
        } else {
            ToRoot::Member(self.read())
        }
    }

    /// The buffer of the root, or of another member that receives from it.
    pub fn scattered(&mut self, is_root: bool) -> FromRoot<'_> {
        if is_root {
            FromRoot::Root(self.read())
        } else {
            FromRoot::Member(self.write())
        }
    }
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn scatter(call: Call, parameters: Gather) -> Result<(), Refusal> {
    use c::scatter;
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let buffer = if is_root {
        let block = bytes_of(parameters.stype, parameters.stypecount)?;
        let buffer = Span::new(parameters.sndbuf, all(&call, block)?, "sndbuf")?;
        if !parameters.rcvbuf.is_in_place() {
            same(block, bytes_of(parameters.rtype, parameters.rtypecount)?)?;
            let own = Span::new(parameters.rcvbuf, block, "rcvbuf")?;
            own.copy_from(&buffer.part(root, block));
        }
        buffer
    } else {
        let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
        Span::new(parameters.rcvbuf, block, "rcvbuf")?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let buffer = buffer.scattered(is_root);
        run!(choice, scatter or scatter_with(exchange, root, buffer))
    };
    call.start(body);
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
    /// # Errors
    ///
    /// Without memory for a copy.
    pub fn new(sent: Option<Span>, incoming: &Span) -> Result<Self, Refusal> {
        match sent {
            None => Ok(Self::Copied(Scratch::copy_of(incoming.read())?)),
            Some(sent) if sent.overlaps(incoming) => {
                Ok(Self::Copied(Scratch::copy_of(sent.read())?))
            }
            Some(sent) => Ok(Self::Apart(sent)),
        }
    }

    /// The bytes.
    pub fn read(&self) -> &[u8] {
        match self {
            Self::Apart(span) => span.read(),
            Self::Copied(bytes) => bytes,
        }
    }
}

/// Starts this operation of one member.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn alltoall(call: Call, parameters: Alltoall) -> Result<(), Refusal> {
    use c::alltoall;
    let choice = call.choice(true)?;
    let block = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let incoming = Span::new(parameters.rcvbuf, all(&call, block)?, "rcvbuf")?;
    let sent = if parameters.sndbuf.is_in_place() {
        None
    } else {
        same(bytes_of(parameters.stype, parameters.stypecount)?, block)?;
        Some(Span::new(parameters.sndbuf, incoming.bytes(), "sndbuf")?)
    };
    let outgoing = Outgoing::new(sent, &incoming)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut incoming = incoming;
        let (outgoing, incoming) = (outgoing.read(), incoming.write());
        run!(choice, alltoall or alltoall_with(exchange, outgoing, incoming))
    };
    call.start(body);
    Ok(())
}
