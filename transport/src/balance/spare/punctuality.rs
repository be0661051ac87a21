//! Whether ranks go on at once when a wait ends, although another program had their cores.
//!
//! Before: cycles that are over, while a second program ran in the scheduler's idle class. After:
//! the launcher leaves that program to the kernel, or stops it ahead by [`super::dead_time`].
//!
//! ```text
//! last call of a cycle        first rank of a core computes again
//!    │◀──────────── late ────────────▶│      the latest core counts
//! ```
//!
//! Most kernels give a rank that wakes its core at once; one that preempts lazily may let it wait
//! for the next tick, and then the second program costs the ranks that much in each cycle.
//!
//! | from | to | when |
//! |---|---|---|
//! | trusted | doubted | the median of `REMEMBERED` cycles is later than `LATE_NS` and `LATE_SHARE` of a cycle |
//! | doubted | trusted | `PATIENCE` cycles have passed; after each doubt twice as many |
//!
//! Invariant: cycles in which the second program was not left to the kernel are not judged.

use std::collections::BTreeMap;

use crate::balance::record::Call;
use crate::balance::record::recent::{REMEMBERED, Recent};

/// What going on may take: a wake-up out of a deep sleep, but not a tick of the kernel (1 to 10 ms,
/// of which half is waited on average), in nanoseconds.
const LATE_NS: u64 = 400_000;

/// What it may take as a share of the cycle.
const LATE_SHARE: f64 = 0.005;

/// After how many cycles of doubt the kernel is trusted again, the first time.
const PATIENCE: u64 = 64;

/// How punctually the ranks of a job go on.
#[derive(Clone, Debug)]
pub struct Punctuality {
    /// Who made the last cycle's calls, and when the last of them came.
    released: Option<(Vec<usize>, u64)>,
    /// By how much ranks went on late, in nanoseconds: a few cycles that something else made late
    /// do not count.
    late_ns: Recent,
    /// What the same cycles took, in nanoseconds.
    cycle_ns: Recent,
    /// How many cycles the doubt lasts yet.
    doubt: u64,
    patience: u64,
}

impl Default for Punctuality {
    fn default() -> Self {
        Self {
            released: None,
            late_ns: Recent::default(),
            cycle_ns: Recent::default(),
            doubt: 0,
            patience: PATIENCE,
        }
    }
}

impl Punctuality {
    /// Learns from a complete cycle.
    pub fn learn(&mut self, calls: &[Call]) {
        let mut members: Vec<usize> = calls.iter().map(|call| call.arrival.member).collect();
        members.sort_unstable();
        let called_ns = calls.iter().map(|call| call.arrival.arrived_ns).max();
        let called_ns = called_ns.unwrap_or(0);
        let before = self.released.replace((members, called_ns));
        let Some((members, released_ns)) = before else {
            return;
        };
        // Another group's cycles say nothing of when this one's began.
        let same = self.released.as_ref().is_some_and(|now| now.0 == members);
        if same && !calls.is_empty() {
            let late_ns = went_on_ns(calls).saturating_sub(released_ns);
            self.judge(late_ns, called_ns.saturating_sub(released_ns));
        }
    }

    fn judge(&mut self, late_ns: u64, cycle_ns: u64) {
        if self.doubt > 0 {
            self.doubt -= 1;
            return;
        }
        self.late_ns.add(late_ns);
        self.cycle_ns.add(cycle_ns);
        let (late_ns, cycle_ns) = (self.late_ns(), self.cycle_ns.median().unwrap_or(0));
        let share = late_ns as f64 / cycle_ns.max(1) as f64;
        let judged = self.late_ns.len() == REMEMBERED;
        if judged && late_ns > LATE_NS && share > LATE_SHARE {
            self.doubt = self.patience;
            self.patience = self.patience.saturating_mul(2);
            self.late_ns.clear();
            self.cycle_ns.clear();
        }
    }

