//! Whether a rank that shares its processing unit spins for a moment before it gives the unit up.
//!
//! Before: the waiting ladder ([`crate::waiting::ladder`]) of a rank that waits for one that was seen on another
//! processing unit ([`crate::unit::MessagingUnit::waits_elsewhere`]). After: it spins, or yields.
//!
//! A turn of the scheduler costs more than an answer of a rank that is running. With spins, two ranks that
//! answer each other stay on their processors at the same time, and the others beside them have theirs
//! afterwards (`docs/decisions/007-waiting.md`). Of the ranks that meet in a barrier, the last one of each
//! processor waits for that of the other and goes on without a turn.
//!
//! If it is not running, the spin is in vain, as it is most of the time where many ranks share few processors.
//! So spins are judged by what has become of them:
//!
//! ```text
//! 64 spins ──▶ most have seen something ──▶ 64 more
//!          └─▶ most were in vain ──▶ 16 are left out, or twice as many as the last time ──▶ 64 more
//! ```
//!
//! Ranks in pairs look for their partners whenever the scheduler has taken one of them away, in vain a few
//! dozen times, and then have thousands of answers: they must not give up so soon. Where the awaited rank never
//! runs meanwhile, as in a ring that one message goes around, spins become rare.

use std::cell::Cell;

/// Polls of a brief spin. They take somewhat longer than a turn of the scheduler, so a rank that has just got its
/// processor finds the one that it waits for.
pub(crate) const BRIEF_POLLS: u32 = 32;

/// Brief spins of one wait, one before each yield.
pub(crate) const BRIEF_TURNS: u32 = 4;

/// Spins that are judged together.
const JUDGED: u32 = 64;

/// Spins that are left out after most of those were in vain, the first time and at most.
const LEFT_OUT: std::ops::RangeInclusive<u32> = 16..=1024;

/// What has become of brief spins.
#[derive(Debug, Default)]
pub struct BriefSpins {
    begun: Cell<u32>,
    in_vain: Cell<u32>,
    left_out: Cell<u32>,
    /// How many were left out the last time, if nothing was worth it since.
    gap: Cell<u32>,
}

impl BriefSpins {
    /// Whether one begins.
    pub(crate) fn begin(&self) -> bool {
        let left_out = self.left_out.get();
        if left_out > 0 {
            self.left_out.set(left_out - 1);
            return false;
        }
        if self.begun.get() == JUDGED {
            self.judge();
        }
        self.begun.set(self.begun.get() + 1);
        true
    }

    /// One was in vain: it does not go on.
    pub(crate) fn fail(&self) -> bool {
        self.in_vain.set(self.in_vain.get() + 1);
        false
    }

    fn judge(&self) {
        self.begun.set(0);
        let gap = if self.in_vain.replace(0) > JUDGED / 2 {
            (self.gap.get() * 2).clamp(*LEFT_OUT.start(), *LEFT_OUT.end())
        } else {
            0
        };
        self.gap.set(gap);
        self.left_out.set(gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many spins begin, if each is in vain, or none.
    fn begun(spins: &BriefSpins, all: u32, in_vain: bool) -> u32 {
        let one = || {
            let begins = spins.begin();
            if begins && in_vain {
                spins.fail();
            }
            u32::from(begins)
        };
        (0..all).map(|_| one()).sum()
    }

    #[test]
    fn spins_in_vain_become_rare_and_others_stay() {
        let spins = BriefSpins::default();
        assert_eq!(begun(&spins, 1000, false), 1000);
        let some = begun(&spins, 200, true);
        assert!((130..200).contains(&some), "{some}");
        begun(&spins, 2000, true);
        let rare = begun(&spins, 10_000, true);
        assert!((300..1000).contains(&rare), "{rare}");
        // The other rank is there again.
        begun(&spins, LEFT_OUT.end() + JUDGED, false);
        assert_eq!(begun(&spins, 1000, false), 1000);
        // What is left out begins with few again.
        begun(&spins, JUDGED, true);
        assert_eq!(begun(&spins, LEFT_OUT.start() + JUDGED, true), JUDGED);
    }
}
