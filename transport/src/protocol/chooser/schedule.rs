//! The trial schedule: which way each of many like messages or operations goes.
//!
//! Before: a message or an operation that could go several ways. After: it goes one of them; where its run is timed, the
//! measure ([`super::interval`], or the members of a collective operation together) answers with the fastest way.
//!
//! ```text
//! run      0  1 │ 2   3  │ 4 ...     │ 10 11 │ ...    │ 34 35 │ ...    │ 130 131 │ ... every 1024
//! way      usual│ others │ the best  │ others│ best   │ others│ best   │ others  │
//! timed    all runs before run 32,                    │ then the others, and the best one every 8 runs
//! ```
//!
//! Invariant: the schedule depends on the number of messages and on [`Schedule::follow`] alone, so that members of an
//! operation that follow the same words go the same way.

use crate::protocol::flags::RUN_NUMBERS;

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
    /// Whether all are to be tried again.
    pub(crate) again: bool,
}

/// Which way each message goes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Schedule {
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

impl Schedule {
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

    /// The run that the next message begins, if it begins one.
    pub(crate) fn begins_run(&self) -> Option<u32> {
        (self.messages == 0).then_some(self.run)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &mut Schedule, messages: usize) -> Vec<Next> {
        (0..messages).map(|_| schedule.next(3, RUN)).collect()
    }

    #[test]
    fn all_ways_are_tried_and_then_the_preferred_one_is_kept_to() {
        let mut schedule = Schedule::default();
        for (turn, message) in next(&mut schedule, 64).iter().enumerate() {
            let way = [0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0][turn / 4];
            let timed = Some((turn / 4 % 4) as u8);
            assert_eq!(*message, Next { way, timed });
        }
        for preferred in 0..3 {
            let mut other = Schedule::default();
            next(&mut other, 40);
            other.follow(told(preferred, false));
            let runs = next(&mut other, 12).into_iter().step_by(4);
            assert_eq!(runs.map(|run| run.way).collect::<Vec<_>>(), [1, 2, 0]);
        }
        assert!(schedule.has_tried());
        for preferred in [0_u8, 1, 2] {
            schedule.follow(told(preferred, false));
            let messages = next(&mut schedule, 8192);
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
        let mut schedule = Schedule::default();
        let runs = 3 * TRIAL_PERIOD;
        let others = (0..runs * RUN)
            .filter(|_| schedule.next(2, RUN).way == 1)
            .count();
        assert_eq!(others as u32, RUN * (TRIALS.len() as u32 + 2));
        let mut schedule = Schedule::default();
        schedule.skip_first();
        assert_eq!(
            (schedule.has_tried(), schedule.next(2, RUN).way),
            (false, 1)
        );
    }

    fn told(way: u8, again: bool) -> Told {
        Told { way, again }
    }

    #[test]
    fn runs_that_are_timed_have_numbers_that_follow_each_other() {
        let mut schedule = Schedule::default();
        let messages: Vec<Next> = (0..64 * WINDOWED_RUN)
            .map(|_| schedule.next(2, WINDOWED_RUN))
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
}
