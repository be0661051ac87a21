//! Where the bytes of an active message go, and what happens when all have come.
//!
//! Before: a handler has said where ([`Receive`]). After: its completion has been called, and an origin that waits knows.

use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;

use crate::active::dispatch::Status;
use crate::active::send::nonsense;
use crate::active::state::memory::Memory;
use crate::active::state::operation::Receipt;
use crate::active::{Receive, TransferError};
use crate::context::Context;
use crate::protocol::kind;

/// Takes the data of a message of one packet, from the packet's byte `from` on, to where its
/// handler wants it.
pub(in crate::active) fn take(
    context: &Context,
    origin: u32,
    packet: &Packet<'_>,
    acknowledge: Option<u64>,
    from: usize,
    receive: Receive,
) -> Result<(), UnitError> {
    let total = packet.bytes() - from;
    let mut receipt = receipt(origin, acknowledge, total, receive);
    land(&mut receipt, packet, from);
    context.received_active(receipt)
}

pub(in crate::active) fn receipt(
    origin: u32,
    acknowledge: Option<u64>,
    total: usize,
    receive: Receive,
) -> Receipt<Context> {
    Receipt {
        origin: origin as usize,
        memory: receive.memory,
        room: receive.room,
        at: 0,
        total,
        done: receive.done,
        status: receive.status,
        acknowledge,
    }
}

/// A receipt whose message goes to memory of its own, which whoever has the receipt keeps until the message is whole.
pub(in crate::active) fn kept(origin: u32, total: usize) -> (Receipt<Context>, Vec<u8>) {
    let mut data = vec![0; total];
    // SAFETY: a vector's bytes stay where they are, and this one is kept as long as the receipt.
    let receive = unsafe { Receive::into(data.as_mut_ptr(), total) };
    let mut receipt = receipt(origin, None, total, receive);
    receipt.status = Status::NotYet;
    (receipt, data)
}

/// Copies all data of a message to where it goes.
pub(in crate::active) fn land_all(receipt: &mut Receipt<Context>, data: &[u8]) {
    let landed = &data[..data.len().min(receipt.room)];
    // SAFETY: the handler vouched for as many bytes as it has room for.
    unsafe { receipt.memory.take(0, landed) };
    receipt.at = data.len();
}

/// Where the next bytes of a message go.
pub(in crate::active) struct Landing {
    pub(in crate::active) memory: Memory,
    pub(in crate::active) at: usize,
    pub(in crate::active) bytes: usize,
}

impl Landing {
    /// Of a packet's bytes from its byte `from` on, which count as come.
    pub(in crate::active) fn of(
        receipt: &mut Receipt<Context>,
        packet: &Packet<'_>,
        from: usize,
    ) -> Self {
        let came = packet.bytes().saturating_sub(from);
        let at = receipt.at;
        receipt.at += came;
        Self {
            memory: receipt.memory.clone(),
            at,
            bytes: came.min(receipt.room.saturating_sub(at)),
        }
    }

    pub(in crate::active) fn land(&self, packet: &Packet<'_>, from: usize) {
        // SAFETY: at + bytes is at most the room, which the handler vouched for.
        unsafe { self.memory.land(self.at, packet, from, self.bytes) };
    }
}

/// Copies a packet's bytes from its byte `from` on to where the message goes.
pub(in crate::active) fn land(receipt: &mut Receipt<Context>, packet: &Packet<'_>, from: usize) {
    Landing::of(receipt, packet, from).land(packet, from);
}

impl Context {
    /// All data of a message has come.
    pub(in crate::active) fn received_active(
        &self,
        receipt: Receipt<Context>,
    ) -> Result<(), UnitError> {
        let Receipt {
            origin,
            room,
            total,
            done,
            status,
            acknowledge,
            ..
        } = receipt;
        let cut = done.is_some() && total > room && status == Status::Good && room > 0;
        self.complete(
            done,
            if cut {
                Err(TransferError::Truncated { bytes: total, room })
            } else {
                Ok(())
            },
        );
        match acknowledge {
            Some(word) => self.control(origin, kind::ACTIVE_DONE, status.field(), word, &[]),
            None if status == Status::NotYet => self.early_is_whole(origin),
            None if status == Status::NoHandler => Err(nonsense(
                origin,
                "its handler knows of nothing that it could be for",
            )),
            None => Ok(()),
        }
    }
}
