//! What a lane asks of the memory that it works on.
//!
//! Before: the lane has a record to write or to read. After: a mapping ([`crate::lane::mapped`]), or a test's array.

use crate::atomic::{AtomicU64, Ordering};

/// Records of fewer lines are never kept apart: those of a line are told by their whole header word.
pub(crate) const FEWEST_APART: u64 = 3;

/// The memory that a lane works on.
pub trait LaneMemory {
    /// How many lines the ring has: a power of two, at least 4.
    fn lines(&self) -> u64;

    /// The header word of line `index`, counted around the ring.
    fn word(&self, index: u64) -> &AtomicU64;

    /// The cursor that the consumer publishes.
    fn consumed(&self) -> &AtomicU64;

    /// That cursor, loaded with Acquire.
    fn load_consumed(&self) -> u64 {
        self.consumed().load(Ordering::Acquire)
    }

    /// The lane is about to carry its first record.
    fn open(&self) {}

    /// Lines `first` to `first + lines` are about to be used by this end for the first time; up to which line all are
    /// ready then.
    fn prepare(&self, first: u64, lines: u64) -> u64 {
        first + lines
    }

    /// Whether the payload of a record of so many lines is written past the caches.
    fn is_streamed(&self, _lines: u64) -> bool {
        false
    }

    /// Whether the payload of a record of so many lines is written without lines that were fetched before.
    fn is_taken_over(&self, lines: u64) -> bool {
        self.is_streamed(lines)
    }

    /// From so many lines on, other records stay away from a record's end; at least `FEWEST_APART`.
    fn apart_from(&self) -> u64 {
        FEWEST_APART
    }

    /// Lines `first` to `first + lines`, which are free, are likely to be written next.
    fn expect(&self, _first: u64, _lines: u64) {}

    /// Lines `first` to `first + lines` were written, and the other end reads them now.
    fn hand_over(&self, _first: u64, _lines: u64) {}

    /// Line `index`, counted around the ring, is likely to be read soon.
    fn look_ahead(&self, _index: u64) {}
}
