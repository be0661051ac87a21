//! Handling the packets of tagged messages at the target.
//!
//! Before: the driver's reception FIFO has looked the handler up. After: the bytes are in
//! the receive's buffer, or the message waits in the unexpected queue.
//!
//! A message of several packets is remembered for its origin ([`crate::tagged::state::incoming`]).

use pamir_driver::memory::kernel_copy;
use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::{Packet, PacketHandlerTable};

use crate::context::Context;
use crate::protocol::flags::{
    BUFFERABLE, BY_KERNEL, IN_ONE_PIECE, IN_PACKETS, IN_STRIPES, TOGETHER,
};
use crate::protocol::kind;
use crate::protocol::pace::Way;
use crate::protocol::trials::Timed;
use crate::striping::Offered;
use crate::tagged::buffer::{Buffer, Noncontiguous};
use crate::tagged::envelope::Envelope;
use crate::tagged::receive::arrived_line::deliver_line;
use crate::tagged::state::incoming::Incoming;
use crate::tagged::state::request::{Outcome, Request, RequestId, outcome};
use crate::tagged::state::unexpected_message::{Offer, Unexpected};
use crate::tagged::transfer::Matched;

/// Memory made ready at once for a message that nobody has asked for yet, in bytes.
const RESERVED_BYTES: usize = 1 << 20;

/// Bytes fetched at once into a buffer that is not contiguous.
const FETCH_BYTES: usize = 64 * 1024;

/// Enters the handlers of tagged messages into the packet handler table.
pub(crate) fn register(handlers: &PacketHandlerTable<Context>) {
    handlers.set(kind::EAGER, eager);
    handlers.set(kind::EAGER_LONG, eager_long);
    handlers.set(kind::EAGER_SYNCHRONOUS, eager_synchronous);
    handlers.set(kind::CONTINUATION, continuation);
    handlers.set(kind::REQUEST_TO_SEND, request_to_send);
    handlers.set(kind::CLEAR_TO_SEND, clear_to_send);
    handlers.set(kind::DATA, data);
    handlers.set(kind::DATA_LONG, data_long);
    handlers.set(kind::FINISHED, finished);
    handlers.set(kind::STRIPES_CLEAR, stripes_clear);
    handlers.set(kind::CLEAR_TO_COPY, clear_to_copy);
    handlers.set(kind::PUSHED, pushed);
    handlers.set(kind::PREFERENCE, preference);
}

/// The handler of kinds that nothing has been registered for.
pub(crate) fn unknown(_: &Context, rank: u32, _: Packet<'_>) -> Result<(), UnitError> {
    Err(UnitError::Packet {
        rank,
        reason: "no handler is registered for its kind",
    })
}

fn eager(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    if deliver_line(context, origin, packet) {
        return Ok(());
    }
    eager_packet(context, origin, packet)
}

/// All that is unusual about a packet of this kind. Not inlined, and the last thing that [`eager`] does: so that has fewer
/// registers to save.
#[inline(never)]
fn eager_packet(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let envelope = Envelope::from_metadata(packet.word(0), origin);
    let total = packet.data_bytes(8);
    let Some(request) = context.tagged.posted.take_receive(&envelope) else {
        context.keep(envelope, packet.to_vec(packet.data_at(8)), total, None);
        return Ok(());
    };
    let room = deliver(request, 0, packet, 8);
    let outcome = outcome(&envelope, total, room);
    context
        .tagged
        .requests
        .finish(request.id(), request, outcome);
    if packet.auxiliary() == 0 {
        return Ok(());
    }
    context.end_one_packet(origin, total, packet.auxiliary())
}

fn eager_synchronous(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let envelope = Envelope::from_metadata(packet.word(0), origin);
    // The origin's request comes before the message.
    let from = packet.data_at(8) + 8;
    let total = packet.bytes().saturating_sub(from);
    let sender = RequestId::from_word(packet.word(from - 8));
    match context.take_receive(&envelope) {
        Some((id, request)) => {
            deliver_from(request, 0, packet, from);
            context.received(id, request, total);
            context.control(origin as usize, kind::FINISHED, 0, sender.word(), &[])
        }
        None => {
            context.keep(envelope, packet.to_vec(from), total, Some(sender));
            Ok(())
        }
    }
}

