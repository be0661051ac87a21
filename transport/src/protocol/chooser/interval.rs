//! The message interval: how soon the messages of a run follow each other by each way.
//!
//! Before: all data of a message that is part of a timed run has come. After: the fastest way, if it has become another one,
//! and whether all ways are to be tried again; [`super::schedule`] follows.
//!
//! The interval is compared, not the time that a message takes. A way leaves data in one processor's cache or the other's,
//! and the program that reads or rewrites it pays for that after the message. The interval holds every cost, whoever
//! bears it; where it is lost beside the program's other work, the usual way stays.
//!
//! ```text
//! run of four:  the first message ends: the clock starts │ the second │ the third │ the fourth ends: three
//!               intervals
//! ```
//!
//! Where many messages are under way at once, runs are longer ([`WINDOWED_RUN`](super::WINDOWED_RUN)), since ways that meet
//! in the same caches say nothing of each other. They end in any order, and an eighth of a run may be missing, since some of its
//! messages were not matched when they came.
//!
//! A measurement holds while the program does the same. Where the best way's intervals have become others, all ways are
//! tried again, as in the beginning.
//!
//! Invariant: the clock is the caller's.

use std::time::Instant;

use super::schedule::Told;
use super::takes_other;
use crate::protocol::flags::RUN_NUMBERS;

/// Times that are that much shorter than those before, as a part of them, are believed at once.
const MUCH_FASTER: f32 = 0.6;

/// Times of the best way that differ from those before by this factor mean that the program does something else,
const CHANGE: f32 = 1.5;

/// if so many runs in a row say so,
const CHANGED: u32 = 2;

/// after so many runs at least that were as before, or what happens once would be tried for ever.
const SETTLED: u32 = 16;

/// A run that is being timed.
#[derive(Clone, Copy, Debug)]
struct Run {
    way: usize,
    messages: u32,
    /// When the first of its messages to end did so.
    begin: Instant,
}

/// How soon messages follow each other by each way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals<const WAYS: usize> {
    run: Option<Run>,
    /// The number of the last run that has begun.
    number: Option<u8>,
    /// Nanoseconds a byte; 0: not measured.
    took: [f32; WAYS],
    best: u8,
    /// Runs since all was tried again.
    settled: u32,
    /// Runs of the best way in a row whose times were others,
    changed: u32,
    /// and how long those before had taken.
    unchanged: f32,
}

impl<const WAYS: usize> Default for Intervals<WAYS> {
    fn default() -> Self {
        Self {
            run: None,
            number: None,
            took: [0.0; WAYS],
            best: 0,
            settled: 0,
            changed: 0,
            unchanged: 0.0,
        }
    }
}

impl<const WAYS: usize> Intervals<WAYS> {
    /// A message of `bytes` bytes has ended `now` that is part of the timed run `number`, which has so many messages;
    /// what that tells.
    pub(crate) fn end(
        &mut self,
        way: usize,
        (number, run_messages): (u8, u32),
        bytes: usize,
        now: Instant,
    ) -> Option<Told> {
        let took = self.run_end(way, (number, run_messages), now)?;
        self.note(way, took / bytes.max(1) as f32)
    }

    /// Nanoseconds from one message of a run to the next, if this was the last one that counts.
    fn run_end(
        &mut self,
        way: usize,
        (number, run_messages): (u8, u32),
        now: Instant,
    ) -> Option<f32> {
        if self.is_new(number) {
            self.number = Some(number);
            self.run = Some(Run {
                way,
                messages: 1,
                begin: now,
            });
            return None;
        }
        let is_it = self.number == Some(number);
        let run = self.run.as_mut().filter(|run| is_it && run.way == way)?;
        run.messages += 1;
        let counting = run_messages - run_messages / 8;
        if run.messages < counting {
            return None;
        }
        let took = now.duration_since(run.begin).as_nanos() as f32;
        self.run = None;
        Some(took / (counting - 1) as f32)
    }

    /// Whether no message of a run has ended before; stragglers of the run before do not begin one.
    fn is_new(&self, number: u8) -> bool {
        let before = |last: u8| (last + RUN_NUMBERS - 1) % RUN_NUMBERS;
        self.number
            .is_none_or(|last| number != last && number != before(last))
    }

    fn note(&mut self, way: usize, took: f32) -> Option<Told> {
        if way == usize::from(self.best) && self.has_changed(took) {
            return Some(self.forget(took));
        }
        let known = &mut self.took[way];
        if way != usize::from(self.best) && took < *known {
            // It is tried seldom, and the first time it may have met nothing in the caches.
            *known = took;
        } else {
            note(known, took);
        }
        self.choose()
    }

    /// Whether the program does something else, now that a run by the best way took so long.
    fn has_changed(&mut self, took: f32) -> bool {
        if self.changed == 0 {
            self.unchanged = self.took[usize::from(self.best)];
        }
        let before = self.unchanged;
        let other = before != 0.0 && !(before / CHANGE..before * CHANGE).contains(&took);
        self.changed = if other { self.changed + 1 } else { 0 };
        self.settled = self.settled.saturating_add(1);
        if self.changed < CHANGED {
            return false;
        }
        self.changed = 0;
        self.settled >= SETTLED
    }

    fn forget(&mut self, took: f32) -> Told {
        (self.settled, self.changed) = (0, 0);
        self.took = [0.0; WAYS];
        self.took[usize::from(self.best)] = took;
        Told {
            way: self.best,
            again: true,
        }
    }

