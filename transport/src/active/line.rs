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
//! Both functions do what is nearly always possible; where it is not, the general way
//! ([`super::send`], [`super::arrival`]) does the same with everything that can be in its way.

use pamir_driver::packet::Packet;
use pamir_driver::unit::{LINE_DATA_BYTES, UnitError};

use crate::active::arrival::take;
use crate::active::dispatch::DISPATCH_IDS;
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
        // What is counted takes the general way.
        let counted = self.traffic().is_some();
        if header.len() + data.len() > LINE_DATA_BYTES || dispatch >= DISPATCH_IDS || counted {
            return false;
        }
        let Some(target) = self.place.unit(to, self.unit.ranks()) else {
            return false;
        };
        if !self.active.peers.mark(target) {
            return false;
        }
        let (metadata, parts) = (header.len() as u64, [header, data]);
        self.unit
            .inject_line_of_parts(target, kind::ACTIVE, dispatch, metadata, parts)
    }
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
