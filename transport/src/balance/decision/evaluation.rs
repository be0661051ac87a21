//! What a notification means: who is fastest, who is slowest, and whether it matters.
//!
//! Before: [`crate::balance::history`] has noted a call, its own member's or another's. After: set-up for a
//! larger or a smaller portion begins while others still compute, and when all have called, a
//! policy computes what to move.
//!
//! | heard | own member | reaction |
//! |---|---|---|
//! | the cycle's first call | made it | it is fastest: prepare for more |
//! | the call of the last but one | is the one missing | it is slowest: prepare for less |
//! | anything else | | none |
//!
//! Invariant: a controller reacts at most once a cycle each way, since "first" and "one is missing"
//! are true of one notification each.

use crate::balance::history::Cycle;

/// What the own member should do upon a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing.
    None,
    /// It is the fastest: the first set-up operation, for a larger portion.
    PrepareLarger,
    /// It alone is missing, so it is the slowest: the second set-up operation.
    PrepareSmaller,
}

/// The reaction of `own` right after the call of `caller` was noted in `cycle`. A group of one
/// has nobody to give to or take from.
pub fn react(cycle: &Cycle, own: usize, caller: usize) -> Reaction {
    let members = cycle.members();
    match cycle.arrivals().len() {
        _ if members < 2 => Reaction::None,
        // A pair's first call shows both at once.
        1 if caller == own => Reaction::PrepareLarger,
        calls if calls + 1 == members && !cycle.has(own) => Reaction::PrepareSmaller,
        _ => Reaction::None,
    }
}

/// The two ends of a cycle in which all have called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// Who called first.
    pub fastest: usize,
    /// Who called last.
    pub slowest: usize,
    /// The time between both, in nanoseconds: the longest wait.
    pub difference_ns: u64,
}

/// The deferred variant: compares the timestamps once all have called.
pub fn extremes(cycle: &Cycle) -> Option<Extremes> {
    if !cycle.is_complete() || cycle.members() < 2 {
        return None;
    }
    let calls = cycle.arrivals().iter();
    let key = |call: &&crate::balance::history::Arrival| (call.arrived_ns, call.member);
    let first = calls.clone().min_by_key(key)?;
    let last = calls.max_by_key(key)?;
    Some(Extremes {
        fastest: first.member,
        slowest: last.member,
        difference_ns: last.arrived_ns - first.arrived_ns,
    })
}

/// From which difference on moving pays. All conditions must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Nanoseconds between first and last.
    pub least_ns: u64,
    /// The difference as a share of the slowest's busy time.
    pub least_share: f64,
    /// What moving costs once, in nanoseconds.
    pub moving_ns: u64,
    /// Over how many cycles that must have been won back.
    pub cycles: u64,
}

impl Default for Threshold {
    /// One part in a hundred of the slowest's time, and moving costs nothing.
    fn default() -> Self {
        Self {
            least_ns: 1,
            least_share: 0.01,
            moving_ns: 0,
            cycles: 10,
        }
    }
}

impl Threshold {
    /// Whether `difference_ns` meets or exceeds it, where the slowest was busy for `slowest_ns`.
    pub fn is_met(&self, difference_ns: u64, slowest_ns: u64) -> bool {
        difference_ns >= self.least_ns
            && difference_ns as f64 >= self.least_share * slowest_ns as f64
            && difference_ns.saturating_mul(self.cycles) >= self.moving_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::tests::cycle;
    use crate::balance::history::{Arrival, Cycle};

    /// The reactions of every member to the calls of `callers` in turn.
    fn reactions(members: usize, callers: &[usize]) -> Vec<Vec<Reaction>> {
        let mut cycle = Cycle::new(1, members);
        let heard = callers.iter().map(|&member| {
            cycle.note(Arrival {
                member,
                started_ns: 0,
                arrived_ns: member as u64,
                load: 1,
            });
            (0..members).map(|own| react(&cycle, own, member)).collect()
        });
        heard.collect()
    }

    #[test]
    fn the_first_prepares_for_more_and_the_only_one_missing_for_less() {
        use Reaction::{None, PrepareLarger, PrepareSmaller};
        assert_eq!(
            reactions(4, &[2, 0, 3, 1]),
            [
                [None, None, PrepareLarger, None],
                [None, None, None, None],
                [None, PrepareSmaller, None, None],
                [None, None, None, None],
            ]
        );
        assert_eq!(
            reactions(2, &[1, 0]),
            [[PrepareSmaller, PrepareLarger], [None, None]]
        );
        assert_eq!(reactions(1, &[0]), [[None]]);
    }

    #[test]
    fn timestamps_tell_both_ends_afterwards() {
        let cycle = cycle(1, &[1000, 990, 1000, 1500], &[1; 4]);
        let ends = extremes(&cycle).unwrap();
        assert_eq!((ends.fastest, ends.slowest), (1, 3));
        assert_eq!(ends.difference_ns, 510);
        assert_eq!(extremes(&Cycle::new(1, 4)), None);
    }

    #[test]
    fn a_threshold_is_met_or_exceeded() {
        let mut threshold = Threshold {
            least_ns: 500,
            least_share: 0.0,
            moving_ns: 0,
            cycles: 1,
        };
        let met = |threshold: &Threshold| [499, 500, 501].map(|ns| threshold.is_met(ns, 1000));
        assert_eq!(met(&threshold), [false, true, true]);
        threshold.least_share = 0.501;
        assert_eq!(met(&threshold), [false, false, true]);
        threshold.least_share = 0.0;
        threshold.moving_ns = 5001;
        assert_eq!(met(&threshold), [false, false, false]);
        threshold.cycles = 11;
        assert_eq!(met(&threshold), [false, true, true]);
    }
}
