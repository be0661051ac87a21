//! Posting receives, and looking for messages without receiving them.
//!
//! Before: MPI's point-to-point calls, or a collective's exchange. After: the request is
//! complete at once if the message was here, else [`crate::tagged::receive::arrival`] completes it.

pub mod arrival;
mod arrived_line;
mod begun_receive;
pub(crate) mod early_offer;

use pamir_driver::unit::packet::Packet;
use pamir_driver::unit::{Next, UnitError};

use crate::context::Context;
use crate::protocol::kind;
use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::{Envelope, Pattern};
use crate::tagged::state::incoming::Incoming;
use crate::tagged::state::request::{Outcome, Request, RequestId};
use crate::tagged::state::unexpected_message::Unexpected;

/// What a probe tells of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its envelope.
    pub envelope: Envelope,
    /// Its length in bytes.
    pub bytes: usize,
}

/// A message that was taken out of the unexpected queue to be received later (MPI-5.0
/// section 3.8.2, matched probe).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedMessage {
    index: u32,
    /// What the probe told.
    pub found: Found,
}

/// How often [`Context::receive_at_once`] looks: about a microsecond, during which other
/// origins are not looked after.
const AT_ONCE_POLLS: u32 = 64;

/// How often [`Context::receive_scattered_at_once`] looks: the other end probably gathers as long as
/// this one will scatter, and that is a few microseconds for a packet of short blocks.
const SCATTERED_POLLS: u32 = 256;

