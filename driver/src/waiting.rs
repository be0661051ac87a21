//! The waiting ladder: spin, yield, sleep.
//!
//! Who waits for a message calls [`Ladder::step`] after every poll that found nothing,
//! and [`Ladder::reset`] after one that did.
//!
//! | rung  | alone on its processing unit       | sharing it with other ranks |
//! |-------|------------------------------------|-----------------------------|
//! | spin  | the first [`SPIN_POLLS`] polls      | never: the peer needs the processor |
//! | yield | the next [`YIELDS`]                 | the first [`CROWDED_YIELDS`] polls |
//! | sleep | afterwards, until a sender wakes it | the same |
//!
//! A wake-up costs several microseconds, so sleeping only begins when the wait has
//! been much longer than that; from then on it costs no processor time at all.
//!
//! Where it is known ahead that a wait will be long, since the waits before it were
//! ([`Ladder::expecting`]), the first two rungs are left out but for a few polls: they would only
//! burn what a second program, or the turbo of the ranks that still compute, could use.

/// Empty polls before a rank that has its processing unit alone gives it up for a moment.
pub const SPIN_POLLS: u32 = 20_000;

/// Yields before such a rank sleeps.
pub const YIELDS: u32 = 32;

/// Yields before a rank that shares its processing unit sleeps.
pub const CROWDED_YIELDS: u32 = 400;

/// From which expected wait on a rank sleeps at once: many times what a wake-up costs, in
/// nanoseconds.
pub const LONG_WAIT_NS: u64 = 500_000;

/// Empty polls before such a sleep: the message may be there already.
const LONG_WAIT_POLLS: u32 = 16;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Poll again at once.
    Spin,
    /// Let another rank run, then poll again.
    Yield,
    /// Sleep until a message comes.
    Sleep,
}

/// How long one wait has lasted, in empty polls.
#[derive(Debug)]
pub struct Ladder {
    spins: u32,
    yields: u32,
    polls: u32,
}

impl Ladder {
    /// The ladder of a rank that shares its processing unit with others, or not.
    #[inline(always)]
    pub fn new(crowded: bool) -> Self {
        let (spins, yields) = if crowded {
            (0, CROWDED_YIELDS)
        } else {
            (SPIN_POLLS, YIELDS)
        };
        Self {
            spins,
            yields,
            polls: 0,
        }
    }

    /// The same for a wait that is expected to take so long, in nanoseconds; 0 where nobody knows.
    #[inline(always)]
    pub fn expecting(mut self, wait_ns: u64) -> Self {
        if wait_ns >= LONG_WAIT_NS {
            self.spins = self.spins.min(LONG_WAIT_POLLS);
            self.yields = 0;
        }
        self
    }

    /// After an empty poll: what to do before the next one.
    #[inline(always)]
    pub fn step(&mut self) -> Rung {
        self.polls = self.polls.saturating_add(1);
        if self.polls <= self.spins {
            Rung::Spin
        } else if self.polls - self.spins <= self.yields {
            Rung::Yield
        } else {
            Rung::Sleep
        }
    }

    /// After a poll that found something: start again at the top.
    pub fn reset(&mut self) {
        self.polls = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(crowded: bool) -> [usize; 3] {
        climb_on(Ladder::new(crowded))
    }

    fn climb_on(mut ladder: Ladder) -> [usize; 3] {
        let rungs: Vec<_> = (0..SPIN_POLLS + 1000).map(|_| ladder.step()).collect();
        [Rung::Spin, Rung::Yield, Rung::Sleep]
            .map(|rung| rungs.iter().filter(|r| **r == rung).count())
    }

    #[test]
    fn a_long_wait_that_is_expected_is_slept_through() {
        let long = |crowded| Ladder::new(crowded).expecting(LONG_WAIT_NS);
        assert_eq!(climb_on(long(false))[..2], [LONG_WAIT_POLLS as usize, 0]);
        assert_eq!(climb_on(long(true))[..2], [0, 0]);
        let short = Ladder::new(false).expecting(LONG_WAIT_NS - 1);
        assert_eq!(climb_on(short), climb(false));
        // A message of several rounds does not change what is expected of the next.
        let mut ladder = long(true);
        ladder.reset();
        assert_eq!(ladder.step(), Rung::Sleep);
    }

    #[test]
    fn rungs_follow_each_other() {
        assert_eq!(climb(false)[..2], [SPIN_POLLS as usize, YIELDS as usize]);
        assert_eq!(climb(true)[..2], [0, CROWDED_YIELDS as usize]);
        let mut ladder = Ladder::new(true);
        ladder.step();
        ladder.reset();
        assert_eq!(ladder.step(), Rung::Yield);
    }
}
