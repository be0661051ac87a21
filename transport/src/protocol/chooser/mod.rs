//! The chooser: which of several ways is the fastest, where no profile can tell.
//!
//! A pair's profile does not say whether a program rewrites its buffers between sends, or reads what has come. Only
//! measuring says so. Sends and the sources of collective operations' data choose by one [`Schedule`], one margin and one
//! division of lengths into classes:
//!
//! ```text
//! message or operation ─▶ Schedule::next ─▶ a way, timed or not
//!                              ▲                 │
//!           follow(Told) ──────┴── what was measured: Intervals (one pair), or all members' means (a board)
//! ```
//!
//! Before: a message's [`Pace`](super::pace::Pace), or the kind of a collective operation. After: the way.

mod interval;
mod schedule;

pub(crate) use interval::Intervals;
pub(crate) use schedule::{RUN, Schedule, Told, WINDOWED_RUN};

/// The part of the other's time by which a way must be faster to be taken.
const MARGIN: f32 = 1.0 / 16.0;

/// Whether the other way is to be taken from now on: one that is taken already is kept until the usual one is clearly
/// faster.
pub(crate) fn takes_other(takes_other: bool, usual: f32, other: f32) -> bool {
    if takes_other {
        usual > other * (1.0 - MARGIN)
    } else {
        other < usual * (1.0 - MARGIN)
    }
}

/// The class of a length: lengths of the same number of binary digits are one, those below the
/// first and above the last number belong to these.
pub(crate) fn class(bytes: usize, [first, last]: [u32; 2]) -> usize {
    let digits = usize::BITS - bytes.leading_zeros();
    (digits.clamp(first, last) - first) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_left_for_one_that_is_clearly_faster() {
        assert!(!takes_other(false, 1.0, 0.95) && takes_other(false, 1.0, 0.9));
        assert!(takes_other(true, 0.95, 1.0) && !takes_other(true, 0.9, 1.0));
        assert!(!takes_other(false, f32::NAN, 1.0) && !takes_other(true, f32::NAN, 1.0));
    }

    #[test]
    fn lengths_of_as_many_digits_are_of_one_class() {
        assert_eq!(
            [0, 1 << 16, (1 << 17) - 1].map(|bytes| class(bytes, [17, 23])),
            [0; 3]
        );
        let classes = [1 << 17, 1 << 20, 1 << 22, usize::MAX].map(|bytes| class(bytes, [17, 23]));
        assert_eq!(classes, [1, 4, 6, 6]);
    }
}
