//! Active messages of one packet, sent where the last one went, and taken where the last one came.
//!
//! Before: a library whose dispatch functions are plain ones of its own table, as PAMI's are. After:
//! the packet is in the target's memory; or the function was called, with nothing in between.
//!
//! ```text
//! send_again ──(the way of the message before)──▶ lane                       else send_at_once
//! take_active_line, take_active_packet ◀──(lane of the packet before)         else Context::advance
//! ```
//!
//! A message that goes the way of the one before it ([`Way`]) looks up neither target nor dispatch
//! id. A taker of messages looks at one lane here; it therefore advances the context too, now and then.
//!
//! Invariant: these functions do all of a message or nothing; the general way
//! ([`super::send`], and the handlers of packets) then does the same, or tells why it cannot.

use pamir_driver::unit::receive::recent::{Recent, Seen};

use crate::active::dispatch::DISPATCH_IDS;
use crate::active::line::fits_line;
use crate::active::state::peers::Way;
use crate::context::Context;
use crate::protocol::kind;

/// Header and data, as C has them: address and bytes of each.
pub type Parts = [(*const u8, usize); 2];

impl Context {
    /// Sends header and data to the context that has `target` as its number among those of all
    /// tasks ([`crate::client::Client::unit`]), and remembers the way. Where it says false,
    /// [`Self::send_immediate`] sends, or tells why it cannot.
    ///
    /// # Safety
    ///
    /// Header and data are readable for their bytes, if they have any.
    #[inline]
    pub unsafe fn send_at_once(&self, target: usize, way: Way, parts: Parts) -> bool {
        let Ok(dispatch) = u16::try_from(way.dispatch) else {
            return false;
        };
        // What is counted takes the general way.
        let counted = self.traffic().is_some();
        let known = dispatch < DISPATCH_IDS && target < self.unit.ranks();
        if !known || counted || !self.active.peers.mark(target) {
            return false;
        }
        // SAFETY: as the caller vouches.
        let sent = unsafe { self.inject_parts(target, dispatch, parts) };
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
    /// As for [`Self::send_at_once`].
    #[inline(always)]
    pub unsafe fn send_again(&self, way: Way, parts: Parts) -> bool {
        let Some(target) = self.active.peers.recall(way) else {
            return false;
        };
        // SAFETY: as the caller vouches.
        unsafe { self.inject_parts(target, way.dispatch as u16, parts) }
    }

    /// # Safety
    ///
    /// As for [`Self::send_at_once`].
    #[inline(always)]
    unsafe fn inject_parts(&self, target: usize, dispatch: u16, parts: Parts) -> bool {
        // SAFETY: as the caller vouches.
        unsafe {
            if fits_line(parts) {
                self.inject_line_parts(target, dispatch, parts)
            } else {
                self.inject_packet(
                    target, dispatch, parts[0].0, parts[0].1, parts[1].0, parts[1].1,
                )
            }
        }
    }

    /// It takes the parts one by one, so that they stay in registers where it is not called.
    ///
    /// # Safety
    ///
    /// As for [`Self::send_at_once`].
    #[inline(never)]
    unsafe fn inject_packet(
        &self,
        target: usize,
        dispatch: u16,
        header: *const u8,
        header_bytes: usize,
        data: *const u8,
        data_bytes: usize,
    ) -> bool {
        let most = self.active.most_immediate.get();
        // Each by itself first: the sum of two lengths could wrap.
        if header_bytes > most || data_bytes > most - header_bytes {
            return false;
        }
        let parts = [(header, header_bytes), (data, data_bytes)];
        let metadata = header_bytes as u64;
        // SAFETY: the caller vouches for the parts; their length was just checked.
        let sent = unsafe {
            self.unit
                .inject_gathered(target, kind::ACTIVE, dispatch, metadata, &parts)
        };
        // An error is met again by the general way, which tells.
        sent.unwrap_or(false)
    }

    /// Takes the next active message from where the last packet came, if it has come as one line
    /// and nobody waits for it, and `receiver` knows its dispatch id: then `give` is called with
    /// what that gave, the number of the origin's context among those of all tasks, header and
    /// data, which are readable until it returns. It may send, and may not advance. Up to `looks`
    /// looks wait for it, a few tens of nanoseconds each. What is there and was not taken,
    /// [`Self::take_active_packet`] may take.
    #[inline(always)]
    pub fn take_active_line<R>(
        &self,
        looks: u32,
        receiver: impl FnOnce(u16) -> Option<R>,
        give: impl FnOnce(R, usize, Parts),
    ) -> Recent {
        self.unit.take_recent_line(
            kind::ACTIVE,
            looks,
            |dispatch, metadata, bytes| accepted(metadata, bytes, || receiver(dispatch)),
            |(receiver, sizes), origin, data| give(receiver, origin, parts(data.as_ptr(), sizes)),
        )
    }

    /// The same for the packet that [`Self::take_active_line`] has just found, if it is a message of
    /// one packet and no longer than an immediate one ([`Self::limit_immediate`]); whether it was taken. Header and data
    /// lie in the lane: they are raw memory, which a misbehaving origin may still change.
    #[inline(always)]
    pub fn take_active_packet<R>(
        &self,
        seen: Seen,
        receiver: impl FnOnce(u16) -> Option<R>,
        give: impl FnOnce(R, usize, Parts),
    ) -> bool {
        let most = self.active.most_immediate.get();
        self.unit.take_recent_packet(
            seen,
            kind::ACTIVE,
            |dispatch, metadata, bytes| {
                let short = bytes <= most;
                short.then(|| accepted(metadata, bytes, || receiver(dispatch)))?
            },
            |(receiver, sizes), origin, data| give(receiver, origin, parts(data, sizes)),
        )
    }

    /// The number among the contexts of all tasks from which the last packet came that
    /// [`Self::advance`] found: where [`Self::take_active_line`] looks.
    #[inline(always)]
    pub fn recent_origin(&self) -> usize {
        self.unit.recent_origin()
    }
}

/// The receiver of a message that nobody waits for, and the bytes of header and data. What is waited
/// for has metadata greater than any length of a packet.
#[inline(always)]
fn accepted<R>(
    metadata: u64,
    bytes: usize,
    receiver: impl FnOnce() -> Option<R>,
) -> Option<(R, [usize; 2])> {
    let header_bytes = usize::try_from(metadata).ok()?;
    let data_bytes = bytes.checked_sub(header_bytes)?;
    Some((receiver()?, [header_bytes, data_bytes]))
}

/// Header and data, one behind the other.
#[inline(always)]
fn parts(start: *const u8, [header_bytes, data_bytes]: [usize; 2]) -> Parts {
    let data = start.wrapping_add(header_bytes);
    [(start, header_bytes), (data, data_bytes)]
}
