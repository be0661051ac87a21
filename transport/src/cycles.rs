//! Which of several ways the next of many like messages goes, when only measuring tells which is the fastest.
//!
//! Before: a message that could go several ways. After: it goes one of them, and if it is part of a run that is
//! timed, the time from one message of the run to the next is noted.
//!
//! What is compared is not how long messages take, but how soon they follow each other. A way leaves data in one
//! processor's cache or the other's, and who reads it, or writes it anew, pays for that after the message: 64
//! KiB whose halves are copied by both ends take 2.6 us between far processors, and 10.5 if they are read
//! afterwards; copied by the target alone they take 3.2, and 5.0. From one message to the next everything is in it,
//! whatever it costs anybody; where it is lost beside what the program does otherwise, the usual way stays.
//!
//! ```text
//! run      0  1 │ 2   3  │ 4 ...     │ 10 11 │ ...    │ 34 35 │ ...    │ 130 131 │ ... every 1024
//! way      usual│ others │ the best  │ others│ best   │ others│ best   │ others  │
//! timed    all that come before run 32,               │ then the others, and the best one every 8 runs
//!
//! run of four:  the first message ends: the clock starts │ the second │ the third │ the fourth ends: three
//!               times from one to the next
//! ```
//!
//! Where many messages are under way at once, runs are longer ([`WINDOWED_RUN`]), since ways that meet in the same
//! caches tell nothing of each other. They end in any order, and some are not timed, since nobody had asked for them
//! when they came: an eighth of a run may be missing.
//!
//! What was measured of a way holds while the program does the same. Where the best way's times have become others, all ways
//! are tried anew, as in the beginning.

use std::time::Instant;

use crate::protocol::flags::RUN_NUMBERS;
use crate::turns::takes_other;

/// Messages of a run where each waits for the one before. What the first one meets in the caches, the way before
/// it has left there.
pub(crate) const RUN: u32 = 4;

/// Messages of a run where many may be under way: as many as benchmarks and their like send before they wait.
pub(crate) const WINDOWED_RUN: u32 = 64;

/// Runs after which others are tried, one run each; later it is every [`TRIAL_PERIOD`] runs.
const TRIALS: [u32; 4] = [2, 10, 34, 130];

/// Runs from a trial to the next one: who has not gone round the ring for long finds nothing of it in the
/// caches, so that a trial may take ten times as long.
const TRIAL_PERIOD: u32 = 1024;

/// Runs until then, all of which are timed.
const ALL_TIMED: u32 = 32;

/// Runs from one of the best way that is timed to the next, after that.
const TIMED_PERIOD: u32 = 8;

/// Runs of so many messages are always timed, since that costs nothing beside them.
const ALWAYS_TIMED: u32 = 16;

/// Times that are that much shorter than those before, as a part of them, are believed at once.
const MUCH_FASTER: f32 = 0.6;

/// Times of the best way that differ from those before by this factor mean that the program does something else,
const CHANGE: f32 = 1.5;

/// if so many runs in a row say so,
const CHANGED: u32 = 2;

/// after so many runs at least that were as before, or what happens once would be tried for ever.
const SETTLED: u32 = 16;

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    /// The number of its way.
    pub(crate) way: usize,
    /// The number of its run, below [`RUN_NUMBERS`], if that is timed.
    pub(crate) timed: Option<u8>,
}

/// What measurements tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// The number of the fastest way.
    pub(crate) way: u8,
    /// Whether all are to be tried anew.
    pub(crate) again: bool,
}

/// Which way each message goes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    /// The run that is under way, and its messages so far.
    run: u32,
    messages: u32,
    /// What messages of that run do.
    way: u8,
    timed: Option<u8>,
    /// The number of the run that is timed next.
    number: u8,
    preferred: u8,
    /// The preferred way when the last trial began: the others are tried though one of them may be the
    /// preferred one before all are.
    tried_beside: u8,
}

impl Plan {
    /// The next message, where there are so many ways, and so many messages make a run.
    pub(crate) fn next(&mut self, ways: usize, run_messages: u32) -> Next {
        if self.messages == 0 {
            self.begin_run(ways, run_messages);
        }
        self.messages += 1;
        if self.messages == run_messages {
            self.go_on_with(self.run.wrapping_add(1));
        }
        Next {
            way: self.way.into(),
            timed: self.timed,
        }
    }

