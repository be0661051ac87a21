//! What a run's cycles say about its balance, in the words of performance analysis.
//!
//! Before: a [`crate::balance::record::Record`]. After: `pamir report` prints it.
//!
//! | measure | meaning (POP, Performance Optimisation and Productivity) |
//! |---|---|
//! | load balance | average over maximum of the busy times |
//! | communication efficiency | the longest busy time over the run's length |
//! | parallel efficiency | average busy time over the run's length: the product of both |
//! | wait sum | what all together waited for the last |
//!
//! Where ranks share cores, all but the wait sum are of cores: what sits on a core is added up.
//!
//! Invariants: efficiencies lie between 0 and 1; cycles in which somebody is missing, or whose
//! clock went backwards, are counted and not measured.

use std::collections::BTreeMap;

use crate::balance::record::{Call, Record, RecordedCycle};

/// The measures of one cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleMetrics {
    /// Its number.
    pub number: u64,
    /// When the first began, in nanoseconds of the record's clock.
    pub started_ns: u64,
    /// From the first start until the last call, in nanoseconds.
    pub length_ns: u64,
    /// How long each rank waited for the last, in nanoseconds.
    pub waits_ns: Vec<u64>,
    /// How long each core, or rank that kept to none, was busy, in nanoseconds.
    pub busy_ns: Vec<u64>,
}

/// The measures of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunMetrics {
    /// Those of each cycle that could be measured.
    pub cycles: Vec<CycleMetrics>,
    /// How many could not.
    pub unmeasured: usize,
    /// Length of all cycles together, in nanoseconds.
    pub length_ns: u64,
    /// What each rank waited in all, in nanoseconds.
    pub waits_ns: Vec<u64>,
    /// Load balance: average of the busy times over the maximum, cycle by cycle.
    pub load_balance: f64,
    /// The longest busy times over the length.
    pub communication_efficiency: f64,
}

impl CycleMetrics {
    /// The measures of a cycle of `ranks`, if all have called.
    pub fn of(cycle: &RecordedCycle, ranks: usize) -> Option<Self> {
        let sound = cycle.calls.iter().all(|call| call.arrival.is_sound());
        if cycle.calls.len() != ranks || !sound {
            return None;
        }
        let arrivals = cycle.calls.iter().map(|call| call.arrival);
        let started_ns = arrivals.clone().map(|arrival| arrival.started_ns).min()?;
        let last_ns = arrivals.clone().map(|arrival| arrival.arrived_ns).max()?;
        Some(Self {
            number: cycle.number,
            started_ns,
            length_ns: last_ns - started_ns,
            waits_ns: arrivals
                .map(|arrival| last_ns - arrival.arrived_ns)
                .collect(),
            busy_ns: busy(&cycle.calls),
        })
    }

    /// Average over maximum of the busy times.
    pub fn load_balance(&self) -> f64 {
        ratio(self.average_ns(), self.longest_ns())
    }

    /// What all waited together, in nanoseconds.
    pub fn wait_sum_ns(&self) -> u64 {
        self.waits_ns.iter().sum()
    }

    fn average_ns(&self) -> f64 {
        let sum: f64 = self.busy_ns.iter().map(|ns| *ns as f64).sum();
        sum / self.busy_ns.len().max(1) as f64
    }

    fn longest_ns(&self) -> f64 {
        self.busy_ns.iter().copied().max().unwrap_or(0) as f64
    }
}

impl RunMetrics {
    /// The measures of a recorded run.
    pub fn of(record: &Record) -> Self {
        let measured = record.cycles.iter();
        let measured = measured.filter_map(|cycle| CycleMetrics::of(cycle, record.ranks));
        let cycles: Vec<_> = measured.collect();
        let mut waits_ns = vec![0; record.ranks];
        for cycle in &cycles {
            for (sum, wait) in waits_ns.iter_mut().zip(&cycle.waits_ns) {
                *sum += wait;
            }
        }
        let average: f64 = cycles.iter().map(CycleMetrics::average_ns).sum();
        let longest: f64 = cycles.iter().map(CycleMetrics::longest_ns).sum();
        let length_ns = cycles.iter().map(|cycle| cycle.length_ns).sum();
        Self {
            unmeasured: record.cycles.len() - cycles.len(),
            length_ns,
            waits_ns,
            load_balance: ratio(average, longest),
            communication_efficiency: ratio(longest, length_ns as f64),
            cycles,
        }
    }

    /// Average busy time over the length.
    pub fn parallel_efficiency(&self) -> f64 {
        self.load_balance * self.communication_efficiency
    }
}

/// Busy times of cores: calls of one place are added up, others stand for themselves.
fn busy(calls: &[Call]) -> Vec<u64> {
    let mut places = BTreeMap::<(Option<usize>, usize), u64>::new();
    for call in calls {
        let own = call.place.map_or(call.arrival.member, |_| 0);
        *places.entry((call.place, own)).or_default() += call.busy_ns;
    }
    places.into_values().collect()
}

/// A quotient of times, at most 1; 1 where nothing took any time.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        (part / whole).min(1.0)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::Arrival;

    fn cycle(
        number: u64,
        busy_ns: &[u64],
        place: impl Fn(usize) -> Option<usize>,
    ) -> RecordedCycle {
        let call = |(member, &busy_ns): (usize, &u64)| Call {
            arrival: Arrival {
                member,
                started_ns: 0,
                arrived_ns: busy_ns,
                load: 1,
            },
            busy_ns,
            place: place(member),
        };
        RecordedCycle {
            number,
            calls: busy_ns.iter().enumerate().map(call).collect(),
        }
    }

    /// The document's two cycles.
    #[test]
    fn the_documents_numbers() {
        let record = Record {
            ranks: 4,
            cycles: vec![
                cycle(1, &[1000, 1000, 1000, 1500], |_| None),
                cycle(2, &[1200, 1000, 1000, 900], |_| None),
                cycle(3, &[1200, 1000], |_| None),
            ],
            deeds: Vec::new(),
        };
        let metrics = RunMetrics::of(&record);
        let sums: Vec<_> = metrics
            .cycles
            .iter()
            .map(CycleMetrics::wait_sum_ns)
            .collect();
        assert_eq!(sums, [1500, 700]);
        assert_eq!(metrics.cycles[0].load_balance(), 0.75);
        assert!((metrics.cycles[1].load_balance() - 0.854).abs() < 0.0005);
        assert_eq!(metrics.waits_ns, [500, 700, 700, 300]);
        assert_eq!((metrics.unmeasured, metrics.length_ns), (1, 2700));
        assert_eq!(metrics.communication_efficiency, 1.0);
        assert_eq!(metrics.parallel_efficiency(), metrics.load_balance);
    }

    #[test]
    fn ranks_of_a_core_are_busy_together() {
        let shared = cycle(1, &[3, 1, 1, 1], |rank| Some(usize::from(rank > 0)));
        let metrics = CycleMetrics::of(&shared, 4).unwrap();
        assert_eq!(metrics.busy_ns, [3, 3]);
        assert_eq!(metrics.load_balance(), 1.0);
    }

    #[test]
    fn nothing_took_no_time() {
        let metrics = RunMetrics::of(&Record::default());
        assert_eq!(metrics.parallel_efficiency(), 1.0);
        assert_eq!(
            CycleMetrics::of(&cycle(1, &[0, 0], |_| None), 2)
                .unwrap()
                .load_balance(),
            1.0
        );
    }
}
