//! When cores will have nothing to do: the gaps before the last rank's call, known ahead.
//!
//! Before: cycles that are over. After: the launcher continues a second program when a gap opens,
//! and stops it before the gap ends, so that the program is gone when the ranks go on.
//!
//! ```text
//! release      first core is done            margin   last call
//!    │ all compute │ gap: somebody waits       │ ▒▒▒▒ │
//!    └─────────────┴── continue ─── stop ──────┘
//! ```
//!
//! What is expected of a cycle is the median of the last ones, so that one that was different (the
//! start of a program, a file that is written) changes nothing. The margin is what this missed by
//! lately, twice, where the greatest miss is forgiven, and what a stop takes.
//!
//! Invariant: a gap that is too short for its own margin, or for a program to get going, is none.

use std::collections::BTreeMap;

use crate::balance::record::Call;
use crate::balance::record::recent::Recent;

/// What stopping takes at least: the launcher wakes, looks at the calls, and sends a signal, for
/// which the kernel may take a while.
const LEAST_MARGIN_NS: u64 = 1_000_000;

/// The shortest gap that is worth a start.
const LEAST_GAP_NS: u64 = 1_000_000;

/// Cycles before anything is predicted.
const LEARNING: usize = 2;

/// When a program may run, in nanoseconds of the clock of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// From when on.
    pub opens_ns: u64,
    /// Until when.
    pub closes_ns: u64,
}

impl Gap {
    /// Whether it is open at a time.
    pub fn contains(&self, now_ns: u64) -> bool {
        (self.opens_ns..self.closes_ns).contains(&now_ns)
    }
}

/// What is expected of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// When it began, in nanoseconds of the clock of the calls.
    pub released_ns: u64,
    /// How long it will take until the last call, in nanoseconds.
    pub last_ns: u64,
}

/// What is known of the gaps of a job's cycles.
#[derive(Clone, Debug, Default)]
pub struct DeadTime {
    /// Of each cycle, from its start until the first core was done, in nanoseconds.
    first_ns: Recent,
    /// Of each cycle, from its start until the last call, in nanoseconds.
    last_ns: Recent,
    /// By how much each prediction of the last call was wrong.
    error_ns: Recent,
    /// When the cycle that now runs began.
    released_ns: u64,
}

impl DeadTime {
    /// Learns from a complete cycle.
    pub fn learn(&mut self, calls: &[Call]) {
        let arrivals = calls.iter().map(|call| call.arrival);
        let started_ns = arrivals.clone().map(|arrival| arrival.started_ns).min();
        let called_ns = arrivals.map(|arrival| arrival.arrived_ns).max();
        let (Some(started_ns), Some(called_ns)) = (started_ns, called_ns) else {
            return;
        };
        if called_ns < started_ns {
            return;
        }
        let last_ns = called_ns - started_ns;
        if let Some(expected_ns) = self.last_ns.median() {
            self.error_ns.add(last_ns.abs_diff(expected_ns));
        }
        let first_ns = first_core_ns(calls).saturating_sub(started_ns);
        self.first_ns.add(first_ns);
        self.last_ns.add(last_ns);
        self.released_ns = called_ns;
    }

    /// The gap of the cycle that now runs, if one is to be expected.
    pub fn gap(&self) -> Option<Gap> {
        let error_ns = self.error_ns.second_greatest()?;
        let margin_ns = error_ns.saturating_mul(2).max(LEAST_MARGIN_NS);
        let (first_ns, last_ns) = (self.first_ns.median()?, self.last_ns.median()?);
        let closes_ns = last_ns.saturating_sub(margin_ns);
        (closes_ns >= first_ns.saturating_add(LEAST_GAP_NS)).then_some(Gap {
            opens_ns: self.released_ns + first_ns,
            closes_ns: self.released_ns + closes_ns,
        })
    }

    /// What is expected of the cycle that now runs; nothing before two were seen.
    pub fn expected(&self) -> Option<Expected> {
        let last_ns = self.last_ns.median()?;
        (self.last_ns.len() >= LEARNING).then_some(Expected {
            released_ns: self.released_ns,
            last_ns,
        })
    }
}

/// When the first core had nothing to do any more: all ranks that sit on it had called.
fn first_core_ns(calls: &[Call]) -> u64 {
    let mut cores = BTreeMap::new();
    for call in calls {
        let last = cores.entry(call.core()).or_default();
        *last = call.arrival.arrived_ns.max(*last);
    }
    cores.into_values().min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::Arrival;

    const MS: u64 = 1_000_000;

    /// A cycle from `start` in which ranks computed for so many milliseconds on their places.
    fn cycle(start: u64, times: &[(u64, usize)]) -> Vec<Call> {
        let call = |(member, &(ms, place)): (usize, &(u64, usize))| Call {
            arrival: Arrival {
                member,
                started_ns: start * MS,
                arrived_ns: (start + ms) * MS,
                load: 1,
            },
            busy_ns: ms * MS,
            place: Some(place),
        };
        times.iter().enumerate().map(call).collect()
    }

    #[test]
    fn a_gap_lies_between_the_first_idle_core_and_the_last_call() {
        let mut dead_time = DeadTime::default();
        dead_time.learn(&cycle(0, &[(100, 0), (20, 1), (60, 1)]));
        assert_eq!((dead_time.gap(), dead_time.expected()), (None, None));
        dead_time.learn(&cycle(100, &[(100, 0), (20, 1), (60, 1)]));
        let gap = dead_time.gap().unwrap();
        assert_eq!(gap.opens_ns, (200 + 60) * MS);
        assert_eq!(gap.closes_ns, (200 + 100) * MS - LEAST_MARGIN_NS);
        assert!(gap.contains(270 * MS) && !gap.contains(299 * MS) && !gap.contains(259 * MS));
    }

    fn learnt(lasts_ms: &[u64]) -> DeadTime {
        let mut dead_time = DeadTime::default();
        for (number, &ms) in lasts_ms.iter().enumerate() {
            dead_time.learn(&cycle(number as u64 * 200, &[(ms, 0), (10, 1)]));
        }
        dead_time
    }

    #[test]
    fn the_margin_grows_with_what_was_missed_more_than_once() {
        // The misses are 0, 10 and 10.
        let gap = learnt(&[100, 100, 110, 110]).gap().unwrap();
        assert_eq!(gap.closes_ns, (600 + 110 + 110 - 20) * MS);
    }

    #[test]
    fn a_first_cycle_that_is_different_is_soon_forgiven() {
        let gap = learnt(&[1, 100, 100]).gap().unwrap();
        assert_eq!(gap.closes_ns, (400 + 100 + 100) * MS - LEAST_MARGIN_NS);
        assert_eq!(learnt(&[1, 100]).gap(), None);
        let gap = learnt(&[100, 100, 100, 190]).gap().unwrap();
        assert_eq!(gap.closes_ns, (600 + 190 + 100) * MS - LEAST_MARGIN_NS);
    }

    #[test]
    fn even_ranks_and_short_cycles_leave_no_gap() {
        let mut dead_time = DeadTime::default();
        for number in 0..3 {
            dead_time.learn(&cycle(number * 100, &[(50, 0), (49, 1)]));
        }
        assert!(dead_time.expected().is_some() && dead_time.gap().is_none());
        dead_time.learn(&[]);
        assert!(dead_time.gap().is_none());
    }
}
