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
//! How long each rank will compute is an average over cycles in which the last ones count most. The
//! margin is what the prediction missed by lately, twice, and what a stop takes.
//!
//! Invariant: a gap that is too short for its own margin, or for a program to get going, is none.

use std::collections::BTreeMap;

use super::record::Call;

/// How much of what was known a cycle leaves.
const MEMORY: f64 = 0.5;

/// What stopping takes at least: the launcher wakes within a millisecond and the kernel within
/// another.
const LEAST_MARGIN_NS: f64 = 1_500_000.0;

/// The shortest gap that is worth a start.
const LEAST_GAP_NS: f64 = 1_000_000.0;

/// Cycles before anything is predicted.
const LEARNING: u32 = 2;

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
    /// From a cycle's start until the first core is done, in nanoseconds.
    first_ns: f64,
    /// From a cycle's start until the last call, in nanoseconds.
    last_ns: f64,
    /// By how much the prediction of the last call was wrong lately.
    error_ns: f64,
    /// When the cycle that now runs began.
    released_ns: u64,
    cycles: u32,
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
        let first_ns = first_core_ns(calls).saturating_sub(started_ns) as f64;
        let last_ns = (called_ns - started_ns) as f64;
        if self.cycles == 0 {
            (self.first_ns, self.last_ns) = (first_ns, last_ns);
        } else {
            let error_ns = (last_ns - self.last_ns).abs();
            self.error_ns = mean(self.error_ns, error_ns);
            self.first_ns = mean(self.first_ns, first_ns);
            self.last_ns = mean(self.last_ns, last_ns);
        }
        self.released_ns = called_ns;
        self.cycles = self.cycles.saturating_add(1);
    }

    /// The gap of the cycle that now runs, if one is to be expected.
    pub fn gap(&self) -> Option<Gap> {
        let margin_ns = (2.0 * self.error_ns).max(LEAST_MARGIN_NS);
        let closes_ns = self.last_ns - margin_ns;
        if self.cycles < LEARNING || closes_ns - self.first_ns < LEAST_GAP_NS {
            return None;
        }
        Some(Gap {
            opens_ns: self.released_ns + self.first_ns as u64,
            closes_ns: self.released_ns + closes_ns as u64,
        })
    }

    /// What is expected of the cycle that now runs; nothing before two were seen.
    pub fn expected(&self) -> Option<Expected> {
        (self.cycles >= LEARNING).then_some(Expected {
            released_ns: self.released_ns,
            last_ns: self.last_ns as u64,
        })
    }
}

fn mean(known: f64, new: f64) -> f64 {
    known * MEMORY + new * (1.0 - MEMORY)
}

/// When the first core had nothing to do any more: all ranks that sit on it had called.
fn first_core_ns(calls: &[Call]) -> u64 {
    let mut cores = BTreeMap::<(Option<usize>, usize), u64>::new();
    for call in calls {
        let own = call.place.map_or(call.arrival.member, |_| 0);
        let last = cores.entry((call.place, own)).or_default();
        *last = (*last).max(call.arrival.arrived_ns);
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
        assert_eq!(gap.closes_ns, (200 + 100) * MS - LEAST_MARGIN_NS as u64);
        assert!(gap.contains(270 * MS) && !gap.contains(299 * MS) && !gap.contains(259 * MS));
    }

    #[test]
    fn the_margin_grows_with_what_was_missed() {
        let mut dead_time = DeadTime::default();
        for (number, ms) in [100, 100, 110].into_iter().enumerate() {
            dead_time.learn(&cycle(number as u64 * 200, &[(ms, 0), (10, 1)]));
        }
        let gap = dead_time.gap().unwrap();
        // Twice half of 10 before an expected 105.
        assert_eq!(gap.closes_ns, (400 + 110 + 105 - 10) * MS);
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
