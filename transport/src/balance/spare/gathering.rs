//! Complete cycles out of calls that are seen now and then.
//!
//! Before: a launcher looks at what each rank tells of its last few calls, again and again. After:
//! cycles in which everybody has called, each given out once, in order of completion.
//!
//! ```text
//! look 1   rank 0: calls 4 5    rank 1: call 4       ─▶ cycle 4
//! look 2   rank 0: calls 4 5 6  rank 1: calls 4 5    ─▶ cycle 5, as 4 was given out
//! ```
//!
//! Only calls of the whole job make a cycle: of a smaller group, somebody is missing for ever.
//!
//! Invariants: a cycle is given out once; of calls that nobody completes only so many are kept.

use std::collections::BTreeMap;

use crate::balance::record::Call;

/// How many cycles may be incomplete at once; what is older is given up.
const KEPT: usize = 64;

/// A cycle by the group that called, and its number there.
pub type CycleId = (u32, u32);

/// What has been seen of cycles.
#[derive(Clone, Debug)]
pub struct Gathering {
    ranks: usize,
    begun: BTreeMap<CycleId, Begun>,
    /// The last cycle of each group that was given out; numbers of a group ascend.
    last: BTreeMap<u32, u32>,
    looks: u64,
}

#[derive(Clone, Debug)]
struct Begun {
    calls: Vec<Option<Call>>,
    seen: u64,
}

impl Gathering {
    /// Nothing seen yet of a job of so many ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            ranks,
            begun: BTreeMap::new(),
            last: BTreeMap::new(),
            looks: 0,
        }
    }

    /// Notes a call that is seen, maybe again. Calls of ranks that are not there are nothing.
    pub fn note(&mut self, id: CycleId, call: Call) {
        let given_out = self.last.get(&id.0).is_some_and(|last| *last >= id.1);
        if given_out || call.arrival.member >= self.ranks {
            return;
        }
        let (ranks, seen) = (self.ranks, self.looks);
        let begun = self.begun.entry(id).or_insert_with(|| Begun {
            calls: vec![None; ranks],
            seen,
        });
        begun.calls[call.arrival.member].get_or_insert(call);
    }

    /// The cycles that are complete now, each with its calls by rank, in order of completion.
    pub fn complete(&mut self) -> Vec<Vec<Call>> {
        self.looks += 1;
        let full = |begun: &Begun| begun.calls.iter().all(Option::is_some);
        let ids = self.begun.iter().filter(|(_, begun)| full(begun));
        let ids: Vec<CycleId> = ids.map(|(id, _)| *id).collect();
        let mut cycles = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(begun) = self.begun.remove(&id) {
                cycles.push(begun.calls.into_iter().flatten().collect::<Vec<_>>());
            }
            self.last.insert(id.0, id.1);
        }
        let last = &self.last;
        let open = |id: &CycleId| last.get(&id.0).is_none_or(|last| *last < id.1);
        self.begun.retain(|id, _| open(id));
        self.forget();
        cycles.sort_by_key(|calls| calls.iter().map(|call| call.arrival.arrived_ns).max());
        cycles
    }

    /// Gives up what was begun longest ago.
    fn forget(&mut self) {
        while self.begun.len() > KEPT {
            let oldest = self.begun.iter().min_by_key(|(_, begun)| begun.seen);
            let Some(oldest) = oldest.map(|(id, _)| *id) else {
                return;
            };
            self.begun.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::Arrival;

    fn call(member: usize, arrived_ns: u64) -> Call {
        Call {
            arrival: Arrival {
                member,
                started_ns: 0,
                arrived_ns,
                load: 1,
            },
            busy_ns: 1,
            place: None,
        }
    }

    fn last_calls(cycles: &[Vec<Call>]) -> Vec<u64> {
        let last = |calls: &Vec<Call>| calls.iter().map(|call| call.arrival.arrived_ns).max();
        cycles.iter().filter_map(last).collect()
    }

    #[test]
    fn a_cycle_is_given_out_once_when_all_have_called() {
        let mut gathering = Gathering::new(2);
        gathering.note((0, 4), call(0, 40));
        gathering.note((0, 4), call(1, 41));
        gathering.note((0, 5), call(0, 50));
        gathering.note((0, 5), call(9, 50));
        assert_eq!(last_calls(&gathering.complete()), [41]);
        gathering.note((0, 4), call(0, 40));
        gathering.note((0, 4), call(1, 41));
        gathering.note((0, 5), call(1, 52));
        assert_eq!(last_calls(&gathering.complete()), [52]);
        assert!(gathering.complete().is_empty() && gathering.begun.is_empty());
    }

    #[test]
    fn cycles_of_several_groups_come_in_order_of_time() {
        let mut gathering = Gathering::new(1);
        gathering.note((0, 7), call(0, 70));
        gathering.note((4, 1), call(0, 30));
        assert_eq!(last_calls(&gathering.complete()), [30, 70]);
    }

    #[test]
    fn calls_that_nobody_completes_are_given_up() {
        let mut gathering = Gathering::new(2);
        for number in 1..=1000 {
            gathering.note((2, number), call(0, u64::from(number)));
            assert!(gathering.complete().is_empty());
        }
        assert_eq!(gathering.begun.len(), KEPT);
        gathering.note((2, 1000), call(1, 2000));
        assert_eq!(gathering.complete().len(), 1);
        // What came before cannot be completed any more.
        assert!(gathering.begun.is_empty());
    }
}
