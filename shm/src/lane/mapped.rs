//! A lane's memory inside a segment, and the copies into and out of it.
//!
//! Before: [`crate::lane`] has reserved a record, or found one. Here the payload's
//! bytes move. This is the only file of the lane that handles raw memory.
//!
//! Invariant: a [`MappedLane`] lies wholly inside its segment, checked once when it
//! is made; lines are indexed modulo the ring.

use std::cell::Cell;
use std::sync::Arc;

use crate::atomic::{AtomicU64, Ordering};
use crate::copy::lane_copy::{
    LONG_BYTES, LongCopy, TAKEN_OVER_BYTES, ask_for_line, hand_over_line, look_ahead, string_move,
};
use crate::copy::{LINE_DATA_BYTES, copy_line};
use crate::lane::line_distance::LineDistance;
use crate::lane::record::{HEADER_BYTES, LINE_BYTES, lines_for};
use crate::lane::room::LaneRoom;
use crate::lane::{Arrived, Consumer, LaneMemory, Producer, Reserved, ReservedLine};
use crate::processor::{self, Processor};
use crate::segment::mapped::Mapped;
use crate::segment::offset::Offset;
use crate::segment::{Segment, SegmentError};
use crate::shareable::LinePadded;
use crate::sleep::bells::Bells;

/// The origin's end of a lane in a segment.
pub type LaneProducer = Producer<MappedLane>;

/// The target's end of a lane in a segment.
pub type LaneConsumer = Consumer<MappedLane>;

/// From so many lines on, a ring's distance is measured.
const TIMED_LINES: u64 = 4096;

/// Records of so many lines have long copies.
const LONG_LINES: u64 = lines_for(LONG_BYTES);

/// A lane's lines and cursor in a segment.
#[derive(Debug)]
pub struct MappedLane {
    base: *mut u8,
    consumed: Mapped<AtomicU64>,
    lines: u64,
    long: LongCopy,
    processor: Processor,
    distance: LineDistance,
    /// Whether the ring is in huge pages.
    is_huge: Cell<bool>,
    /// The target's bells, and which of them is this lane's.
    bell: Option<(Mapped<LinePadded<Bells>>, usize)>,
    /// Keeps the mapping that `base` leads into.
    segment: Arc<Segment>,
}

impl MappedLane {
    /// The lane with `lines` lines at byte `ring` and its cursor at `cursor`.
    ///
    /// # Errors
    ///
    /// [`SegmentError::OutOfBounds`] if either does not lie in the segment.
    pub fn new(
        segment: &Arc<Segment>,
        ring: u64,
        lines: u64,
        cursor: Offset<AtomicU64>,
    ) -> Result<Self, SegmentError> {
        assert!(
            lines.is_power_of_two() && lines >= 4,
            "a ring has a power of two of lines"
        );
        let base = segment.bytes_at(ring, lines * LINE_BYTES as u64)?;
        let consumed = Mapped::new(segment, cursor)?;
        let lane = Self {
            base,
            consumed,
            lines,
            long: LongCopy::default(),
            processor: processor::this(),
            distance: LineDistance::default(),
            is_huge: Cell::new(false),
            bell: None,
            segment: Arc::clone(segment),
        };
        lane.settle();
        Ok(lane)
    }

    /// The lane with a bell: that of `origin`, among its target's.
    #[must_use]
    pub fn with_bell(mut self, bells: Mapped<LinePadded<Bells>>, origin: usize) -> Self {
        self.bell = Some((bells, origin));
        self
    }

    /// Whether the lane may have carried anything: its bell has rung, or it has none.
    pub fn has_opened(&self) -> bool {
        let bell = self.bell.as_ref();
        bell.is_none_or(|(bells, origin)| bells.has_rung(*origin))
    }

    /// Has long data copied as suits the distance, where that is known of the processor.
    fn settle(&self) {
        match (self.processor.stores_without_fetch, self.distance.is_near()) {
            (false, _) => {}
            (true, true) => self.long.settle(usize::MAX),
            (true, false) => self.long.settle(TAKEN_OVER_BYTES),
        }
    }