    /// Whether the kernel may be left to find out when a rank wants its core back.
    pub fn is_trusted(&self) -> bool {
        self.doubt == 0
    }

    /// By how much ranks went on late, as judged last, in nanoseconds.
    pub fn late_ns(&self) -> u64 {
        self.late_ns.median().unwrap_or(0)
    }
}

/// When the last core was computing again: the first of the ranks that sit on it had gone on.
fn went_on_ns(calls: &[Call]) -> u64 {
    let mut cores = BTreeMap::new();
    for call in calls {
        let started_ns = call.arrival.started_ns;
        let first = cores.entry(call.core()).or_insert(started_ns);
        *first = started_ns.min(*first);
    }
    cores.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::Arrival;

    const MS: u64 = 1_000_000;

    fn call(member: usize, started_ns: u64, arrived_ns: u64, place: usize) -> Call {
        Call {
            arrival: Arrival {
                member,
                started_ns,
                arrived_ns,
                load: 1,
            },
            busy_ns: 1,
            place: Some(place),
        }
    }

    /// Cycles of 40 ms from `first` on, in which the rank of the second core went on so late.
    fn run(punctuality: &mut Punctuality, first: u64, cycles: u64, late_ns: u64) {
        for cycle in first..first + cycles {
            let (start, end) = (cycle * 40 * MS, (cycle + 1) * 40 * MS);
            punctuality.learn(&[call(0, start, end, 0), call(1, start + late_ns, end, 1)]);
        }
    }

    #[test]
    fn ranks_that_wait_for_a_tick_of_the_kernel_raise_doubt() {
        let mut punctuality = Punctuality::default();
        run(&mut punctuality, 0, 50, 60_000);
        assert!(punctuality.is_trusted());
        assert_eq!(punctuality.late_ns(), 60_000);
        run(&mut punctuality, 50, 2, 30 * MS);
        assert!(punctuality.is_trusted(), "two of five may be anything");
        run(&mut punctuality, 52, 1, 2 * MS);
        assert!(!punctuality.is_trusted());
    }

    #[test]
    fn doubt_ends_and_lasts_longer_the_next_time() {
        let mut punctuality = Punctuality::default();
        run(&mut punctuality, 0, 6, 2 * MS);
        assert!(!punctuality.is_trusted());
        run(&mut punctuality, 6, PATIENCE - 1, 2 * MS);
        assert!(!punctuality.is_trusted());
        run(&mut punctuality, 5 + PATIENCE, 1, 2 * MS);
        assert!(punctuality.is_trusted());
        run(&mut punctuality, 6 + PATIENCE, 5, 2 * MS);
        run(&mut punctuality, 11 + PATIENCE, 2 * PATIENCE - 1, 0);
        assert!(!punctuality.is_trusted());
        run(&mut punctuality, 10 + 3 * PATIENCE, 1, 0);
        assert!(punctuality.is_trusted());
    }

    #[test]
    fn a_rank_that_waits_for_another_of_its_core_is_not_late() {
        let mut punctuality = Punctuality::default();
        for cycle in 0..20 {
            let (start, end) = (cycle * 40 * MS, (cycle + 1) * 40 * MS);
            let second = call(1, start + 20 * MS, end, 0);
            punctuality.learn(&[call(0, start, end, 0), second, call(2, start, end, 1)]);
        }
        assert!(punctuality.is_trusted());
        assert_eq!(punctuality.late_ns(), 0);
    }

    #[test]
    fn cycles_of_other_groups_are_not_compared() {
        let mut punctuality = Punctuality::default();
        for cycle in 0..20 {
            let start = cycle * 40 * MS;
            punctuality.learn(&[call(
                cycle as usize % 2,
                start + 20 * MS,
                start + 21 * MS,
                0,
            )]);
        }
        assert!(punctuality.is_trusted() && punctuality.late_ns.len() == 0);
        punctuality.learn(&[]);
        assert_eq!(punctuality.late_ns.len(), 0);
    }
}
