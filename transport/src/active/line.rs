//! Active messages of one line: the shortest way there is.
//!
//! Before: `PAMI_Send_immediate` and its like with a short header and little data. After: at the
//! target, the handler has been called.
//!
//! ```text
//! byte 0        8                16                           64
//!      │ record │ bytes of header │ header  data               │
//! ```
//!
//! These functions do what is nearly always possible; where it is not, the general way
//! ([`super::send`], [`super::arrival`]) does the same with everything that can be in its way.
//!
//! A library whose dispatch functions are plain ones of its own table takes lines itself, with
//! [`Context::take_active_line`]: it looks at one lane, the one that carried the last packet, and
//! calls the function with nothing in between. Who does so polls the others too, now and then.
//!
//! A message that goes the way of the one before it ([`Way`]) is sent without looking up target and
//! dispatch id again: [`Context::send_line_again`].

use pamir_driver::packet::Packet;
use pamir_driver::unit::{LINE_DATA_BYTES, UnitError};

use crate::active::arrival::take;
use crate::active::dispatch::DISPATCH_IDS;
use crate::active::peers::Way;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::protocol::kind;

impl Context {
    /// Sends header and data as one line; false if that is not possible at once.
    #[inline(always)]
    pub(super) fn send_active_line(
        &self,
        to: Endpoint,
        dispatch: u16,
        header: &[u8],
        data: &[u8],
    ) -> bool {
        let parts = [(header.as_ptr(), header.len()), (data.as_ptr(), data.len())];
        let target = self.place.unit(to, self.unit.ranks());
        // SAFETY: slices are readable.
        target.is_some_and(|target| unsafe { self.send_line_of_parts(target, dispatch, parts) })
    }

    /// Sends header and data, as C has them, to the context that has `target` as its number among
    /// those of all tasks ([`crate::client::Client::unit`]), and remembers the way. Where it says
    /// false, [`Self::send_immediate`] sends, or tells why it cannot.
    ///
    /// # Safety
    ///
    /// Header and data are readable for their bytes, if they have any.
    #[inline]
    pub unsafe fn send_line_to(
        &self,
        target: usize,
        way: Way,
        parts: [(*const u8, usize); 2],
    ) -> bool {
        let Ok(dispatch) = u16::try_from(way.dispatch) else {
            return false;
        };
        // SAFETY: as the caller vouches.
        let sent = unsafe { self.send_line_of_parts(target, dispatch, parts) };
        if sent {
            self.active.peers.remember(way, target);
        }
        sent
    }

    /// The same, if the last message went this way; false otherwise. What was looked at then need
    /// not be looked at again.
    ///
    /// # Safety
    ///
    /// As for [`Self::send_line_to`].
    #[inline(always)]
    pub unsafe fn send_line_again(&self, way: Way, parts: [(*const u8, usize); 2]) -> bool {
        let Some(target) = self.active.peers.recall(way) else {
            return false;
        };
        // SAFETY: as the caller vouches.
        fits_line(parts) && unsafe { self.inject_parts(target, way.dispatch as u16, parts) }
    }

    /// # Safety
    ///
    /// As for [`Self::send_line_to`].
    #[inline(always)]
    unsafe fn send_line_of_parts(
        &self,
        target: usize,
        dispatch: u16,
        parts: [(*const u8, usize); 2],
    ) -> bool {
        // What is counted takes the general way.
        let counted = self.traffic().is_some();
        let known = dispatch < DISPATCH_IDS && target < self.unit.ranks();
        if !fits_line(parts) || !known || counted || !self.active.peers.mark(target) {
            return false;
        }
        // SAFETY: as the caller vouches; the length was just checked.
        unsafe { self.inject_parts(target, dispatch, parts) }
    }

    /// # Safety
    ///
    /// As for [`Self::send_line_to`]; the parts fit a line.
    #[inline(always)]
    unsafe fn inject_parts(
        &self,
        target: usize,
        dispatch: u16,
        parts: [(*const u8, usize); 2],
    ) -> bool {
        let metadata = parts[0].1 as u64;
        // SAFETY: as the caller vouches.
        unsafe {
            self.unit
                .inject_line_of_parts(target, kind::ACTIVE, dispatch, metadata, parts)
        }
    }

    /// Takes the next active message from where the last packet came, if it has come as one line
    /// and nobody waits for it, and `receiver` knows its dispatch id: then `give` is called with
    /// what that gave, the number of the origin's context among those of all tasks, header and
    /// data. Whether it was; it may send, and may not advance. Up to `looks` looks wait for it, a
    /// few tens of nanoseconds each.
    #[inline(always)]
    pub fn take_active_line<R>(
        &self,
        looks: u32,
        receiver: impl FnOnce(u16) -> Option<R>,
        give: impl FnOnce(R, usize, &[u8], &[u8]),
    ) -> bool {
        self.unit.take_recent_line(
            kind::ACTIVE,
            looks,
            // What waits for an acknowledgement has metadata greater than any length of a line.
            |dispatch, metadata, bytes| {
                let receiver = (metadata <= bytes as u64).then(|| receiver(dispatch));
                receiver
                    .flatten()
                    .map(|receiver| (receiver, metadata as usize))
            },
            |(receiver, header_bytes), origin, bytes| {
                let (header, data) = bytes.split_at(header_bytes);
                give(receiver, origin, header, data);
            },
        )
    }

    /// The number among the contexts of all tasks from which the last packet came that
    /// [`Self::advance`] found: where [`Self::take_active_line`] looks.
    #[inline(always)]
    pub fn recent_origin(&self) -> usize {
        self.unit.recent_origin()
    }
}

/// Whether header and data fit one line.
#[inline(always)]
fn fits_line([header, data]: [(*const u8, usize); 2]) -> bool {
    // Each by itself first: the sum of two lengths could wrap.
    header.1 <= LINE_DATA_BYTES && data.1 <= LINE_DATA_BYTES - header.1
}

/// The length of the header of a message whose packet is one line and that nobody waits for.
#[inline(always)]
pub(super) fn header_bytes(packet: &Packet<'_>) -> Option<usize> {
    let metadata = packet.word(0);
    // A packet without metadata wraps to a length that no line has.
    let bytes = packet.bytes().wrapping_sub(8);
    (bytes <= LINE_DATA_BYTES && metadata <= bytes as u64).then_some(metadata as usize)
}

/// Gives a message of one line to its handler.
#[inline(always)]
pub(super) fn arrived(
    context: &Context,
    origin: u32,
    packet: &Packet<'_>,
    header_bytes: usize,
) -> Result<(), UnitError> {
    let bytes = packet.bytes() - 8;
    // Out of its origin's reach.
    let mut line = [0; LINE_DATA_BYTES];
    // SAFETY: `header_bytes` has seen that a line has room for the bytes.
    unsafe { packet.copy_to(8, line.as_mut_ptr(), bytes) };
    let (header, data) = line[..bytes].split_at(header_bytes);
    let dispatch = packet.auxiliary();
    let receive = context.dispatch(origin, dispatch, header, Some(data), data.len());
    if receive.is_over() {
        return Ok(());
    }
    take(context, origin, packet, None, 8 + header_bytes, receive)
}