    /// The first byte of line `index`.
    #[inline(always)]
    fn line(&self, index: u64) -> *mut u8 {
        debug_assert!(index < self.lines);
        self.base.wrapping_add(index as usize * LINE_BYTES)
    }
}

impl LaneMemory for MappedLane {
    #[inline(always)]
    fn lines(&self) -> u64 {
        self.lines
    }

    #[inline(always)]
    fn word(&self, index: u64) -> &AtomicU64 {
        let index = index & (self.lines - 1);
        // SAFETY: the ring of `lines` lines lies in the mapping (checked in `new`), which
        // `segment` keeps; a line is aligned to 64 bytes; any bytes are an AtomicU64.
        unsafe { &*self.line(index).cast::<AtomicU64>() }
    }

    #[inline(always)]
    fn consumed(&self) -> &AtomicU64 {
        &self.consumed
    }

    fn load_consumed(&self) -> u64 {
        let load = || self.consumed.load(Ordering::Acquire);
        // Short rings are read often, and have no packets whose length could suit the distance.
        if self.lines < TIMED_LINES {
            return load();
        }
        let consumed = self.distance.timed(load);
        self.settle();
        consumed
    }

    #[cold]
    fn open(&self) {
        if let Some((bells, origin)) = &self.bell {
            bells.ring(*origin);
        }
    }

    #[cold]
    fn prepare(&self, first: u64, lines: u64) -> u64 {
        let ring_bytes = self.lines as usize * LINE_BYTES;
        if self.is_huge.get() || self.segment.make_huge(self.base, ring_bytes) {
            self.is_huge.set(true);
            return self.lines;
        }
        let bytes = lines as usize * LINE_BYTES;
        self.segment.make_ready(self.line(first), bytes);
        first + lines
    }

    #[inline(always)]
    fn is_streamed(&self, lines: u64) -> bool {
        lines >= LONG_LINES && self.long.streams()
    }

    #[inline(always)]
    fn is_taken_over(&self, lines: u64) -> bool {
        self.is_streamed(lines) || self.long.stores_without_fetch(lines as usize * LINE_BYTES)
    }

    #[inline(always)]
    fn apart_from(&self) -> u64 {
        self.processor.apart_from
    }

    #[inline(always)]
    fn expect(&self, first: u64, lines: u64) {
        for line in first..first + lines {
            ask_for_line(self.line(line));
        }
    }

    #[inline(always)]
    fn hand_over(&self, first: u64, lines: u64) {
        for line in first..first + lines {
            hand_over_line(self.line(line));
        }
    }

    #[inline(always)]
    fn look_ahead(&self, index: u64) {
        look_ahead(self.line(index & (self.lines - 1)));
    }
}

impl LaneProducer {
    /// Copies `bytes` bytes from `source` into the record's payload, from byte `at` on.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes, and `at + bytes` is at most the number
    /// of payload bytes that `reserved` was reserved for.
    #[inline(always)]
    pub unsafe fn write(&self, reserved: &Reserved, at: usize, source: *const u8, bytes: usize) {
        // SAFETY: the caller vouches for the source and that the payload has the room;
        // the record was reserved, so the consumer does not read it yet.
        unsafe { self.room(reserved).behind(at).write(source, bytes) };
    }

    /// The same by a string move, which needs no lines that were fetched before.
    ///
    /// # Safety
    ///
    /// As for [`Self::write`].
    #[inline(always)]
    pub unsafe fn write_string(
        &self,
        reserved: &Reserved,
        at: usize,
        source: *const u8,
        bytes: usize,
    ) {
        // SAFETY: as in `write`.
        unsafe { string_move(source, self.room(reserved).behind(at).address(), bytes) };
    }

    /// Writes one 8-byte word into the record's payload at byte `at`.
    ///
    /// # Panics
    ///
    /// If the record has no room for it: `at` is a constant wherever this is called, so
    /// the check costs at most a comparison.
    #[inline(always)]
    pub fn write_word(&self, reserved: &Reserved, at: usize, value: u64) {
        assert!(
            reserved.has_room(at + 8),
            "a word is written inside of its record"
        );
        // SAFETY: an 8-byte local is readable, and the record has the room.
        unsafe { self.write(reserved, at, (&raw const value).cast(), 8) };
    }