fn eager_long(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let envelope = Envelope::from_metadata(packet.word(0), origin);
    let total = packet.word(8) as usize;
    context.check_eager(origin, total)?;
    let incoming = match context.take_receive(&envelope) {
        Some(receive) => {
            context.begin_message(origin, packet, receive, total);
            return Ok(());
        }
        None => {
            // More than that is only made room for as it comes.
            let mut data = Vec::with_capacity(total.min(RESERVED_BYTES));
            data.extend_from_slice(&packet.to_vec(packet.data_at(16)));
            let message = Unexpected::Data {
                data,
                total,
                synchronous: None,
            };
            let index = context.tagged.unexpected.arrive(envelope, message);
            Incoming::Unexpected { index }
        }
    };
    context.tagged.incoming.set(origin, incoming);
    Ok(())
}

fn data_long(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let id = RequestId::from_word(packet.word(0));
    let (at, total) = (packet.data_bytes(16), packet.word(8) as usize);
    if let Some(request) = context.tagged.requests.get(id) {
        deliver(request, 0, packet, 16);
    }
    context
        .tagged
        .incoming
        .set(origin, Incoming::Request { id, at, total });
    Ok(())
}

fn data(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let id = RequestId::from_word(packet.word(0));
    if let Some(request) = context.tagged.requests.get(id) {
        deliver(request, 0, packet, 8);
        context.received(id, request, packet.data_bytes(8));
    }
    context.end_packets(id, origin)
}

fn continuation(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    match context.tagged.incoming.get(origin) {
        Incoming::Request { id, at, total } => {
            continue_request(context, origin, packet, (id, at, total))
        }
        Incoming::Unexpected { index } => continue_unexpected(context, origin, packet, index),
        Incoming::Nothing => Err(UnitError::Packet {
            rank: origin,
            reason: "it continues no message",
        }),
    }
}

fn continue_request(
    context: &Context,
    origin: u32,
    packet: Packet<'_>,
    (id, at, total): (RequestId, usize, usize),
) -> Result<(), UnitError> {
    let request = context.tagged.requests.get(id);
    if let Some(request) = request {
        deliver(request, at, packet, 0);
    }
    let at = at + packet.data_bytes(0);
    if at < total {
        context
            .tagged
            .incoming
            .set(origin, Incoming::Request { id, at, total });
        return Ok(());
    }
    context.tagged.incoming.set(origin, Incoming::Nothing);
    if let Some(request) = request {
        context.received(id, request, total);
    }
    context.end_packets(id, origin)
}

fn continue_unexpected(
    context: &Context,
    origin: u32,
    packet: Packet<'_>,
    index: u32,
) -> Result<(), UnitError> {
    let complete = context
        .tagged
        .unexpected
        .with(index, |message| match message {
            Unexpected::Data { data, total, .. } => {
                data.extend_from_slice(&packet.to_vec(packet.data_at(0)));
                Some(data.len() >= *total)
            }
            Unexpected::Rendezvous(_) => None,
        });
    match complete.flatten() {
        None => {
            let reason = "it continues a message that is gone";
            return Err(UnitError::Packet {
                rank: origin,
                reason,
            });
        }
        Some(true) => context.tagged.incoming.set(origin, Incoming::Nothing),
        Some(false) => {}
    }
    Ok(())
}

fn request_to_send(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let envelope = Envelope::from_metadata(packet.word(0), origin);
    let offer = Offer {
        bytes: packet.word(8) as usize,
        address: packet.word(16),
        origins_request: packet.word(24),
        way: packet.auxiliary(),
        division: packet.word(32),
    };
    match context.take_receive(&envelope) {
        Some((id, request)) => {
            context.fetch(id, request, origin, offer)?;
            context.pull_only_one()
        }
        None => {
            context.keep_offer(envelope, origin, offer);
            Ok(())
        }
    }
}

fn clear_to_send(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    context.send_data(RequestId::from_word(packet.word(0)), origin, packet.word(8))
}

fn stripes_clear(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    context.send_stripes(origin, packet)
}

fn clear_to_copy(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    context.clear_to_copy(origin, packet)
}

fn pushed(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    context.pushed(origin, packet)
}

fn preference(context: &Context, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    context.preference(origin, packet)
}

fn finished(context: &Context, _origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let id = RequestId::from_word(packet.word(0));
    if context.end_push_of(id)?
        && let Some((id, _)) = context.offered(id)?
    {
        context.sent(id);
    }
    Ok(())
}

/// Copies the data behind a packet's header to byte `at` of the receive's buffer, as far as
/// there is room; how many bytes the buffer has.
#[inline(always)]
fn deliver(request: &'static Request, at: usize, packet: Packet<'_>, header_bytes: usize) -> usize {
    deliver_from(request, at, packet, packet.data_at(header_bytes))
}

