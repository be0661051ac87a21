//! The memory of a pair's exclusive buffers, and the parts of messages in them.
//!
//! Before: the driver has a message for a task with which it shares exclusive buffers, and one is its own
//! ([`BufferTurns`]). After: the message's parts lie in that exclusive buffer, each announced by a record of one line
//! in the lane, and the other end reads them there.
//!
//! ```text
//! lane     │ header: in an exclusive buffer │ word: which buffer, first line, bytes │ a word of the unit's │
//!                                   │
//! buffer   │ line 0 │ part 0 ...    ▼ line n │ part 1 ...            │
//!            └ 8 bytes unused, then the payload as a record has it: header words, data from the second line on
//! ```
//!
//! Invariant: an [`ExclusiveBuffers`] lies wholly inside its segment. The words of the other end about a part are
//! checked before its memory is read: [`ExclusiveBuffers::part`].

use std::sync::Arc;

use crate::copy::lane_copy::{LONG_BYTES, hand_over_line, look_ahead};
use crate::exclusive_buffer::turns::{BufferTurns, EXCLUSIVE_BUFFERS};
use crate::lane::record::{HEADER_BYTES, LINE_BYTES, lines_for};
use crate::lane::room::{LaneRoom, LongCopy};
use crate::segment::{Segment, SegmentError};

/// A part of a message in an exclusive buffer, as a record announces it.
///
/// ```text
/// bit  0       exclusive buffer
/// bit  1       last part of its message
/// bits 2..32   first line
/// bits 32..64  payload bytes
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPart {
    /// Which of the pair's exclusive buffers.
    pub buffer: usize,
    /// Whether the message ends with it, so that its reader may write the exclusive buffer.
    pub is_last: bool,
    /// Its first line in the exclusive buffer.
    pub line: u32,
    /// Bytes of its payload.
    pub payload_bytes: u32,
}

impl BufferPart {
    /// The word that says so.
    #[inline(always)]
    pub fn word(self) -> u64 {
        self.buffer as u64
            | u64::from(self.is_last) << 1
            | u64::from(self.line) << 2
            | u64::from(self.payload_bytes) << 32
    }

    /// What a word says.
    #[inline(always)]
    pub fn from_word(word: u64) -> Self {
        Self {
            buffer: (word & 1) as usize,
            is_last: word & 2 != 0,
            line: (word as u32) >> 2,
            payload_bytes: (word >> 32) as u32,
        }
    }

    /// The line behind it, where the next part begins.
    pub fn end(self) -> u32 {
        self.line + lines_for(self.payload_bytes as usize) as u32
    }
}

/// One end of a pair's exclusive buffers.
#[derive(Debug)]
pub struct ExclusiveBuffers {
    base: *mut u8,
    /// Lines of one exclusive buffer.
    lines: u64,
    turns: BufferTurns,
    /// Lines that are this core's own are best written by string moves, as soon as those pay.
    long: LongCopy,
    /// Keeps the mapping that `base` leads into.
    _segment: Arc<Segment>,
}

impl ExclusiveBuffers {
    /// The exclusive buffers of `bytes` bytes each that begin at byte `start`, for the `first` task of the pair or the
    /// other one.
    ///
    /// # Errors
    ///
    /// [`SegmentError::OutOfBounds`] if they do not lie in the segment.
    pub fn new(
        segment: &Arc<Segment>,
        start: u64,
        bytes: u64,
        first: bool,
    ) -> Result<Self, SegmentError> {
        let base = segment.bytes_at(start, EXCLUSIVE_BUFFERS as u64 * bytes)?;
        let long = LongCopy::default();
        long.settle(LONG_BYTES);
        Ok(Self {
            base,
            lines: bytes / LINE_BYTES as u64,
            turns: BufferTurns::new(first),
            long,
            _segment: Arc::clone(segment),
        })
    }

    /// Whether a message may be written now whose parts take so many lines together.
    #[inline(always)]
    pub fn has_room(&self, lines: u64) -> bool {
        lines <= self.lines && self.turns.next().is_some()
    }

    /// The lines of an exclusive buffer that may be written now; 0 while none may.
    pub fn free_lines(&self) -> u64 {
        self.turns.next().map_or(0, |_| self.lines)
    }

    /// Begins a message in the exclusive buffer that is best written now, if there is one. The other end writes it
    /// next.
    #[inline(always)]
    pub fn begin(&self) -> Option<usize> {
        let buffer = self.turns.next()?;
        self.turns.give(buffer);
        Some(buffer)
    }

