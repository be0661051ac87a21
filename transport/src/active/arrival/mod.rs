//! Handling the packets of active messages.
//!
//! Before: the driver's reception FIFO has looked the packet's kind up. After: the handler has
//! been called, the data is where it said, and its completion has been called.
//!
//! | state of an origin's lane | packet                             | becomes |
//! |---------------------------|------------------------------------|---------|
//! | nothing is coming         | `ACTIVE_LONG`, `ACTIVE_DATA_LONG`  | a receipt is coming |
//! | a receipt is coming       | `ACTIVE_CONTINUATION`              | the same; nothing after the last |
//!
//! Any other combination is a packet that makes no sense, and an error. `landing.rs` has where the bytes go, `early.rs`
//! what nobody takes yet.

pub(in crate::active) mod early;
pub(in crate::active) mod landing;

use pamir_driver::memory::kernel_copy;
use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::{Packet, PacketHandlerTable};

use early::Begun;
use landing::{Landing, land, receipt, take};

use crate::active::dispatch::{Arrival, DISPATCH_IDS, Status};
use crate::active::send::{ACKNOWLEDGE, BY_KERNEL, IN_PACKETS, nonsense};
use crate::active::state::operation::Receipt;
use crate::active::{Operation, Receive, line};
use crate::context::Context;
use crate::one_sided;
use crate::protocol::kind;

/// Enters the handlers of active messages into the packet handler table.
pub(crate) fn register(handlers: &PacketHandlerTable<Context>) {
    handlers.set(kind::ACTIVE, active);
    handlers.set(kind::ACTIVE_LONG, active_long);
    handlers.set(kind::ACTIVE_CONTINUATION, continuation);
    handlers.set(kind::ACTIVE_REQUEST, request);
    handlers.set(kind::ACTIVE_CLEAR, clear);
    handlers.set(kind::ACTIVE_DATA, data);
    handlers.set(kind::ACTIVE_DATA_LONG, data_long);
    handlers.set(kind::ACTIVE_DONE, done);
    handlers.set(kind::PUT_ARRIVED, put_arrived);
}

/// The parts of a message's first packet.
#[derive(Clone, Copy)]
struct Parts {
    acknowledge: Option<u64>,
    header_bytes: usize,
    /// Where header and data start.
    start: usize,
}

impl Parts {
    fn of(packet: &Packet<'_>, origin: u32, at: usize) -> Result<Self, UnitError> {
        let metadata = packet.word(0);
        let waits = metadata & ACKNOWLEDGE != 0;
        let parts = Self {
            acknowledge: waits.then(|| packet.word(at)),
            header_bytes: usize::from(metadata as u16),
            start: if waits { at + 8 } else { at },
        };
        if parts.start + parts.header_bytes > packet.bytes() {
            return Err(nonsense(
                origin as usize,
                "its header is longer than itself",
            ));
        }
        Ok(parts)
    }
}

fn active(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    if let Some(header_bytes) = line::header_bytes(&packet) {
        return line::arrived(context, origin, &packet, header_bytes);
    }
    let parts = Parts::of(&packet, origin, packet.data_at(8))?;
    context.with_copy(&packet, parts.start, packet.bytes(), |bytes| {
        let (header, data) = bytes.split_at(parts.header_bytes);
        let dispatch = packet.auxiliary();
        let total = data.len();
        let receive = context.dispatch(origin, dispatch, header, Some(data), total);
        if receive.is_over() && parts.acknowledge.is_none() {
            return Ok(());
        }
        if receive.status == Status::NotYet {
            let ids = (origin, dispatch);
            return context.keep_early(ids, (header, data), parts.acknowledge);
        }
        let from = parts.start + parts.header_bytes;
        take(context, origin, &packet, parts.acknowledge, from, receive)
    })
}

fn active_long(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let parts = Parts::of(&packet, origin, packet.data_at(16))?;
    let body = (packet.word(8) as usize).checked_sub(parts.start - packet.data_at(16));
    let Some(total) = body.and_then(|body| body.checked_sub(parts.header_bytes)) else {
        return Err(nonsense(
            origin as usize,
            "its header is longer than its message",
        ));
    };
    let from = parts.start + parts.header_bytes;
    let dispatch = packet.auxiliary();
    context.with_copy(&packet, parts.start, from, |header| {
        let receive = context.dispatch(origin, dispatch, header, None, total);
        if receive.status == Status::NotYet {
            let begun = Begun {
                packet: &packet,
                from,
                total,
            };
            return context.begin_early((origin, dispatch), header, begun, parts.acknowledge);
        }
        let receipt = receipt(origin, parts.acknowledge, total, receive);
        context.begin(origin, receipt, &packet, from)
    })
}

fn request(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let at = packet.data_at(8);
    let [word, total, address] = [0, 8, 16].map(|word| packet.word(at + word));
    let (metadata, total) = (packet.word(0), total as usize);
    let end = at + 24 + usize::from(metadata as u16);
    if end > packet.bytes() {
        return Err(nonsense(
            origin as usize,
            "its header is longer than itself",
        ));
    }
    let dispatch = packet.auxiliary();
    context.with_copy(&packet, at + 24, end, |header| {
        let receive = context.dispatch(origin, dispatch, header, None, total);
        if receive.status == Status::NotYet {
            let asked = (word, total, address, metadata);
            return context.keep_asked((origin, dispatch), header, asked);
        }
        let receipt = receipt(origin, Some(word), total, receive);
        context.fetch_active(receipt, address, metadata)
    })
}

