//! Operations that move data, one length for all members.
//!
//! Before: [`super::start()`]. After: the algorithms of `pamir_transport::collective`, which
//! want a member's own block where it goes: it is copied there first, unless it is there
//! (`PAMI_IN_PLACE`). Data of types that leave gaps is packed and unpacked around them ([`super::buffer`]).

use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::collective::{
    self as c, FromRoot, ToRoot, allgather_with, alltoall_with, broadcast_with, gather_with,
    scatter_with,
};

use crate::collective::buffer::Buffer;
use crate::collective::call::{Call, Exchanging, run};
use crate::collective::elements::bytes_of;
use crate::refusal::Refusal;
use crate::structures::collective::{Alltoall, Broadcast, Gather};

/// Elements of all blocks.
fn all(call: &Call, block: usize) -> Result<usize, Refusal> {
    block.checked_mul(call.size()).ok_or(Refusal::Count)
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
    use c::broadcast;
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let Broadcast { type_, buf, .. } = parameters;
    let buffer = call.buffer(type_, buf, parameters.typecount, "buf")?;
    let buffer = if is_root { buffer.filled() } else { buffer };
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.write();
        run!(choice, broadcast or broadcast_with(exchange, root, bytes))?;
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
pub fn allgather(call: Call, parameters: Alltoall) -> Result<(), Refusal> {
    use c::allgather;
    let choice = call.choice(true)?;
    let (rtype, count) = (parameters.rtype, parameters.rtypecount);
    let block = bytes_of(rtype, count)?;
    let mut buffer = call.buffer(rtype, parameters.rcvbuf, all(&call, count)?, "rcvbuf")?;
    if parameters.sndbuf.is_in_place() {
        buffer = buffer.filled();
    } else {
        let Alltoall { stype, sndbuf, .. } = parameters;
        let own = call.filled(stype, sndbuf, parameters.stypecount, "sndbuf")?;
        same(own.bytes(), block)?;
        buffer.copy(call.rank * block, &own, 0, block);
    }
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.write();
        run!(choice, allgather or allgather_with(exchange, bytes))?;
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
pub fn gather(call: Call, parameters: Gather) -> Result<(), Refusal> {
    use c::gather;
    let (choice, root) = (call.choice(true)?, call.root(parameters.root)?);
    let is_root = call.rank == root;
    let Gather { stype, sndbuf, .. } = parameters;
    let own = || call.filled(stype, sndbuf, parameters.stypecount, "sndbuf");
    let buffer = if is_root {
        let (rtype, count) = (parameters.rtype, parameters.rtypecount);
        let block = bytes_of(rtype, count)?;
        let mut buffer = call.buffer(rtype, parameters.rcvbuf, all(&call, count)?, "rcvbuf")?;
        if sndbuf.is_in_place() {
            buffer = buffer.filled();
        } else {
            let own = own()?;
            same(own.bytes(), block)?;
            buffer.copy(root * block, &own, 0, block);
        }
        buffer
    } else {
        own()?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.gathered(is_root);
        run!(choice, gather or gather_with(exchange, root, bytes))?;
        if is_root {
            buffer.finish();
        }
        Ok(())
    };
    call.start(body);
    Ok(())
}

impl Buffer {
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
    let Gather { rtype, rcvbuf, .. } = parameters;
    let own = || call.buffer(rtype, rcvbuf, parameters.rtypecount, "rcvbuf");
    let buffer = if is_root {
        let (stype, count) = (parameters.stype, parameters.stypecount);
        let block = bytes_of(stype, count)?;
        let buffer = call.filled(stype, parameters.sndbuf, all(&call, count)?, "sndbuf")?;
        if !rcvbuf.is_in_place() {
            let mut own = own()?;
            same(block, own.bytes())?;
            own.copy(0, &buffer, root * block, block);
            own.finish();
        }
        buffer
    } else {
        own()?
    };
    let body = async move |exchange: &Exchanging<'_>| {
        let mut buffer = buffer;
        let bytes = buffer.scattered(is_root);
        run!(choice, scatter or scatter_with(exchange, root, bytes))?;
        if !is_root {
            buffer.finish();
        }
        Ok(())
    };
    call.start(body);
    Ok(())
}

/// What is sent: the buffer's bytes, or a copy where the result overwrites them.
pub enum Outgoing {
    /// As they are.
    Apart(Buffer),
    /// Copied.
    Copied(Scratch),
}

impl Outgoing {
    /// What `sent` holds, or `incoming` if the data is in place; both hold it already.
    ///
    /// # Errors
    ///
    /// Without memory for a copy.
    pub fn new(sent: Option<Buffer>, incoming: &Buffer) -> Result<Self, Refusal> {
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
            Self::Apart(buffer) => buffer.read(),
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
    let (rtype, count) = (parameters.rtype, all(&call, parameters.rtypecount)?);
    let mut incoming = call.buffer(rtype, parameters.rcvbuf, count, "rcvbuf")?;
    let sent = if parameters.sndbuf.is_in_place() {
        incoming = incoming.filled();
        None
    } else {
        let (stype, count) = (parameters.stype, all(&call, parameters.stypecount)?);
        let sent = call.filled(stype, parameters.sndbuf, count, "sndbuf")?;
        same(sent.bytes(), incoming.bytes())?;
        Some(sent)
    };
    let outgoing = Outgoing::new(sent, &incoming)?;
    let body = async move |exchange: &Exchanging<'_>| {
        let mut incoming = incoming;
        let (outgoing, bytes) = (outgoing.read(), incoming.write());
        run!(choice, alltoall or alltoall_with(exchange, outgoing, bytes))?;
        incoming.finish();
        Ok(())
    };
    call.start(body);
    Ok(())
}
