//! How far the other end of a lane is: how long a line takes that its processor has written.
//!
//! Before: the producer of a lane reads the consumer's cursor, since the ring is full as far as it knows. After: the
//! driver cuts long data in packets that suit this distance.
//!
//! ```text
//! time   │ the cursor comes from the other core's cache │ it is read again, and lies in this one's │
//!        begin                                        come                                       end
//!        distance = (come - begin) - (end - come): what reading the clock takes is in both
//! ```
//!
//! Where ranks are may change while a program runs, and a virtual machine does not say; so it is measured all the
//! time, about once for each ring that has been filled, which costs nothing beside writing it.
//!
//! Invariant: it is a hint; whatever depends on it is right at any distance.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Lines that take no longer come from a core that shares a cache with this one, or from a part of this one
/// (`docs/decisions/001-lanes.md`).
const NEAR_NS: u32 = 56;

/// Clocks tell no less apart.
const LEAST_NS: u32 = 16;

/// One end's idea of how far the other one is.
#[derive(Debug, Default)]
pub struct LineDistance {
    /// Nanoseconds that a line took, about; 0: not measured.
    ns: Cell<u32>,
    /// What the line held when it was loaded last: if it is the same, nobody has written it.
    last: Cell<u64>,
}

impl LineDistance {
    /// Whether the other end is near; not before that is known.
    #[inline(always)]
    pub fn is_near(&self) -> bool {
        (1..=NEAR_NS).contains(&self.ns.get())
    }

    /// Loads a word that the other end writes, and if it has, notes how long its line took.
    pub(crate) fn timed(&self, load: impl Fn() -> u64) -> u64 {
        let begin = Instant::now();
        let loaded = load();
        if self.last.replace(loaded) == loaded {
            return loaded;
        }
        let come = Instant::now();
        load();
        let again = come.elapsed();
        self.note((come - begin).saturating_sub(again));
        loaded
    }

    /// A line took so long. What holds up one now and then counts for little, and so does one that was fetched before
    /// it was asked for.
    fn note(&self, took: Duration) {
        let took = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX);
        let took = took.max(LEAST_NS);
        let known = self.ns.get();
        self.ns.set(match known {
            0 => took,
            _ => known - known / 4 + took.clamp(known / 2, 2 * known) / 4,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ns: &[u64]) -> bool {
        let distance = LineDistance::default();
        ns.iter()
            .for_each(|ns| distance.note(Duration::from_nanos(*ns)));
        distance.is_near()
    }

    #[test]
    fn most_lines_tell_how_far_the_other_end_is() {
        assert!(!after(&[]));
        assert!(after(&[0]) && after(&[30]));
        assert!(after(&[30, 30, 50_000, 35]), "one that was held up");
        assert!(!after(&[130]) && !after(&[130, 20]));
        assert!(
            !after(&[70, 16, 70, 70, 16]),
            "some that were there already"
        );
        assert!(
            after(&[130, 20, 20, 20, 20, 20, 20, 20]),
            "it has come nearer"
        );
        assert!(
            !after(&[20, 130, 130, 130, 130, 130, 130, 130, 130]),
            "or gone"
        );
    }

    #[test]
    fn what_is_loaded_comes_back() {
        let distance = LineDistance::default();
        assert_eq!(distance.timed(|| 7), 7);
        assert_ne!(distance.ns.replace(0), 0);
        assert_eq!(distance.timed(|| 7), 7);
        assert_eq!(distance.ns.get(), 0, "nobody has written it");
    }
}
