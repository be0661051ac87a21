//! The waiting ladder: spin, yield, sleep.
//!
//! A wait for a message calls [`Ladder::step`] after every poll that found nothing,
//! and [`Ladder::reset`] after one that did.
//!
//! | rung  | alone on its processing unit       | sharing it with other ranks |
//! |-------|------------------------------------|-----------------------------|
//! | spin  | the first [`SPIN_POLLS`] polls      | only briefly: the peer needs the processor |
//! | yield | the next [`YIELDS`]                 | the first [`OVERSUBSCRIBED_YIELDS`] polls |
//! | sleep | afterwards, until a sender wakes it | the same |
//!
//! A rank that shares its processing unit and waits for one on another unit spins briefly before it yields
//! ([`crate::waiting::brief_spins`]).
//!
//! A wake-up costs several microseconds, so sleeping only begins when the wait has
//! been much longer than that; from then on it costs no processor time at all.
//!
//! Where it is known ahead that a wait will be long, since the waits before it were
//! ([`Expected::Long`]), the first two rungs are left out but for a few polls: they would only
//! burn what a second program, or the turbo of the ranks that still compute, could use. Where
//! there is a second program (`PAMIR_WAIT=brief`, [`Expected::Shared`]) every wait spins for a
//! millisecond or so at most, instead of up to thirty.

use std::time::Duration;

use crate::waiting::brief_spins::{BRIEF_POLLS, BRIEF_TURNS, BriefSpins};

/// Empty polls before a rank that has its processing unit alone gives it up for a moment.
pub const SPIN_POLLS: u32 = 20_000;

/// Yields before such a rank sleeps.
pub const YIELDS: u32 = 32;

/// Yields before a rank that shares its processing unit sleeps.
pub const OVERSUBSCRIBED_YIELDS: u32 = 400;

/// Empty polls before a rank that shares its processing unit with a second program gives it up:
/// so many that a wake-up is little beside them (`docs/decisions/007-waiting.md`).
pub const SHARED_POLLS: u32 = 1_000;

/// The first sleeps of a wait that nobody ends by a wake-up, so that it has to look again.
pub const NAP: Duration = Duration::from_micros(50);

/// So many naps of a wait are alike; where processing units are shared, those that follow are
/// twice as long.
const NAPS_ALIKE: u32 = 6;

/// How often naps are doubled: the longest is longer than the kernel's slices.
const NAP_DOUBLINGS: u32 = 7;

/// How long the nap after so many others of the same wait is.
///
/// A thread that sleeps for less than the kernel's slice, again and again, beside threads that
/// yield keeps the programs of all other sessions from a processor (`docs/decisions/007-waiting.md`). Such
/// sleeps therefore get longer, in step with the wait.
pub fn nap(before: u32, oversubscribed: bool) -> Duration {
    if oversubscribed {
        NAP * (1 << (before / NAPS_ALIKE).min(NAP_DOUBLINGS))
    } else {
        NAP
    }
}

/// From which expected wait on a rank sleeps at once: many times what a wake-up costs, in
/// nanoseconds.
pub const LONG_WAIT_NS: u64 = 500_000;

/// Empty polls before such a sleep: the message may be there already.
const LONG_WAIT_POLLS: u32 = 16;

/// What is known of a wait before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// Nothing, and nothing else needs the processing unit.
    #[default]
    Unknown,
    /// Nothing, but a second program can use the processing unit meanwhile.
    Shared,
    /// It will take [`LONG_WAIT_NS`] or more.
    Long,
}

impl Expected {
    /// What is known of a wait that is expected to take `expected_ns`, since those before it did.
    ///
    /// A rank that shares its processing unit waits as ever: it gives the unit up anyway, and where
    /// many ranks sleep at once, each wake-up stands in the way of the next one. Waits would then be
    /// long because all ranks expect them to be, for good (`docs/decisions/007-waiting.md`).
    pub fn foreseen(expected_ns: u64, oversubscribed: bool) -> Self {
        if expected_ns >= LONG_WAIT_NS && !oversubscribed {
            Self::Long
        } else {
            Self::Unknown
        }
    }

    /// What `PAMIR_WAIT` says of all waits of this process.
    pub fn from_environment() -> Self {
        Self::of_word(pamir_settings::WAIT.value())
    }

    fn of_word(word: &str) -> Self {
        match word {
            "brief" => Self::Shared,
            _ => Self::Unknown,
        }
    }
}

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
    /// Polls of the brief spin under way.
    brief: u32,
}

impl Ladder {
    /// The ladder of a rank that shares its processing unit with others, or not.
    #[inline(always)]
    pub fn new(oversubscribed: bool) -> Self {
        let (spins, yields) = if oversubscribed {
            (0, OVERSUBSCRIBED_YIELDS)
        } else {
            (SPIN_POLLS, YIELDS)
        };
        Self {
            spins,
            yields,
            polls: 0,
            brief: 0,
        }
    }

