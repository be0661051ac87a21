//! When a program that polls gives its processor to the ranks beside it.
//!
//! Before: a call that must not wait (`MPI_Test`, `MPI_Iprobe`) has found nothing where ranks share a
//! processor ([`Context::poll`](crate::context::Context::poll)). After: it yields, or returns at once.
//!
//! The program polls until another rank has done something, and that rank may need this very processor.
//! The scheduler would take the processor away only at the end of a time slice, which is a thousand times
//! longer than a message takes. A program that computes between two polls keeps the processor: its polls
//! lie apart.
//!
//! ```text
//! vain poll ─▶ more than GAP since the last one? ─▶ yes: a new run begins here
//!                                                └▶ no:  the run is older than PATIENCE? ─▶ yield
//! found something ─▶ the run is over
//! ```
//!
//! Invariant: without a run of vain polls nothing here reads a clock.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The longest time between two polls of one run: the program does nothing but poll.
const GAP: Duration = Duration::from_micros(10);

/// How long a run lasts before its polls yield. A rank on another processor answers sooner if it is running.
const PATIENCE: Duration = Duration::from_micros(2);

/// A run of polls that found nothing.
#[derive(Clone, Copy, Debug)]
struct Run {
    begin: Instant,
    last: Instant,
}

/// The run of vain polls of one context.
#[derive(Debug, Default)]
pub(crate) struct VainPolls {
    run: Cell<Option<Run>>,
}

impl VainPolls {
    /// A poll at `now` found nothing; whether the processor is to be given up.
    pub(crate) fn add(&self, now: Instant) -> bool {
        let begin = match self.run.get() {
            Some(run) if now.duration_since(run.last) <= GAP => run.begin,
            _ => now,
        };
        self.run.set(Some(Run { begin, last: now }));
        now.duration_since(begin) >= PATIENCE
    }

    /// The processor came back at `now`: the time in between was no computation of the program.
    pub(crate) fn resume(&self, now: Instant) {
        if let Some(run) = self.run.get() {
            self.run.set(Some(Run { last: now, ..run }));
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
        assert!(vain.add(back + STEP), "the run goes on");
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
