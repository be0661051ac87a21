//! The shortest way of a short message to the receive that waits for it.
//!
//! Before: the driver has found a packet of one line. After: its data is in the receive's buffer and the
//! receive complete; or nothing has changed, and [`crate::tagged::receive::arrival`] takes the packet the general
//! way, with everything that can be unusual about either.
//!
//! ```text
//! packet of one line ──the oldest receive of its bucket looks for just this envelope──▶ complete
//!   └─(longer; wildcards; not the oldest; detached; not contiguous; nobody waits)─────▶ arrival
//! ```
//!
//! Invariant: nothing here is done unless all of it can be done.

use pamir_driver::unit::packet::Packet;

use crate::context::Context;
use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::Envelope;
use crate::tagged::state::request::{Phase, Request, outcome};

/// Gives a packet of one line to the receive that it is for; whether that could be done.
#[inline(always)]
pub(in crate::tagged) fn deliver_line(context: &Context, origin: u32, packet: Packet<'_>) -> bool {
    let Some(total) = packet.line_data_bytes() else {
        return false;
    };
    let envelope = Envelope::from_metadata(packet.word(0), origin);
    let Some((request, buffer)) = context.tagged.posted.take_first(&envelope, plain_buffer) else {
        return false;
    };
    let (address, room) = buffer;
    // SAFETY: whoever posted the receive vouched for its room; the length was just asked for.
    unsafe { packet.copy_line_to(address, total.min(room)) };
    context
        .tagged
        .requests
        .complete(request, outcome(&envelope, total, room));
    true
}

/// Where a receive's data goes, if that lies together and somebody will ask for its outcome.
#[inline(always)]
fn plain_buffer(request: &Request) -> Option<(*mut u8, usize)> {
    match *request.buffer.borrow() {
        Buffer::Contiguous { address, bytes } if request.phase() == Phase::Active => {
            Some((address, bytes))
        }
        _ => None,
    }
}