    fn begin_run(&mut self, ways: usize, run_messages: u32) {
        let run = self.run;
        let turn = trial(run).filter(|turn| *turn < ways);
        if turn.is_none_or(|turn| turn == 0) {
            self.tried_beside = self.preferred;
        }
        // The same way for the same turn, whichever is preferred: where two tasks answer each other, both directions
        // try it at once. Each would else be compared by what the other one tries.
        let tried = turn.map(|turn| ((turn + 1) % ways) as u8);
        let tried = tried.filter(|way| *way != self.tried_beside);
        self.way = tried.unwrap_or(self.preferred);
        let timed = run < ALL_TIMED
            || tried.is_some()
            || run.is_multiple_of(TIMED_PERIOD)
            || run_messages >= ALWAYS_TIMED;
        self.timed = timed.then_some(self.number);
        self.number = (self.number + u8::from(timed)) % RUN_NUMBERS;
    }

    fn go_on_with(&mut self, run: u32) {
        (self.run, self.messages) = (run, 0);
    }

    /// What the measurements have told.
    pub(crate) fn follow(&mut self, told: Told) {
        self.preferred = told.way;
        if told.again {
            self.go_on_with(TRIALS[0]);
        }
    }

    /// Which way is the fastest, as far as is known.
    #[cfg(test)]
    pub(crate) fn preferred(self) -> usize {
        self.preferred.into()
    }

    /// Whether other ways than the usual one have been tried.
    pub(crate) fn has_tried(self) -> bool {
        self.run > TRIALS[0]
    }

    /// Trials begin at once.
    pub(crate) fn skip_first(&mut self) {
        if self.run < TRIALS[0] {
            self.go_on_with(TRIALS[0]);
        }
    }
}

/// How many runs of a trial came before this one, if a trial has begun; it has a turn for each way.
fn trial(run: u32) -> Option<usize> {
    let first = if run < TRIAL_PERIOD {
        *TRIALS.iter().rev().find(|first| **first <= run)?
    } else {
        run - run % TRIAL_PERIOD + TRIALS[0]
    };
    run.checked_sub(first).map(|since| since as usize)
}

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
pub(crate) struct Cycles<const WAYS: usize> {
    run: Option<Run>,
    /// The number of the last run that has begun.
    number: Option<u8>,
    /// Nanoseconds a byte; 0: not measured.
    took: [f32; WAYS],
    best: u8,
    /// Runs since all was tried anew.
    settled: u32,
    /// Runs of the best way in a row whose times were others,
    changed: u32,
    /// and how long those before had taken.
    unchanged: f32,
}

impl<const WAYS: usize> Default for Cycles<WAYS> {
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

impl<const WAYS: usize> Cycles<WAYS> {
    /// A message has ended that is part of the timed run of that number, which has so many messages; what that
    /// tells.
    pub(crate) fn end(
        &mut self,
        way: usize,
        number: u8,
        run_messages: u32,
        bytes: usize,
    ) -> Option<Told> {
        let took = self.run_end(way, number, run_messages)?;
        self.note(way, took / bytes.max(1) as f32)
    }