    /// The payload of a part, to be filled before its record is committed.
    ///
    /// # Panics
    ///
    /// If the exclusive buffer does not have the lines: who begins a message asks [`Self::has_room`] for all of it.
    #[inline(always)]
    pub fn room(&self, part: BufferPart) -> LaneRoom<'_> {
        assert!(
            part.buffer < EXCLUSIVE_BUFFERS && u64::from(part.end()) <= self.lines,
            "a part lies inside its exclusive buffer"
        );
        LaneRoom::new(self.payload(part), &self.long)
    }

    /// Copies `bytes` bytes from `source` into a part's payload, from byte `at` on.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes, and `at + bytes` is at most the part's payload.
    #[inline(always)]
    pub unsafe fn write(&self, part: BufferPart, at: usize, (source, bytes): (*const u8, usize)) {
        // SAFETY: the caller vouches for the source and the payload, which `room` has found to lie in the exclusive
        // buffer; the other end reads it when it is announced, and the exclusive buffer was this end's when the message
        // began.
        unsafe { self.room(part).behind(at).write(source, bytes) };
    }

    /// Writes a word into a part's payload at byte `at`.
    #[inline(always)]
    pub fn write_word(&self, part: BufferPart, at: usize, value: u64) {
        assert!(
            at + 8 <= part.payload_bytes as usize,
            "a word is written inside of its part"
        );
        // SAFETY: an 8-byte local is readable, and the payload has the room.
        unsafe { self.write(part, at, ((&raw const value).cast(), 8)) };
    }

    /// Has the lines of a part moved to the cache that all cores share, where its reader finds them sooner.
    #[inline(always)]
    pub fn hand_over(&self, part: BufferPart) {
        for line in part.line..part.end() {
            hand_over_line(self.line(part.buffer, line));
        }
    }

    /// The payload of a part that the other end has announced; none if it is not one that it may have written.
    #[inline(always)]
    pub fn part(&self, part: BufferPart) -> Option<*const u8> {
        let is_inside = u64::from(part.line) + lines_for(part.payload_bytes as usize) <= self.lines;
        (is_inside && self.turns.is_theirs(part.buffer)).then(|| self.payload(part).cast_const())
    }

    /// Asks for the first lines of a part that [`Self::part`] has found, up to so many.
    #[inline(always)]
    pub fn look_ahead(&self, part: BufferPart, lines: u32) {
        for line in part.line..part.end().min(part.line + lines) {
            look_ahead(self.line(part.buffer, line));
        }
    }

    /// A part that [`Self::part`] has found was read.
    #[inline(always)]
    pub fn read(&self, part: BufferPart) {
        if part.is_last {
            self.turns.take(part.buffer);
        }
    }

    #[inline(always)]
    fn payload(&self, part: BufferPart) -> *mut u8 {
        self.line(part.buffer, part.line).wrapping_add(HEADER_BYTES)
    }

    #[inline(always)]
    fn line(&self, buffer: usize, line: u32) -> *mut u8 {
        let lines = buffer * self.lines as usize + line as usize;
        self.base.wrapping_add(lines * LINE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 4096;

    fn pair() -> [ExclusiveBuffers; 2] {
        let segment = Arc::new(Segment::create(2 * BYTES).unwrap());
        [true, false].map(|first| ExclusiveBuffers::new(&segment, 0, BYTES, first).unwrap())
    }

    #[test]
    fn a_part_is_what_its_word_says() {
        for buffer in 0..EXCLUSIVE_BUFFERS {
            for is_last in [false, true] {
                let part = BufferPart {
                    buffer,
                    is_last,
                    line: 0x3FFF_FFFF,
                    payload_bytes: u32::MAX,
                };
                assert_eq!(BufferPart::from_word(part.word()), part);
            }
        }
    }

    #[test]
    fn what_is_written_is_read_by_the_other_end() {
        let [one, other] = pair();
        let data: Vec<u8> = (0..1000).map(|at| (at % 251) as u8).collect();
        for _ in 0..2 {
            let buffer = one.begin().unwrap();
            let part = BufferPart {
                buffer,
                is_last: true,
                line: 3,
                payload_bytes: 1056,
            };
            one.write_word(part, 0, 77);
            // SAFETY: the data has the bytes, and the part's payload too.
            unsafe { one.write(part, 56, (data.as_ptr(), 1000)) };
            let payload = other.part(part).unwrap();
            // SAFETY: the part lies in the exclusive buffer.
            unsafe {
                assert_eq!(payload.cast::<u64>().read(), 77);
                assert_eq!(std::slice::from_raw_parts(payload.add(56), 1000), data);
            }
            other.read(part);
            assert!(other.part(part).is_none(), "only once");
            assert_eq!(other.begin(), Some(buffer));
            one.read(part);
        }
    }

    #[test]
    fn parts_outside_of_an_exclusive_buffer_are_refused() {
        let [one, _other] = pair();
        let part = |line, payload_bytes| BufferPart {
            buffer: 1,
            is_last: true,
            line,
            payload_bytes,
        };
        assert!(one.part(part(0, 4088)).is_some());
        assert!(one.part(part(0, 4089)).is_none());
        assert!(one.part(part(63, 56)).is_some() && one.part(part(64, 1)).is_none());
        assert!(one.part(part(0x3FFF_FFFF, u32::MAX)).is_none());
        assert!(one.has_room(64) && !one.has_room(65));
        one.begin().unwrap();
        assert!(
            !one.has_room(1),
            "the other exclusive buffer is not this end's"
        );
    }
}