/// Copies a packet's bytes from its byte `from` on; how many bytes the buffer has.
#[inline(always)]
fn deliver_from(request: &'static Request, at: usize, packet: Packet<'_>, from: usize) -> usize {
    let bytes = packet.bytes().saturating_sub(from);
    match &mut *request.buffer.borrow_mut() {
        Buffer::Contiguous {
            address,
            bytes: room,
        } => {
            let bytes = bytes.min(room.saturating_sub(at));
            // SAFETY: at + bytes is at most the room, which whoever posted the receive
            // vouched for; with no bytes left the pointer is not used.
            unsafe { packet.copy_to(from, address.wrapping_add(at), bytes) };
            *room
        }
        Buffer::Noncontiguous(memory) => {
            let room = memory.bytes();
            unpack(
                memory.as_mut(),
                at,
                packet,
                from,
                bytes.min(room.saturating_sub(at)),
            );
            room
        }
    }
}

/// Unpacks a packet's data straight to where it belongs.
fn unpack(
    memory: &mut dyn Noncontiguous,
    at: usize,
    packet: Packet<'_>,
    from: usize,
    bytes: usize,
) {
    // SAFETY: unpacking copies raw memory, each byte once, and keeps no pointer; at + bytes is
    // at most what the described memory takes, and whoever posted the receive vouched for it.
    unsafe {
        packet.scatter(from, bytes, |source, bytes| {
            memory.unpack(at, source, bytes)
        });
    }
}

impl Context {
    /// The oldest posted receive that looks for `envelope`.
    #[inline(always)]
    fn take_receive(&self, envelope: &Envelope) -> Option<(RequestId, &'static Request)> {
        let request = self.tagged.posted.take_receive(envelope)?;
        self.matched(request, envelope);
        Some((request.id(), request))
    }

    /// Whether a message of so many bytes may have come without asking.
    pub(in crate::tagged) fn check_eager(
        &self,
        origin: u32,
        total: usize,
    ) -> Result<(), UnitError> {
        if total > self.table.eager_bytes() {
            return Err(UnitError::Packet {
                rank: origin,
                reason: "its message is too long to be eager",
            });
        }
        Ok(())
    }