    /// Nanoseconds from one message of a run to the next, if this was the last one that counts.
    fn run_end(&mut self, way: usize, number: u8, run_messages: u32) -> Option<f32> {
        if self.is_new(number) {
            self.number = Some(number);
            self.run = Some(Run {
                way,
                messages: 1,
                begin: Instant::now(),
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
        let took = run.begin.elapsed().as_nanos() as f32;
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
    use super::*;

    fn next(plan: &mut Plan, messages: usize) -> Vec<Next> {
        (0..messages).map(|_| plan.next(3, RUN)).collect()
    }

    #[test]
    fn all_ways_are_tried_and_then_the_preferred_one_is_kept_to() {
        let mut plan = Plan::default();
        for (turn, message) in next(&mut plan, 64).iter().enumerate() {
            let way = [0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0][turn / 4];
            let timed = Some((turn / 4 % 4) as u8);
            assert_eq!(*message, Next { way, timed });
        }
        for preferred in 0..3 {
            let mut other = Plan::default();
            next(&mut other, 40);
            other.follow(told(preferred, false));
            let runs = next(&mut other, 12).into_iter().step_by(4);
            assert_eq!(runs.map(|run| run.way).collect::<Vec<_>>(), [1, 2, 0]);
        }
        assert!(plan.has_tried());
        for preferred in [0_u8, 1, 2] {
            plan.follow(told(preferred, false));
            let messages = next(&mut plan, 8192);
            let taken = |way| messages.iter().filter(move |next| next.way == way);
            let count = taken(usize::from(preferred)).count();
            assert!((8100..8192).contains(&count), "{count}");
            for way in 0..3 {
                let timed = taken(way).filter(|next| next.timed.is_some()).count();
                assert!((8..1200).contains(&timed), "{way}: {timed}");
            }
        }
    }

    #[test]
    fn of_two_ways_one_is_tried_as_often() {
        let mut plan = Plan::default();
        let runs = 3 * TRIAL_PERIOD;
        let others = (0..runs * RUN)
            .filter(|_| plan.next(2, RUN).way == 1)
            .count();
        assert_eq!(others as u32, RUN * (TRIALS.len() as u32 + 2));
        let mut plan = Plan::default();
        plan.skip_first();
        assert_eq!((plan.has_tried(), plan.next(2, RUN).way), (false, 1));
    }

    fn told(way: u8, again: bool) -> Told {
        Told { way, again }
    }

    #[test]
    fn what_has_become_the_fastest_is_told_once() {
        let mut cycles = Cycles::<3>::default();
        assert_eq!(cycles.note(0, 0.10), None);
        assert_eq!(cycles.note(1, 0.098), None);
        assert_eq!(cycles.note(2, 0.05), Some(told(2, false)));
        assert_eq!(cycles.note(2, 0.05), None);
        assert_eq!(cycles.note(1, 0.02), Some(told(1, false)));
        assert_eq!(cycles.note(0, 0.0205), None);
        // A trial that is better than those before counts whole.
        assert_eq!(cycles.note(2, 0.019), None);
        assert_eq!(cycles.note(2, 0.018), Some(told(2, false)));
        assert_eq!(cycles.have_timed(), [true; 3]);
    }

    #[test]
    fn of_ways_that_are_alike_the_usual_one_is_taken() {
        let mut cycles = Cycles::<2>::default();
        cycles.note(0, 0.2);
        assert_eq!(cycles.note(1, 0.1), Some(told(1, false)));
        assert_eq!(cycles.note(0, 0.101), None);
        assert_eq!(cycles.note(0, 0.1), Some(told(0, false)));
        assert_eq!(cycles.note(1, 0.098), None);
    }

    #[test]
    fn all_is_tried_anew_when_the_program_does_something_else() {
        let mut cycles = Cycles::<2>::default();
        let mut plan = Plan::default();
        next(&mut plan, 1000);
        for _ in 0..20 {
            assert_eq!(cycles.note(0, 0.1), None);
        }
        cycles.note(1, 0.15);
        assert_eq!(cycles.note(0, 0.3), None, "once is never");
        assert_eq!(cycles.note(0, 0.1), None);
        assert_eq!(cycles.note(0, 0.3), None);
        let again = cycles.note(0, 0.3);
        assert_eq!(again, Some(told(0, true)));
        plan.follow(again.unwrap());
        assert_eq!([(); 4].map(|()| plan.next(2, RUN).way), [1; 4]);
        assert_eq!(cycles.have_timed(), [true, false]);
        // What has become much faster is believed at once, and is a change nevertheless.
        let mut faster = Cycles::<2>::default();
        (0..20).for_each(|_| assert_eq!(faster.note(0, 0.3), None));
        assert_eq!(faster.note(0, 0.1), None);
        assert_eq!(faster.note(0, 0.1), Some(told(0, true)));
        // Not before it has been as now for a while.
        let many: Vec<_> = (0..12)
            .map(|at| cycles.note(0, [0.1, 0.3][at % 2]))
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
    fn runs_that_are_timed_have_numbers_that_follow_each_other() {
        let mut plan = Plan::default();
        let messages: Vec<Next> = (0..64 * WINDOWED_RUN)
            .map(|_| plan.next(2, WINDOWED_RUN))
            .collect();
        let runs = messages.chunks(WINDOWED_RUN as usize);
        assert!(
            runs.clone()
                .all(|run| run.iter().all(|next| *next == run[0]))
        );
        let numbers: Vec<u8> = runs.filter_map(|run| run[0].timed).collect();
        assert_eq!(numbers.len(), 64);
        assert!(numbers.windows(2).all(|two| (two[0] + 1) % 4 == two[1]));
    }

    #[test]
    fn a_run_is_timed_from_its_first_end_to_its_last() {
        let mut cycles = Cycles::<3>::default();
        let mut end = |way, number| cycles.run_end(way, number, RUN);
        assert_eq!(end(1, 2), None);
        std::thread::sleep(std::time::Duration::from_millis(3));
        assert_eq!([(); 2].map(|()| end(1, 2)), [None; 2]);
        let took = end(1, 2).unwrap();
        assert!((1e6..1e9).contains(&took), "{took}");
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
        let mut cycles = Cycles::<2>::default();
        let mut end = |number| cycles.run_end(0, number, WINDOWED_RUN).is_some();
        let ends: Vec<bool> = (0..64).map(|_| end(1)).collect();
        assert_eq!(ends.iter().position(|end| *end), Some(55));
        assert_eq!(ends.iter().filter(|end| **end).count(), 1);
    }
}
