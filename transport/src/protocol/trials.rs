//! What one context has learned of its targets and its origins: the state of the chooser for sends.
//!
//! Packets are sent without asking, so the origin must know the fastest way. The target times it, and tells the origin.
//!
//! ```text
//! origin                                        target
//!   EAGER, or EAGER_LONG ... (timed) ─────────▶ times the run that it is part of
//!   REQUEST_TO_SEND (timed) ──────────────────▶ times it
//!   follows           ◀──────── PREFERENCE ──── the fastest way, if that has changed
//! ```
//!
//! Before: [`super::route`] has left a message to the chooser. After: `crate::tagged::timed_run` sends and times it.
//!
//! Invariant: a preference is a hint; each way is right at any time.

use std::time::Instant;

use super::chooser::{Intervals, Schedule, Told};
use super::flags::{AGAIN, PACE_SHIFT, RUN_NUMBERS, RUN_SHIFT, TIMED, WAY_SHIFT};
use super::pace::{CLASSES, PACES, Pace, WAYS, Way};

/// A message that is timed, as part of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    pub(crate) origin: u32,
    pace: Pace,
    /// The number of the run.
    run: u8,
    way: Way,
    bytes: u32,
}

impl Timed {
    /// What the `auxiliary` number of a message's first packet, or its request, says.
    #[inline(always)]
    pub(crate) fn new(origin: u32, bytes: usize, way: Way, auxiliary: u16) -> Option<Self> {
        if auxiliary & TIMED == 0 {
            return None;
        }
        let pace = PACES.get(usize::from(auxiliary >> PACE_SHIFT))?;
        Some(Self {
            origin,
            pace: *pace,
            run: (auxiliary >> RUN_SHIFT) as u8 % RUN_NUMBERS,
            way,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        })
    }
}

/// What a message says of the run that it is timed in; 0 where it is not timed.
fn timed_flags(pace: Pace, run: Option<u8>) -> u16 {
    run.map_or(0, |run| {
        TIMED | u16::from(run) << RUN_SHIFT | (pace as u16) << PACE_SHIFT
    })
}

/// What the origin knows of one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetTrials {
    schedules: [Schedule; CLASSES],
}

impl TargetTrials {
    /// How the next message of `bytes` bytes goes, and what the target is told of timing it.
    pub(crate) fn next(&mut self, pace: Pace, bytes: usize) -> (Way, u16) {
        let class = pace.class(bytes);
        let ways = pace.ways(class);
        if self.knows_other_lengths(pace) {
            self.schedules[class].skip_first();
        }
        let next = self.schedules[class].next(ways.len(), pace.run_messages());
        (ways[next.way], timed_flags(pace, next.timed))
    }

    /// Whether a length of a long pace has had its trial. Packets go round the whole lane, whose memory comes as it is
    /// first used, so the first trial of all waits for a second message.
    fn knows_other_lengths(&self, pace: Pace) -> bool {
        pace == Pace::LongAwaited
            && self.schedules[pace.all_classes()]
                .iter()
                .any(|other| other.has_tried())
    }

    /// The target has told its preference; false if there is no such class or way.
    #[must_use]
    pub(crate) fn follow(&mut self, word: u16) -> bool {
        let class = usize::from(word & ((1 << WAY_SHIFT) - 1));
        let way = (word & !AGAIN) >> WAY_SHIFT;
        let ways = Pace::of_class(class).map_or(0, |pace| pace.ways(class).len());
        if usize::from(way) >= ways {
            return false;
        }
        self.schedules[class].follow(Told {
            way: way as u8,
            again: word & AGAIN != 0,
        });
        true
    }

    /// The way that messages of `bytes` bytes are to go, and whether others have been tried.
    pub(crate) fn preferred(&self, pace: Pace, bytes: usize) -> (Way, bool) {
        let class = pace.class(bytes);
        let schedule = &self.schedules[class];
        (pace.ways(class)[schedule.preferred()], schedule.has_tried())
    }
}

/// What the target knows of one origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct OriginTrials {
    intervals: [Intervals<WAYS>; CLASSES],
}

impl OriginTrials {
    /// All data of a timed message has come; the preference that the origin is to be told, if it is another one.
    pub(crate) fn end(&mut self, timed: Timed, now: Instant) -> Option<u16> {
        let (pace, bytes) = (timed.pace, timed.bytes as usize);
        let class = pace.class(bytes);
        let way = pace.ways(class).iter().position(|way| *way == timed.way)?;
        let run = (timed.run, pace.run_messages());
        let told = self.intervals[class].end(way, run, bytes, now)?;
        let again = if told.again { AGAIN } else { 0 };
        Some(class as u16 | u16::from(told.way) << WAY_SHIFT | again)
    }

    /// Whether messages of `bytes` bytes have been timed by each way.
    #[cfg(test)]
    pub(crate) fn have_timed(&self, pace: Pace, bytes: usize) -> [bool; WAYS] {
        self.intervals[pace.class(bytes)].have_timed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_of_which_run_it_is() {
        for pace in PACES {
            for run in 0..RUN_NUMBERS {
                let word = timed_flags(pace, Some(run));
                let timed = Timed::new(3, 50_000, Way::Alone, word | 0b1_1111);
                assert!(timed.is_some_and(|timed| (timed.pace, timed.run) == (pace, run)));
            }
        }
        assert!(Timed::new(3, 50_000, Way::Alone, !TIMED).is_none());
        assert!(Timed::new(3, 50_000, Way::Alone, u16::MAX).is_none());
    }

    #[test]
    fn trials_begin_at_once_where_another_length_has_had_its_own() {
        let mut target = TargetTrials::default();
        let mut next = |bytes| target.next(Pace::LongAwaited, bytes).0;
        for turn in 0..16 {
            let expected = [Way::Together, Way::Together, Way::Packets, Way::Alone][turn / 4];
            assert_eq!(next(1 << 17), expected);
        }
        assert_eq!(next(1 << 20), Way::Packets);
        let mut fresh = TargetTrials::default();
        assert_eq!(fresh.next(Pace::LongAwaited, 1 << 20).0, Way::Together);
    }

    #[test]
    fn the_origin_follows_what_the_target_has_timed() {
        let (mut target, mut origin) = (TargetTrials::default(), OriginTrials::default());
        let mut now = Instant::now();
        for _ in 0..64 {
            let (way, flags) = target.next(Pace::Awaited, 50_000);
            now += std::time::Duration::from_micros(if way == Way::Alone { 2 } else { 3 });
            let timed = Timed::new(0, 50_000, way, flags);
            if let Some(word) = timed.and_then(|timed| origin.end(timed, now)) {
                assert!(target.follow(word));
            }
        }
        assert_eq!(target.preferred(Pace::Awaited, 50_000), (Way::Alone, true));
        assert_eq!(origin.have_timed(Pace::Awaited, 50_000), [true; 3]);
        assert!(!target.follow(u16::MAX) && !target.follow(7 << WAY_SHIFT));
    }
}