impl Context {
    /// Receives the next message that `pattern` looks for into `buffer`.
    ///
    /// # Safety
    ///
    /// The buffer is writable until the request is complete.
    #[inline(always)]
    pub unsafe fn receive(
        &self,
        pattern: Pattern,
        buffer: Buffer,
    ) -> Result<&'static Request, UnitError> {
        let (id, request) = self.tagged.requests.start(buffer);
        match self.tagged.unexpected.find_message(&pattern) {
            Some(index) => {
                self.tagged.unexpected.hide(index);
                self.take_message(index, id, request)?;
            }
            None => self.tagged.posted.post(pattern, request),
        }
        Ok(request)
    }

    /// The guard of all receives that are not posted: nothing waits in either queue, and nothing else is under way, so
    /// the next message from an origin is matched by nobody but the caller's receive.
    #[inline(always)]
    pub(super) fn next_message_is_this_receives(&self) -> bool {
        self.tagged.posted.waiting() | self.tagged.unexpected.waiting() == 0 && self.is_idle()
    }

    /// Receives a message with exactly this envelope into `room` bytes at `address`, if it has
    /// come as one line and nothing else is under way; gives its length, of which at most
    /// `room` bytes were copied. Else [`Self::receive_at_once`] takes it.
    ///
    /// # Safety
    ///
    /// `address` is writable for `room` bytes.
    #[inline(always)]
    pub unsafe fn receive_line(
        &self,
        wanted: Envelope,
        address: *mut u8,
        room: usize,
    ) -> Option<usize> {
        if !self.next_message_is_this_receives() {
            return None;
        }
        let metadata = Envelope::metadata(wanted.context, wanted.tag);
        let origin = wanted.source as usize;
        // SAFETY: as the caller vouches.
        unsafe {
            self.unit
                .take_line(origin, kind::EAGER, metadata, address, room)
        }
    }

    /// Receives a message with exactly this envelope into `room` bytes at `address`, if it
    /// comes within a short while as one packet, or has begun to come in several, and nothing else is under way: then it
    /// need not be posted. Gives the message's length, of which at most `room` bytes were copied. `None`:
    /// nothing has been received; post the receive.
    ///
    /// # Safety
    ///
    /// `address` is writable for `room` bytes.
    #[inline(always)]
    pub unsafe fn receive_at_once(
        &self,
        wanted: Envelope,
        address: *mut u8,
        room: usize,
    ) -> Result<Option<usize>, UnitError> {
        let taken = self.take_at_once(wanted, AT_ONCE_POLLS, |packet| {
            let bytes = packet.data_bytes(8);
            // SAFETY: at most `room` bytes are written, which the caller vouches for.
            unsafe { packet.copy_to(packet.data_at(8), address, bytes.min(room)) };
            bytes
        })?;
        match taken {
            Some(bytes) => Ok(Some(bytes)),
            // SAFETY: as the caller vouches.
            None => unsafe { self.receive_begun(wanted, address, room) },
        }
    }

    /// As [`Self::receive_at_once`], for memory that does not lie together: `scatter` takes at
    /// most `room` of the message's bytes straight from the packet.
    ///
    /// # Safety
    ///
    /// `scatter` only copies from the pointer, so many bytes, as raw memory that the origin may
    /// change meanwhile, and keeps it no longer than the call.
    #[inline]
    pub unsafe fn receive_scattered_at_once(
        &self,
        wanted: Envelope,
        room: usize,
        scatter: impl Fn(*const u8, usize),
    ) -> Result<Option<usize>, UnitError> {
        self.take_at_once(wanted, SCATTERED_POLLS, |packet| {
            let bytes = packet.data_bytes(8);
            // SAFETY: as the caller vouches.
            unsafe { packet.scatter(packet.data_at(8), bytes.min(room), &scatter) };
            bytes
        })
    }

    /// Waits a short while for a message with exactly this envelope as one packet.
    #[inline(always)]
    fn take_at_once(
        &self,
        wanted: Envelope,
        polls: u32,
        take: impl Fn(Packet<'_>) -> usize,
    ) -> Result<Option<usize>, UnitError> {
        if !self.next_message_is_this_receives() {
            return Ok(None);
        }
        let metadata = Envelope::metadata(wanted.context, wanted.tag);
        let origin = wanted.source as usize;
        for _ in 0..polls {
            let next = self
                .unit
                .take_packet(origin, kind::EAGER, metadata, |packet| {
                    (take(packet), packet.auxiliary())
                })?;
            match next {
                Next::Taken((bytes, auxiliary)) => {
                    if auxiliary != 0 {
                        self.end_one_packet(wanted.source, bytes, auxiliary)?;
                    }
                    return Ok(Some(bytes));
                }
                Next::Other => return Ok(None),
                Next::Nothing => std::hint::spin_loop(),
            }
        }
        Ok(None)
    }

    /// Receives a message that a matched probe has taken out.
    ///
    /// # Safety
    ///
    /// The buffer is writable until the request is complete.
    pub unsafe fn receive_matched(
        &self,
        message: MatchedMessage,
        buffer: Buffer,
    ) -> Result<RequestId, UnitError> {
        let (id, request) = self.tagged.requests.start(buffer);
        self.take_message(message.index, id, request)?;
        Ok(id)
    }

    /// Gives a hidden message to a receive.
    fn take_message(
        &self,
        index: u32,
        id: RequestId,
        request: &'static Request,
    ) -> Result<(), UnitError> {
        let envelope = self.tagged.unexpected.envelope(index);
        let message = self.tagged.unexpected.take(index);
        self.matched(request, &envelope);
        match message.expect("a hidden message is taken once") {
            Unexpected::Rendezvous(offer) => {
                self.forget_early_offer(index);
                self.fetch(id, request, envelope.source, offer)
            }
            Unexpected::Data {
                data,
                total,
                synchronous,
            } => {
                self.take_data(&data, total, envelope.source, id, request);
                match synchronous {
                    Some(sender) => {
                        let source = envelope.source as usize;
                        self.control(source, kind::FINISHED, 0, sender.word(), &[])
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn take_data(
        &self,
        data: &[u8],
        total: usize,
        source: u32,
        id: RequestId,
        request: &'static Request,
    ) {
        let mut buffer = request.buffer.borrow_mut();
        let bytes = data.len().min(buffer.bytes());
        // SAFETY: the buffer has room for the bytes; whoever posted the receive vouched for it.
        unsafe { buffer.unpack(0, data.as_ptr(), bytes) };
        drop(buffer);
        if data.len() < total {
            let incoming = Incoming::Request {
                id,
                at: data.len(),
                total,
            };
            self.tagged.incoming.set(source, incoming);
        } else {
            self.received(id, request, total);
        }
    }

    /// Looks for a message, and leaves it where it is.
    #[inline]
    pub fn probe(&self, pattern: &Pattern) -> Option<Found> {
        let unexpected = &self.tagged.unexpected;
        let index = unexpected.find_message(pattern)?;
        let envelope = unexpected.envelope(index);
        let bytes = unexpected.with(index, |message| message.bytes())?;
        Some(Found { envelope, bytes })
    }

    /// Looks for a message, and takes it out so that nobody else can receive it.
    pub fn probe_matched(&self, pattern: &Pattern) -> Option<MatchedMessage> {
        let found = self.probe(pattern)?;
        let unexpected = &self.tagged.unexpected;
        let index = unexpected.find_message(pattern)?;
        unexpected.hide(index);
        Some(MatchedMessage { index, found })
    }

    /// Takes a receive back, unless its message has come; whether it was taken back.
    pub fn cancel(&self, id: RequestId) -> bool {
        let Some(request) = self.tagged.requests.get(id) else {
            return false;
        };
        if !self.tagged.posted.withdraw(request) {
            return false;
        }
        let outcome = Outcome {
            cancelled: true,
            ..Outcome::default()
        };
        self.tagged.requests.finish(id, request, outcome);
        true
    }
}
