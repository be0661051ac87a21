//! Messages of one line: the shortest way through the unit.
//!
//! Before: `tagged/send` with a short message, or a receive that knows what it waits for.
//! After: the line is in the target's memory, or the message in the receive's buffer.
//!
//! ```text
//! byte 0        8          16                                  64
//!      │ header │ metadata │ data, at most LINE_DATA_BYTES      │
//! ```
//!
//! These functions do the one thing that is nearly always possible, without a call, and say so
//! if it is not: then the general way ([`MessagingUnit::inject_immediate`],
//! [`MessagingUnit::take_packet`]) does the same, with everything that can be in its way.

pub use pamir_shm::copy::LINE_DATA_BYTES;

use pamir_shm::lane::record::RecordHeader;

use crate::unit::{MessagingUnit, Owner};

impl<O: Owner> MessagingUnit<O> {
    /// Sends `metadata` and `bytes` bytes at `source` as a packet of one line; false if that is
    /// not possible at once.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes, at most [`LINE_DATA_BYTES`].
    #[inline(always)]
    pub unsafe fn inject_line(
        &self,
        target: usize,
        kind: u8,
        metadata: u64,
        source: *const u8,
        bytes: usize,
    ) -> bool {
        let parts = [(source, 0), (source, bytes)];
        // SAFETY: as the caller vouches.
        unsafe { self.inject_line_of_parts(target, kind, 0, metadata, parts) }
    }

    /// Sends `metadata` and the bytes of both parts as a packet of one line, with `auxiliary` as
    /// its own small number; false if that is not possible at once.
    ///
    /// # Safety
    ///
    /// Each part is readable for its bytes, if it has any; together they have at most
    /// [`LINE_DATA_BYTES`].
    #[inline(always)]
    pub unsafe fn inject_line_of_parts(
        &self,
        target: usize,
        kind: u8,
        auxiliary: u16,
        metadata: u64,
        parts: [(*const u8, usize); 2],
    ) -> bool {
        let [first, second] = parts;
        let bytes = first.1 + second.1;
        let to = &self.targets[target];
        if to.backlog.get() != 0 {
            return false;
        }
        let Some(reserved) = to.lane.reserve_line() else {
            return false;
        };
        // SAFETY: the caller vouches for the parts, and that the line has room for both.
        unsafe { to.lane.write_line(&reserved, metadata, parts) };
        let header = RecordHeader::new(kind, auxiliary, (8 + bytes) as u32);
        to.lane.commit_line(reserved, header);
        to.wake_if_asleep();
        true
    }

    /// Receives the next message from `origin` if it has come, as a packet of one line of
    /// `kind` with just this `metadata`: its length in bytes, of which at most `room` were
    /// copied to `target`.
    ///
    /// # Safety
    ///
    /// `target` is writable for `room` bytes.
    #[inline(always)]
    pub unsafe fn take_line(
        &self,
        origin: usize,
        kind: u8,
        metadata: u64,
        target: *mut u8,
        room: usize,
    ) -> Option<usize> {
        let lane = &self.origins[origin];
        let arrived = lane.peek_line(kind)?;
        // A payload without metadata wraps to a length that no line has.
        let bytes = arrived.header.payload_bytes().wrapping_sub(8);
        if bytes > LINE_DATA_BYTES || lane.first_word(&arrived) != metadata {
            return None;
        }
        // SAFETY: at most `room` bytes are written, which the caller vouches for.
        unsafe { lane.read_line(&arrived, target, bytes.min(room)) };
        lane.release_line(arrived);
        Some(bytes)
    }
}
