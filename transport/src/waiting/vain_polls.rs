//! When a program that polls gives its processor to the ranks beside it.
//!
//! Before: a call that must not wait (`MPI_Test`, `MPI_Iprobe`) has found nothing where ranks share a
//! processor ([`Context::poll`](crate::context::Context::poll)). After: it yields, or returns at once.
//!
//! The program polls until another rank has done something, and that rank may need this very processor.
//! The scheduler would take the processor away only at the end of a time slice, which is a thousand times
//! longer than a message takes. A program that computes for long between two polls keeps the processor:
//! its polls lie apart. One that computes a little between them would lose most of its time to yields, so
//! each yield that brings nothing doubles the time until the next one.
//!
//! ```text
//! vain poll ─▶ more than GAP since the last one? ─▶ yes: a new run begins here
//!                                                └▶ no:  PATIENCE << yields has passed since the run began, or since
//!                                                        the processor came back? ─▶ yield
//! found something ─▶ the run is over
//! ```
//!
//! Invariant: without a run of vain polls nothing here reads a clock.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The longest time between two polls of one run: the program does nothing but poll.
const GAP: Duration = Duration::from_micros(10);

/// How long a run lasts before its first yield. A rank on another processor answers sooner if it is running.
const PATIENCE: Duration = Duration::from_micros(1);

/// How often the patience doubles. The longer it gets, the less a rank loses that computes a little between its polls,
/// and the more the ranks lose that wait for its processor.
const DOUBLINGS: u32 = 3;

/// A run of polls that found nothing.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// When it began, or the processor came back.
    begin: Instant,
    last: Instant,
    /// How often it gave the processor away, [`DOUBLINGS`] at most.
    yields: u32,
}

/// The run of vain polls of one context.
#[derive(Debug, Default)]
pub(crate) struct VainPolls {
    run: Cell<Option<Run>>,
}

impl VainPolls {
    /// A poll at `now` found nothing; whether the processor is to be given up.
    pub(crate) fn add(&self, now: Instant) -> bool {
        let run = match self.run.get() {
            Some(run) if now.duration_since(run.last) <= GAP => Run { last: now, ..run },
            _ => Run {
                begin: now,
                last: now,
                yields: 0,
            },
        };
        self.run.set(Some(run));
        now.duration_since(run.begin) >= PATIENCE * (1 << run.yields)
    }

    /// The processor came back at `now`: the time in between was no computation of the program.
    pub(crate) fn resume(&self, now: Instant) {
        if let Some(run) = self.run.get() {
            self.run.set(Some(Run {
                begin: now,
                last: now,
                yields: DOUBLINGS.min(run.yields + 1),
            }));
        }
    }

    /// A poll found something.
    pub(crate) fn end(&self) {
        self.run.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_nanos(100);

    /// Polls every `step` from `from` on; how many of `polls` would yield.
    fn yields(vain: &VainPolls, from: Instant, step: Duration, polls: u32) -> u32 {
        (0..polls)
            .map(|poll| u32::from(vain.add(from + step * poll)))
            .sum()
    }

    #[test]
    fn who_only_polls_yields_after_a_moment() {
        let vain = VainPolls::default();
        let patient = (PATIENCE.as_nanos() / STEP.as_nanos()) as u32;
        assert_eq!(yields(&vain, Instant::now(), STEP, 100), 100 - patient);
    }

    #[test]
    fn yields_that_bring_nothing_become_rare() {
        let vain = VainPolls::default();
        let mut now = Instant::now();
        let mut polls = Vec::new();
        for _ in 0..DOUBLINGS + 3 {
            let mut count = 1_u32;
            while !vain.add(now) {
                now += PATIENCE;
                count += 1;
            }
            polls.push(count);
            vain.resume(now);
        }
        assert_eq!(polls, [2, 3, 5, 9, 9, 9]);
    }

    #[test]
    fn who_computes_between_polls_never_yields() {
        let vain = VainPolls::default();
        assert_eq!(yields(&vain, Instant::now(), GAP + STEP, 1000), 0);
    }

    #[test]
    fn the_time_given_away_is_no_gap() {
        let vain = VainPolls::default();
        let begin = Instant::now();
        assert!(yields(&vain, begin, STEP, 100) > 0);
        let back = begin + Duration::from_millis(3);
        vain.resume(back);
        assert!(!vain.add(back + STEP), "the patience begins again");
        assert!(vain.add(back + PATIENCE * 2), "the run goes on");
    }

    #[test]
    fn a_find_begins_anew() {
        let vain = VainPolls::default();
        let begin = Instant::now();
        assert!(yields(&vain, begin, STEP, 100) > 0);
        vain.end();
        assert!(!vain.add(begin + STEP * 101));
    }
}
