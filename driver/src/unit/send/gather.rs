//! Immediate packets whose payload lies in several places.
//!
//! Before: an active message with a header and data of its own, or data that a program
//! gathers. After: one record in the lane, as [`MessagingUnit::inject_immediate`] would have
//! made it of one piece.

use std::ops::Range;

use pamir_shm::lane::Reserved;
use pamir_shm::lane::mapped::LaneProducer;
use pamir_shm::lane::record::RecordHeader;
use pamir_shm::lane::room::LaneRoom;

use super::immediate::behind_first_line;
use crate::unit::packet::data_start;
use crate::unit::target::reserve;
use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
    /// Sends `metadata` and `bytes` bytes that `fill` writes where it is told, as one packet, at
    /// once, or not at all: false while the lane is full or something waits before it.
    ///
    /// # Safety
    ///
    /// `bytes` is at most [`Self::packet_bytes`]; `fill` writes so many bytes, no others, and
    /// keeps the address no longer than the call.
    #[inline]
    pub unsafe fn inject_filled(
        &self,
        target: usize,
        kind: u8,
        metadata: u64,
        bytes: usize,
        fill: impl FnOnce(LaneRoom<'_>),
    ) -> Result<bool, UnitError> {
        let to = &self.targets[target];
        if to.backlog.get() != 0 {
            return Ok(false);
        }
        if let Some(buffers) = to.exclusive_buffers_for(bytes) {
            let header = RecordHeader::new(kind, 0, 0);
            return self.inject_in_exclusive_buffer(
                target,
                buffers,
                header,
                (metadata, bytes),
                0,
                fill,
            );
        }
        let start = data_start(8, bytes);
        let Some(reserved) = reserve(to, target, start + bytes)? else {
            return Ok(false);
        };
        // The target looks at the first line all the time: it is written when all else is there.
        fill(to.lane.room(&reserved).behind(start));
        to.lane.write_word(&reserved, 0, metadata);
        self.commit(target, reserved, kind, 0, start + bytes);
        Ok(true)
    }

    /// Sends `metadata` and the bytes of all `parts`, one behind the other, as one packet, at
    /// once, or not at all: false while the lane is full or something waits before it.
    ///
    /// # Safety
    ///
    /// Each part's address is readable for its number of bytes; together they have at most
    /// [`Self::packet_bytes`] bytes.
    #[inline]
    pub unsafe fn inject_gathered(
        &self,
        target: usize,
        kind: u8,
        auxiliary: u16,
        metadata: u64,
        parts: &[(*const u8, usize)],
    ) -> Result<bool, UnitError> {
        let to = &self.targets[target];
        if to.backlog.get() != 0 {
            return Ok(false);
        }
        let bytes = parts.iter().map(|part| part.1).sum();
        let start = data_start(8, bytes);
        let Some(reserved) = reserve(to, target, start + bytes)? else {
            return Ok(false);
        };
        let write = |from: usize, end: usize| {
            // SAFETY: the caller vouches for the parts; the record was reserved for the sum of
            // their bytes.
            unsafe { write_parts(&to.lane, &reserved, start, parts, from..end) };
        };
        let apart = start + bytes - behind_first_line(start, bytes);
        write(apart, usize::MAX);
        to.lane.write_word(&reserved, 0, metadata);
        write(0, apart);
        self.commit(target, reserved, kind, auxiliary, start + bytes);
        Ok(true)
    }
}

/// Writes those bytes of the parts, which lie one behind the other from byte `start` of the payload
/// on, that lie in `range` of it.
///
/// # Safety
///
/// Each part's address is readable for its number of bytes; the record was reserved for all of them.
#[inline(always)]
unsafe fn write_parts(
    lane: &LaneProducer,
    reserved: &Reserved,
    start: usize,
    parts: &[(*const u8, usize)],
    range: Range<usize>,
) {
    let mut at = start;
    for (source, bytes) in parts {
        let (from, end) = (at.max(range.start), (at + bytes).min(range.end));
        if from < end {
            // SAFETY: as the caller vouches.
            unsafe { lane.write(reserved, from, source.wrapping_add(from - at), end - from) };
        }
        at += bytes;
    }
}