    /// The fastest way, if it has become another one; the usual one where none is faster.
    fn choose(&mut self) -> Option<Told> {
        let mut best = self.best;
        for (other, took) in self.took.iter().enumerate() {
            let known = self.took[usize::from(best)];
            if *took != 0.0 && known != 0.0 && takes_other(false, known, *took) {
                best = other as u8;
            }
        }
        // Others that take as long may do so because what they save of a message is paid for later.
        let usual = self.took[0];
        if usual != 0.0 && usual <= self.took[usize::from(best)] {
            best = 0;
        }
        let told = Told {
            way: best,
            again: false,
        };
        (std::mem::replace(&mut self.best, best) != best).then_some(told)
    }

    /// Which ways have been timed.
    #[cfg(test)]
    pub(crate) fn have_timed(&self) -> [bool; WAYS] {
        self.took.map(|took| took != 0.0)
    }
}

/// A run took so long, in nanoseconds a byte. Anything may make one slow for once, so that counts for little. What
/// is much faster than before has found what it needs by now: lanes are slow until their memory is there.
fn note(known: &mut f32, took: f32) {
    if *known == 0.0 || took < *known * MUCH_FASTER {
        *known = took;
    } else if took < *known {
        *known += (took - *known) / 2.0;
    } else {
        *known += (took.min(2.0 * *known) - *known) / 4.0;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::protocol::chooser::{RUN, Schedule, WINDOWED_RUN};

    fn told(way: u8, again: bool) -> Told {
        Told { way, again }
    }

    #[test]
    fn what_has_become_the_fastest_is_told_once() {
        let mut intervals = Intervals::<3>::default();
        assert_eq!(intervals.note(0, 0.10), None);
        assert_eq!(intervals.note(1, 0.098), None);
        assert_eq!(intervals.note(2, 0.05), Some(told(2, false)));
        assert_eq!(intervals.note(2, 0.05), None);
        assert_eq!(intervals.note(1, 0.02), Some(told(1, false)));
        assert_eq!(intervals.note(0, 0.0205), None);
        // A trial that is better than those before counts whole.
        assert_eq!(intervals.note(2, 0.019), None);
        assert_eq!(intervals.note(2, 0.018), Some(told(2, false)));
        assert_eq!(intervals.have_timed(), [true; 3]);
    }

    #[test]
    fn of_ways_that_are_alike_the_usual_one_is_taken() {
        let mut intervals = Intervals::<2>::default();
        intervals.note(0, 0.2);
        assert_eq!(intervals.note(1, 0.1), Some(told(1, false)));
        assert_eq!(intervals.note(0, 0.101), None);
        assert_eq!(intervals.note(0, 0.1), Some(told(0, false)));
        assert_eq!(intervals.note(1, 0.098), None);
    }

    #[test]
    fn all_is_tried_again_when_the_program_does_something_else() {
        let mut intervals = Intervals::<2>::default();
        let mut schedule = Schedule::default();
        (0..1000).for_each(|_| {
            schedule.next(3, RUN);
        });
        for _ in 0..20 {
            assert_eq!(intervals.note(0, 0.1), None);
        }
        intervals.note(1, 0.15);
        assert_eq!(intervals.note(0, 0.3), None, "once is never");
        assert_eq!(intervals.note(0, 0.1), None);
        assert_eq!(intervals.note(0, 0.3), None);
        let again = intervals.note(0, 0.3);
        assert_eq!(again, Some(told(0, true)));
        schedule.follow(again.unwrap());
        assert_eq!([(); 4].map(|()| schedule.next(2, RUN).way), [1; 4]);
        assert_eq!(intervals.have_timed(), [true, false]);
        // What has become much faster is believed at once, and is a change nevertheless.
        let mut faster = Intervals::<2>::default();
        (0..20).for_each(|_| assert_eq!(faster.note(0, 0.3), None));
        assert_eq!(faster.note(0, 0.1), None);
        assert_eq!(faster.note(0, 0.1), Some(told(0, true)));
        // Not before it has been as now for a while.
        let many: Vec<_> = (0..12)
            .map(|at| intervals.note(0, [0.1, 0.3][at % 2]))
            .collect();
        assert_eq!(many, [None; 12]);
    }

    #[test]
    fn one_run_says_little_but_that_memory_has_come() {
        let mut known = 0.0;
        note(&mut known, 1.0);
        note(&mut known, 100.0);
        assert_eq!(known, 1.25);
        note(&mut known, 1.0);
        assert_eq!(known, 1.125);
        note(&mut known, 0.1);
        assert_eq!(known, 0.1);
    }

    #[test]
    fn a_run_is_timed_from_its_first_end_to_its_last() {
        let mut intervals = Intervals::<3>::default();
        let mut now = Instant::now();
        let mut end = |way, number| {
            now += Duration::from_micros(3);
            intervals.run_end(way, (number, RUN), now)
        };
        assert_eq!([(); 3].map(|()| end(1, 2)), [None; 3]);
        assert_eq!(end(1, 2), Some(3000.0));
        // One that is over, one that another way has cut off, and what comes late of it.
        assert_eq!([(); 4].map(|()| end(1, 2)), [None; 4]);
        assert_eq!([(); 3].map(|()| end(0, 3)), [None; 3]);
        assert_eq!(end(2, 0), None);
        assert_eq!(end(0, 3), None);
        assert_eq!([(); 2].map(|()| end(2, 0)), [None; 2]);
        assert!(end(2, 0).is_some());
    }

    #[test]
    fn of_a_long_run_an_eighth_may_be_missing() {
        let mut intervals = Intervals::<2>::default();
        let now = Instant::now();
        let mut end = |number| intervals.run_end(0, (number, WINDOWED_RUN), now).is_some();
        let ends: Vec<bool> = (0..64).map(|_| end(1)).collect();
        assert_eq!(ends.iter().position(|end| *end), Some(55));
        assert_eq!(ends.iter().filter(|end| **end).count(), 1);
    }
}