    /// Whether the target is near, as far as is known (`line_distance`).
    #[inline(always)]
    pub fn is_near(&self) -> bool {
        self.memory().distance.is_near()
    }

    /// Whether long data is written past the caches, as far as is known ([`LongCopy`]).
    #[inline(always)]
    pub fn streams(&self) -> bool {
        self.memory().long.streams()
    }

    /// Whether [`Self::write_string`] is the best way for packets of a long message, which its target reads while others
    /// are written.
    #[inline(always)]
    pub fn stores_without_fetch(&self) -> bool {
        self.memory().processor.stores_without_fetch
    }

    /// The payload of a reserved record, to be filled in place.
    #[inline(always)]
    pub fn room(&self, reserved: &Reserved) -> LaneRoom<'_> {
        let payload = self.memory().line(reserved.line).wrapping_add(HEADER_BYTES);
        LaneRoom::new(payload, &self.memory().long)
    }
}

impl LaneConsumer {
    /// The payload of a record, valid until it is released.
    #[inline(always)]
    pub fn payload(&self, arrived: &Arrived) -> *const u8 {
        self.memory().line(arrived.line).wrapping_add(HEADER_BYTES)
    }
}

impl LaneProducer {
    /// Writes the payload of a record of one line: a word, then the bytes of both parts.
    ///
    /// # Safety
    ///
    /// Each part is readable for its bytes, if it has any; together they have at most
    /// [`LINE_DATA_BYTES`].
    #[inline(always)]
    pub unsafe fn write_line(
        &self,
        reserved: &ReservedLine<'_>,
        word: u64,
        [first, second]: [(*const u8, usize); 2],
    ) {
        let payload = self.memory().line(reserved.line).wrapping_add(HEADER_BYTES);
        // SAFETY: the line's payload has room for the word and the bytes behind it; the consumer
        // does not read it before it is committed. The caller vouches for the parts, and no ring
        // is ever handed out.
        unsafe {
            payload.cast::<u64>().write(word);
            if first.1 != 0 {
                copy_line(first.0, payload.add(8), first.1);
            }
            copy_line(second.0, payload.add(8 + first.1), second.1);
        }
    }
}

impl LaneConsumer {
    /// The first word of a record's payload; what it is if the payload is shorter, is not said.
    #[inline(always)]
    pub fn first_word(&self, arrived: &Arrived) -> u64 {
        // SAFETY: a record has at least one line, which lies in the ring and has room for the
        // header and this word; it is aligned to 64 bytes.
        unsafe { self.payload(arrived).cast::<u64>().read_volatile() }
    }

    /// The second word of a record's payload, as [`Self::first_word`].
    #[inline(always)]
    pub fn second_word(&self, arrived: &Arrived) -> u64 {
        // SAFETY: as in `first_word`; a line has room for both words.
        unsafe { self.payload(arrived).cast::<u64>().add(1).read_volatile() }
    }

    /// What lies behind the first word of a record of one line: its data, and behind that
    /// whatever the line has held before. All of it, since that takes no branch.
    #[inline(always)]
    pub fn line_data(&self, arrived: &Arrived) -> [u8; LINE_DATA_BYTES] {
        let data = self.payload(arrived).wrapping_add(8);
        // SAFETY: a record has at least one line, which lies in the ring and has so many bytes
        // behind the header and the word; any bytes are bytes, and they are copied once.
        unsafe { data.cast::<[u8; LINE_DATA_BYTES]>().read() }
    }

