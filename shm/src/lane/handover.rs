//! What a producer does with lines once a record of several is there: its own are handed over to the target, those
//! behind it fetched for what comes next.
//!
//! Before: [`commit_to`](super::Producer::commit_to) has stored the header. After: the target finds the record's lines in the cache that
//! all cores share, and this end those of the next one in its own.
//!
//! ```text
//! header │ lines of the record │ header of the next one │ its lines ...
//!  read  │ handed over         │ looked at by the target │ fetched, to be written
//! ```
//!
//! Invariant: these are hints, to the lane that follows them; nothing is read or written.

/// Records of two to so many lines are best handed over from the origin's own cache to the shared one, once the
/// target can see them, if it reads them at once: a line comes from there in two thirds of the time. Longer ones only
/// where it has nothing else to do: where both ends send at once, what was handed over has to be fetched again to be
/// written (`docs/decisions/001-lanes.md`).
pub const HANDED_OVER_LINES: u64 = 66;

/// A record of several lines has those of another one like it fetched, but with so many: its target's
/// processor fetches the same ones ahead, and no gap keeps it away.
pub(super) const UNEXPECTED_LINES: std::ops::Range<u64> = 7..16;

/// What is likely to be written into a lane next: its lines are fetched while the target reads what has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A record like the last one, of several lines.
    Another,
    /// So many lines. None where the next record follows at once, which asks for its own lines, or where this end has
    /// something to read meanwhile.
    Lines(u64),
}

impl Expected {
    /// How many lines are fetched behind a record of so many, which has `reserved` of the ring.
    #[inline(always)]
    pub(super) fn lines(self, lines: u64, reserved: u64) -> u64 {
        match self {
            Self::Another if UNEXPECTED_LINES.contains(&reserved) => 0,
            Self::Another => lines,
            Self::Lines(lines) => lines,
        }
    }
}
