//! Costs of a recorded run: what a unit of load cost each rank in each of its cycles.
//!
//! Before: a [`crate::balance::record::Record`]. After: [`super::simulate`] runs every policy on
//! these costs, so that what would have happened is compared on the same trace.
//!
//! A longer simulation begins the trace again. Costs are relative to their average over the run.
//!
//! Invariants: there is at least one cycle; all have as many ranks; costs are positive.

use crate::balance::record::{Record, RecordedCycle};

/// The costs of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    cycles: Vec<Vec<f64>>,
}

impl Trace {
    /// The costs of a record's cycles in which everybody called; nothing if there is no such cycle,
    /// or nobody was busy.
    pub fn of(record: &Record) -> Option<Self> {
        let whole = record.cycles.iter();
        let whole = whole.filter(|cycle| cycle.calls.len() == record.ranks);
        let mut cycles: Vec<Vec<f64>> = whole.map(costs).collect();
        let count = cycles.len() * record.ranks;
        let mean = cycles.iter().flatten().sum::<f64>() / count as f64;
        if !mean.is_finite() || mean <= 0.0 {
            return None;
        }
        // A rank that a cycle found idle is fast, and not infinitely so.
        let relative = |cost: &mut f64| *cost = (*cost / mean).max(1e-3);
        cycles.iter_mut().flatten().for_each(relative);
        Some(Self { cycles })
    }

    /// What an item costs each rank in cycle `number`, counted from 1.
    pub fn costs(&self, number: u64) -> &[f64] {
        let at = number.saturating_sub(1) % self.cycles.len() as u64;
        &self.cycles[at as usize]
    }
}

/// Busy time for each unit of load, by rank.
fn costs(cycle: &RecordedCycle) -> Vec<f64> {
    let cost =
        |call: &crate::balance::record::Call| call.busy_ns as f64 / call.arrival.load.max(1) as f64;
    cycle.calls.iter().map(cost).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::balance::history::Arrival;
    use crate::balance::record::Call;

    /// A call after work of so many milliseconds.
    pub(crate) fn call(member: usize, ms: f64) -> Call {
        let busy_ns = (ms * 1e6) as u64;
        Call {
            arrival: Arrival {
                member,
                started_ns: 0,
                arrived_ns: busy_ns,
                load: 2,
            },
            busy_ns,
            place: None,
        }
    }

    fn record(cycles: &[&[f64]]) -> Record {
        let cycle = |(number, times): (usize, &&[f64])| RecordedCycle {
            number: number as u64,
            calls: times
                .iter()
                .enumerate()
                .map(|(member, ms)| call(member, *ms))
                .collect(),
        };
        Record {
            ranks: 2,
            cycles: cycles.iter().enumerate().map(cycle).collect(),
            deeds: Vec::new(),
        }
    }

    #[test]
    fn costs_are_relative_and_begin_again() {
        let trace = Trace::of(&record(&[&[1.0, 3.0], &[9.0], &[2.0, 2.0]])).unwrap();
        assert_eq!(trace.costs(1), [0.5, 1.5]);
        assert_eq!(trace.costs(2), [1.0, 1.0]);
        assert_eq!(trace.costs(3), trace.costs(1));
        assert_eq!(Trace::of(&record(&[&[1.0]])), None);
        assert_eq!(Trace::of(&record(&[&[0.0, 0.0]])), None);
    }
}