    /// The same for a wait of which that is known.
    #[inline(always)]
    pub fn expecting(mut self, expected: Expected) -> Self {
        match expected {
            Expected::Unknown => {}
            Expected::Shared => self.spins = self.spins.min(SHARED_POLLS),
            Expected::Long => {
                self.spins = self.spins.min(LONG_WAIT_POLLS);
                self.yields = 0;
            }
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

    /// As [`Self::step`], for who waits for one rank, which may be `running` on another processing
    /// unit: where yielding comes first, that rank is given a moment before.
    #[inline(always)]
    pub fn step_for(&mut self, spins: &BriefSpins, running: impl FnOnce() -> bool) -> Rung {
        if self.spins == 0 && self.polls < BRIEF_TURNS.min(self.yields) {
            self.step_briefly(spins, running)
        } else {
            self.step()
        }
    }

    fn step_briefly(&mut self, spins: &BriefSpins, running: impl FnOnce() -> bool) -> Rung {
        let goes_on = match self.brief {
            0 => running() && spins.begin(),
            BRIEF_POLLS => spins.fail(),
            _ => true,
        };
        if goes_on {
            self.brief += 1;
            return Rung::Spin;
        }
        self.brief = 0;
        self.step()
    }

    /// After [`Rung::Sleep`]: how long a rank sleeps that nobody wakes.
    pub fn nap(&self) -> Duration {
        let sleeps = self.polls.saturating_sub(self.spins + self.yields + 1);
        // As in `step_for`: only who shares its processing unit begins with yields.
        nap(sleeps, self.spins == 0)
    }

    /// After a poll that found something: start again at the top.
    pub fn reset(&mut self) {
        self.polls = 0;
        self.brief = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(oversubscribed: bool) -> [usize; 3] {
        climb_on(Ladder::new(oversubscribed))
    }

    fn climb_on(mut ladder: Ladder) -> [usize; 3] {
        let rungs: Vec<_> = (0..SPIN_POLLS + 1000).map(|_| ladder.step()).collect();
        [Rung::Spin, Rung::Yield, Rung::Sleep]
            .map(|rung| rungs.iter().filter(|r| **r == rung).count())
    }

    #[test]
    fn a_long_wait_that_is_expected_is_slept_through() {
        let long = |oversubscribed| Ladder::new(oversubscribed).expecting(Expected::Long);
        assert_eq!(climb_on(long(false))[..2], [LONG_WAIT_POLLS as usize, 0]);
        assert_eq!(climb_on(long(true))[..2], [0, 0]);
        let unknown = Ladder::new(false).expecting(Expected::Unknown);
        assert_eq!(climb_on(unknown), climb(false));
        // A message of several rounds does not change what is expected of the next.
        let mut ladder = long(true);
        ladder.reset();
        assert_eq!(ladder.step(), Rung::Sleep);
    }

    #[test]
    fn who_shares_a_processor_does_not_sleep_because_the_others_do() {
        assert_eq!(Expected::foreseen(LONG_WAIT_NS, false), Expected::Long);
        assert_eq!(
            Expected::foreseen(LONG_WAIT_NS - 1, false),
            Expected::Unknown
        );
        assert_eq!(
            Expected::foreseen(10 * LONG_WAIT_NS, true),
            Expected::Unknown
        );
    }

    #[test]
    fn waits_are_brief_beside_a_second_program() {
        let shared =
            |oversubscribed| Ladder::new(oversubscribed).expecting(Expected::of_word("brief"));
        let brief = [SHARED_POLLS as usize, YIELDS as usize];
        assert_eq!(climb_on(shared(false))[..2], brief);
        assert_eq!(climb_on(shared(true)), climb(true));
        assert_eq!(Expected::of_word("long"), Expected::Unknown);
    }

    #[test]
    fn a_rank_that_may_be_running_is_given_a_moment_before_each_of_the_first_yields() {
        let spins = BriefSpins::default();
        let mut ladder = Ladder::new(true);
        for _ in 0..BRIEF_TURNS {
            let rungs: Vec<_> = (0..=BRIEF_POLLS)
                .map(|_| ladder.step_for(&spins, || true))
                .collect();
            assert!(
                rungs[..BRIEF_POLLS as usize]
                    .iter()
                    .all(|rung| *rung == Rung::Spin)
            );
            assert_eq!(rungs[BRIEF_POLLS as usize], Rung::Yield);
        }
        assert_eq!(ladder.step_for(&spins, || true), Rung::Yield);
        ladder.reset();
        assert_eq!(ladder.step_for(&spins, || false), Rung::Yield);
        assert_eq!(ladder.step_for(&spins, || true), Rung::Spin);
        // Who is alone spins anyway, and asks nobody.
        let mut ladder = Ladder::new(false);
        assert_eq!(ladder.step_for(&spins, || unreachable!()), Rung::Spin);
        let mut ladder = Ladder::new(true).expecting(Expected::Long);
        assert_eq!(ladder.step_for(&spins, || unreachable!()), Rung::Sleep);
    }

    #[test]
    fn naps_get_longer_than_a_slice_where_a_processor_is_shared() {
        let naps = |oversubscribed| {
            let mut ladder = Ladder::new(oversubscribed);
            while ladder.step() != Rung::Sleep {}
            let mut naps = vec![ladder.nap()];
            naps.extend((0..99).map(|_| (ladder.step(), ladder.nap()).1));
            naps
        };
        assert!(naps(false).iter().all(|nap| *nap == NAP));
        let shared = naps(true);
        assert_eq!(shared[0], NAP);
        assert!(shared[99] > Duration::from_millis(4));
        // But for the first, no nap is longer than a third of the wait before it.
        for number in NAPS_ALIKE as usize..100 {
            let before: Duration = shared[..number].iter().sum();
            assert!(shared[number] <= before / 3, "{number}");
        }
    }

    #[test]
    fn rungs_follow_each_other() {
        assert_eq!(climb(false)[..2], [SPIN_POLLS as usize, YIELDS as usize]);
        assert_eq!(climb(true)[..2], [0, OVERSUBSCRIBED_YIELDS as usize]);
        let mut ladder = Ladder::new(true);
        ladder.step();
        ladder.reset();
        assert_eq!(ladder.step(), Rung::Yield);
    }
}
