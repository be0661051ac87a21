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
//! A message that goes the way of the one before it is sent without looking up target and dispatch
//! id again, and received without the table of handlers: see [`super::shortcut`].

use pamir_driver::unit::packet::Packet;
use pamir_driver::unit::{LINE_DATA_BYTES, UnitError};

use crate::active::arrival::landing::take;
use crate::active::dispatch::{DISPATCH_IDS, Status};
use crate::context::Context;
use crate::context::endpoint::Endpoint;
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

    /// # Safety
    ///
    /// Each part is readable for its bytes, if it has any.
    #[inline(always)]
    pub(super) unsafe fn send_line_of_parts(
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
        unsafe { self.inject_line_parts(target, dispatch, parts) }
    }

    /// # Safety
    ///
    /// As for [`Self::send_line_of_parts`]; the parts fit a line.
    #[inline(always)]
    pub(super) unsafe fn inject_line_parts(
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
}

/// Whether header and data fit one line.
#[inline(always)]
pub(super) fn fits_line([header, data]: [(*const u8, usize); 2]) -> bool {
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
    if receive.status == Status::NotYet {
        return context.keep_early((origin, dispatch), (header, data), None);
    }
    take(context, origin, packet, None, 8 + header_bytes, receive)
}