fn clear(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let receipt = packet.word(packet.data_at(8));
    context.send_active_data(packet.word(0), origin as usize, receipt)
}

fn data(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let mut receipt = context.take_receipt(packet.word(0), origin)?;
    land(&mut receipt, &packet, packet.data_at(8));
    context.received_active(receipt)
}

fn data_long(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let receipt = context.take_receipt(packet.word(0), origin)?;
    context.begin(origin, receipt, &packet, packet.data_at(16))
}

fn continuation(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let incoming = &context.active.incoming[origin as usize];
    let coming = context
        .active
        .operations
        .with(incoming.get(), |operation| match operation {
            Operation::Receive(receipt) => {
                let landing = Landing::of(receipt, &packet, packet.data_at(0));
                Some((landing, receipt.at >= receipt.total))
            }
            _ => None,
        });
    let Some(Some((landing, all))) = coming else {
        return Err(nonsense(origin as usize, "it continues no active message"));
    };
    landing.land(&packet, packet.data_at(0));
    if all {
        let receipt = context.take_receipt(incoming.replace(0), origin)?;
        context.received_active(receipt)?;
    }
    Ok(())
}

fn done(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    context.acknowledged(packet.word(0), origin as usize, packet.auxiliary());
    Ok(())
}

/// A put's data has come without this task's doing; its origin wants a handler to know.
fn put_arrived(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let [word, address, bytes] = [0, 8, 16].map(|at| packet.word(at));
    context.notify(origin, packet.auxiliary(), word, address, bytes)
}

impl Context {
    /// Copies the bytes `start..end` of a packet out of its origin's reach, for `look`.
    fn with_copy<T>(
        &self,
        packet: &Packet<'_>,
        start: usize,
        end: usize,
        look: impl FnOnce(&[u8]) -> T,
    ) -> T {
        let mut copy = self.active.scratch.take();
        let bytes = end - start;
        copy.clear();
        copy.reserve(bytes);
        // SAFETY: the vector has the room; the callers have seen that the packet has the bytes,
        // so that all of them are written before the length says so.
        unsafe {
            packet.copy_to(start, copy.as_mut_ptr(), bytes);
            copy.set_len(bytes);
        }
        let result = look(&copy);
        self.active.scratch.set(copy);
        result
    }

    /// Calls the handler of a dispatch id.
    pub(crate) fn dispatch(
        &self,
        origin: u32,
        dispatch: u16,
        header: &[u8],
        data: Option<&[u8]>,
        bytes: usize,
    ) -> Receive {
        let arrival = Arrival {
            origin: self.active.endpoint(origin),
            header,
            data,
            bytes,
        };
        if dispatch >= DISPATCH_IDS {
            return one_sided::dispatch(self, dispatch, arrival);
        }
        match self.active.table.get(dispatch) {
            Some(handler) => handler(self, arrival),
            None => Receive::not_yet(),
        }
    }

    /// Gets the data of a message that has asked, and whose receipt names its operation: by the kernel, or by asking
    /// for it.
    fn fetch_active(
        &self,
        mut receipt: Receipt<Context>,
        address: u64,
        metadata: u64,
    ) -> Result<(), UnitError> {
        if receipt.room == 0 || self.copy_active(&receipt, address, metadata) {
            return self.received_active(receipt);
        }
        let (origin, word) = (receipt.origin, receipt.acknowledge.unwrap_or(0));
        if metadata & ACKNOWLEDGE == 0 {
            receipt.acknowledge = None;
        }
        let receipt = self.active.operations.start(Operation::Receive(receipt));
        let payload = receipt.to_ne_bytes();
        self.control(origin, kind::ACTIVE_CLEAR, 0, word, &payload)
    }

    /// The first packet of a message of several has come.
    fn begin(
        &self,
        origin: u32,
        mut receipt: Receipt<Context>,
        packet: &Packet<'_>,
        from: usize,
    ) -> Result<(), UnitError> {
        land(&mut receipt, packet, from);
        if receipt.at >= receipt.total {
            return self.received_active(receipt);
        }
        let word = self.active.operations.start(Operation::Receive(receipt));
        self.active.incoming[origin as usize].set(word);
        Ok(())
    }

    fn take_receipt(&self, word: u64, origin: u32) -> Result<Receipt<Context>, UnitError> {
        let own = self.active.operations.with(word, |operation| {
            matches!(operation, Operation::Receive(receipt) if receipt.origin == origin as usize)
        });
        match own.and_then(|own| own.then(|| self.active.operations.take(word))) {
            Some(Some(Operation::Receive(receipt))) => Ok(receipt),
            _ => Err(nonsense(origin as usize, "its data is for no message")),
        }
    }

    /// Lets the kernel copy the data of a message, where that is better than packets: see
    /// [`Context::fetch`] for the reason.
    fn copy_active(&self, receipt: &Receipt<Context>, address: u64, metadata: u64) -> bool {
        let packets = !self.unit.is_oversubscribed() || metadata & IN_PACKETS != 0;
        if packets && metadata & BY_KERNEL == 0 || !self.copies_with(receipt.origin) {
            return false;
        }
        if !receipt.memory.is_contiguous() {
            return false;
        }
        let process = self.unit.job().process(receipt.origin).unwrap_or(0);
        let bytes = receipt.total.min(receipt.room);
        // SAFETY: the handler vouched for the room.
        let copied =
            unsafe { kernel_copy::read(process, receipt.memory.address(), address, bytes) };
        self.kernel_refuses.set(copied.is_err());
        copied.is_ok()
    }
}
