//! How an array's items lie in memory.
//!
//! Before: the program says how many items there are, and how long. After: [`super::array`] finds each one's bytes.

use std::ops::Range;

/// How an array's items lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many items there are in all.
    pub items: u64,
    /// Bytes of one.
    pub item_bytes: usize,
    /// How many items beside the own range, on each side, hold what neighbours have there.
    pub border: u64,
}

impl Shape {
    /// Bytes of all items, if that many can be.
    pub fn bytes(&self) -> Option<usize> {
        let items = usize::try_from(self.items).ok()?;
        items
            .checked_mul(self.item_bytes)
            .filter(|bytes| isize::try_from(*bytes).is_ok())
    }

    /// The bytes of items `range`, with `beside` more on both sides.
    pub(super) fn bytes_of(&self, range: &Range<u64>, beside: u64) -> Range<usize> {
        let start = range.start.saturating_sub(beside) as usize;
        let end = range.end.saturating_add(beside).min(self.items) as usize;
        start * self.item_bytes..end * self.item_bytes
    }
}