    /// Copies the data behind the first word of a record of one line.
    ///
    /// # Safety
    ///
    /// `target` is writable for `bytes` bytes, at most [`LINE_DATA_BYTES`].
    #[inline(always)]
    pub unsafe fn read_line(&self, arrived: &Arrived, target: *mut u8, bytes: usize) {
        // SAFETY: the line has room for so many bytes behind the header and the word; the
        // caller vouches for the target, and no ring is ever handed out.
        unsafe { copy_line(self.payload(arrived).wrapping_add(8), target, bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::Watched;
    use crate::lane::record::RecordHeader;

    #[test]
    fn lines_cross_a_segment() {
        let segment = Arc::new(Segment::create(16384).unwrap());
        let lane = || MappedLane::new(&segment, 4096, 16, Offset::new(0)).unwrap();
        let (producer, consumer) = (LaneProducer::new(lane()), LaneConsumer::new(lane()));
        for round in 0..1000_u64 {
            let bytes = round as usize % (LINE_DATA_BYTES + 1);
            let text: [u8; LINE_DATA_BYTES] =
                std::array::from_fn(|at| (round as u8).wrapping_add(at as u8));
            let reserved = producer.reserve_line().or_else(|| {
                // It finds out what has been read; nothing is written.
                let _room = producer.try_reserve(8 + bytes).unwrap().unwrap();
                producer.reserve_line()
            });
            let reserved = reserved.unwrap();
            assert!(consumer.peek_line(3).is_none());
            assert!(matches!(consumer.watch_line(3, 2), Watched::Nothing));
            let cut = bytes / 3;
            let parts = [(text.as_ptr(), cut), (text[cut..].as_ptr(), bytes - cut)];
            // SAFETY: the array has the bytes, which fit a line.
            unsafe { producer.write_line(&reserved, round, parts) };
            producer.commit_line(reserved, RecordHeader::new(3, 0, 8 + bytes as u32));
            assert!(consumer.peek_line(4).is_none());
            assert!(matches!(
                consumer.watch_line(4, 9),
                Watched::Other(_, false)
            ));
            let arrived = consumer.peek_line(3).unwrap();
            let watched = consumer.watch_line(3, 2);
            assert!(matches!(watched, Watched::Line(one) if one.line == arrived.line));
            assert_eq!(consumer.line_data(&arrived)[..bytes], text[..bytes]);
            // SAFETY: the record has that many payload bytes and is not released yet.
            let got = unsafe { std::slice::from_raw_parts(consumer.payload(&arrived), 8 + bytes) };
            assert_eq!(
                (&got[..8], &got[8..]),
                (&round.to_ne_bytes()[..], &text[..bytes])
            );
            consumer.release_line(arrived);
        }
        let reserved = producer.try_reserve(100).unwrap().unwrap();
        producer.commit(reserved, RecordHeader::new(3, 0, 100));
        assert!(consumer.peek_line(3).is_none() && consumer.peek().unwrap().is_some());
    }

    #[test]
    fn payloads_cross_a_segment() {
        let segment = Arc::new(Segment::create(16384).unwrap());
        let lane = || MappedLane::new(&segment, 4096, 64, Offset::new(0)).unwrap();
        let (producer, consumer) = (LaneProducer::new(lane()), LaneConsumer::new(lane()));
        for round in 0..1000_u64 {
            let text: Vec<u8> = (0..round % 900).map(|byte| (byte + round) as u8).collect();
            let reserved = producer.try_reserve(text.len() + 8).unwrap().unwrap();
            producer.write_word(&reserved, 0, round);
            // SAFETY: `text` is readable and the record has room for it behind the word.
            unsafe { producer.write(&reserved, 8, text.as_ptr(), text.len()) };
            producer.commit(reserved, RecordHeader::new(3, 0, text.len() as u32 + 8));
            let arrived = consumer.peek().unwrap().unwrap();
            let payload = consumer.payload(&arrived);
            // SAFETY: the record has that many payload bytes and is not released yet.
            let got = unsafe { std::slice::from_raw_parts(payload, text.len() + 8) };
            assert_eq!(
                (got[..8] == round.to_ne_bytes(), &got[8..]),
                (true, &text[..])
            );
            consumer.release(arrived);
        }
    }

    #[test]
    fn a_lane_outside_of_its_segment_is_refused() {
        let segment = Arc::new(Segment::create(8192).unwrap());
        assert!(MappedLane::new(&segment, 4096, 128, Offset::new(0)).is_err());
        assert!(MappedLane::new(&segment, 4096, 64, Offset::new(8192)).is_err());
    }
}