    /// The first packet of several of a message that came without asking, for the receive that it has matched.
    #[inline]
    pub(in crate::tagged) fn begin_message(
        &self,
        origin: u32,
        packet: Packet<'_>,
        (id, request): (RequestId, &'static Request),
        total: usize,
    ) {
        let at = packet.data_bytes(16);
        self.time_packets((id, origin), (total, Way::AtOnce), packet.auxiliary());
        deliver(request, 0, packet, 16);
        self.tagged
            .incoming
            .set(origin, Incoming::Request { id, at, total });
    }

    /// A receive has found its message: from now on it knows where from.
    #[inline(always)]
    pub(crate) fn matched(&self, request: &'static Request, envelope: &Envelope) {
        let outcome = Outcome {
            task: envelope.source,
            tag: envelope.tag,
            ..Outcome::default()
        };
        request.outcome.set(outcome);
    }

    /// All `total` bytes of a matched message have come.
    #[inline(always)]
    pub(crate) fn received(&self, id: RequestId, request: &'static Request, total: usize) {
        let room = request.buffer.borrow().bytes();
        let Outcome { task, tag, .. } = request.outcome.get();
        let envelope = Envelope {
            context: 0,
            source: task,
            tag,
        };
        let outcome = outcome(&envelope, total, room);
        self.tagged.requests.finish(id, request, outcome);
    }

    #[cold]
    fn keep(
        &self,
        envelope: Envelope,
        data: Vec<u8>,
        total: usize,
        synchronous: Option<RequestId>,
    ) {
        let message = Unexpected::Data {
            data,
            total,
            synchronous,
        };
        self.tagged.unexpected.arrive(envelope, message);
    }

    /// A message that nobody has asked for yet waits at its origin.
    #[cold]
    fn keep_offer(&self, envelope: Envelope, origin: u32, offer: Offer) {
        let message = Unexpected::Rendezvous(offer);
        let index = self.tagged.unexpected.arrive(envelope, message);
        let both = BUFFERABLE | IN_ONE_PIECE;
        if offer.way & both == both && offer.bytes <= self.table.eager_bytes() {
            self.add_early_offer(index, origin);
        }
    }

    /// A matched message's data waits at its origin: asks for packets, or copies it.
    ///
    /// The origin's table says which: through the kernel, with or without the origin's help, or in
    /// packets, which are two copies, but made by both sides at once. Ranks that share a processor
    /// do not copy at once; they let the kernel copy where the table leaves it to them.
    pub(crate) fn fetch(
        &self,
        id: RequestId,
        request: &'static Request,
        origin: u32,
        offer: Offer,
    ) -> Result<(), UnitError> {
        if offer.way & IN_STRIPES != 0 && self.fetch_offer_in_stripes(id, origin, offer)? {
            return Ok(());
        }
        if self.copies(offer.way, origin) {
            let target = match &*request.buffer.borrow() {
                Buffer::Contiguous { address, bytes } => Some((*address, *bytes)),
                Buffer::Noncontiguous(_) => None,
            };
            if let Some(target) = target {
                return self.fetch_in_one_piece((id, origin), offer, target);
            }
            let unpacks = offer.way & TOGETHER == 0 || self.unit.is_oversubscribed();
            if unpacks
                && self.unpack_offer(request, origin, offer)
                && !self.has_withdrawn(origin)?
            {
                self.received(id, request, offer.bytes);
                let request = offer.origins_request;
                return self.control(origin as usize, kind::FINISHED, 0, request, &[]);
            }
        }
        if offer.way & IN_PACKETS != 0 {
            self.time_packets((id, origin), (offer.bytes, Way::Packets), offer.way);
        }
        self.ask_for_packets(id, origin, offer.origins_request)
    }

    /// The same of data that lies in one piece at both ends, for `room` bytes at an address.
    fn fetch_in_one_piece(
        &self,
        (id, origin): (RequestId, u32),
        offer: Offer,
        room: (*mut u8, usize),
    ) -> Result<(), UnitError> {
        let together = offer.way & TOGETHER != 0;
        let asked = if together { Way::Together } else { Way::Alone };
        self.pull(Matched {
            id,
            origin,
            origins_request: offer.origins_request,
            message_bytes: offer.bytes,
            address: offer.address,
            target: room,
            together: together && !self.unit.is_oversubscribed(),
            timed: Timed::new(origin, offer.bytes, asked, offer.way),
        })
    }

    /// Asks the origin to send a matched message in packets.
    pub(crate) fn ask_for_packets(
        &self,
        id: RequestId,
        origin: u32,
        origins_request: u64,
    ) -> Result<(), UnitError> {
        let words = id.word().to_ne_bytes();
        let origin = origin as usize;
        self.control(origin, kind::CLEAR_TO_SEND, 0, origins_request, &words)
    }

    fn fetch_offer_in_stripes(
        &self,
        id: RequestId,
        origin: u32,
        offer: Offer,
    ) -> Result<bool, UnitError> {
        let offered = Offered::from_word(offer.division);
        let offered = offered.filter(|offered| offered.stripes <= offer.bytes);
        let reason = "it offers stripes that cannot be";
        let offered = offered.ok_or(UnitError::Packet {
            rank: origin,
            reason,
        })?;
        self.fetch_in_stripes(id, origin, offer.bytes, offer.origins_request, offered)
    }

    /// Whether data that is offered so is copied through the kernel.
    fn copies(&self, way: u16, origin: u32) -> bool {
        let asked = way & (BY_KERNEL | TOGETHER) != 0;
        let kernel = asked || way & IN_PACKETS == 0 && self.unit.is_oversubscribed();
        kernel && way & IN_ONE_PIECE != 0 && self.copies_with(origin as usize)
    }

    /// Copies an offer's data through the kernel to where it does not lie together.
    fn unpack_offer(&self, request: &'static Request, origin: u32, offer: Offer) -> bool {
        let process = self.unit.job().process(origin as usize).unwrap_or(0);
        let mut buffer = request.buffer.borrow_mut();
        let bytes = offer.bytes.min(buffer.bytes());
        let copied = fetch_in_pieces(process, &mut buffer, offer.address, bytes);
        copied.map_err(|error| self.note_refusal(error)).is_ok()
    }
}

fn fetch_in_pieces(
    process: i32,
    buffer: &mut Buffer,
    address: u64,
    bytes: usize,
) -> Result<(), kernel_copy::KernelCopyError> {
    let mut piece = vec![0_u8; FETCH_BYTES.min(bytes)];
    for at in (0..bytes).step_by(FETCH_BYTES) {
        let length = FETCH_BYTES.min(bytes - at);
        // SAFETY: the piece has room for `length` bytes, and so has the buffer from `at` on.
        unsafe {
            kernel_copy::read(process, piece.as_mut_ptr(), address + at as u64, length)?;
            buffer.unpack(at, piece.as_ptr(), length);
        }
    }
    Ok(())
}
