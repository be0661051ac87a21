//! When each member called its synchronisations: the history that every controller keeps.
//!
//! Before: a synchronisation call, announced with the member's number and a timestamp. After:
//! [`crate::balance::decision::evaluation`] reads who was first and who is missing, policies read how long each
//! was busy ("Load balancing at synchronization points": one history structure a processor, all
//! of them identical).
//!
//! ```text
//! cycle 7   │ member 2, 0..980 ns │ member 0, 0..1010 ns │ (member 1 is missing)
//! cycle 6   │ member 0 ...        │ member 2 ...         │ member 1 ...
//!           │ larger              │ the same             │ smaller       what each does next
//! ```
//!
//! Once a cycle is decided, its entries direct: each says whether its member does more, the same or
//! less in the next cycle.
//!
//! Invariants: a member is noted once a cycle; the order of completion follows from timestamps
//! alone, so it is the same in whatever order notifications came.

use std::collections::VecDeque;

use super::partition::Transfer;

/// One synchronisation call of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Who called: its index in the group that is balanced.
    pub member: usize,
    /// When its computation of this cycle began, in nanoseconds of a clock all members share.
    pub started_ns: u64,
    /// When it called.
    pub arrived_ns: u64,
    /// What it had to do: items, or the sum of their weights.
    pub load: u64,
}

impl Arrival {
    /// How long it computed; 0 where the clock went backwards.
    pub fn busy_ns(&self) -> u64 {
        self.arrived_ns.saturating_sub(self.started_ns)
    }

    /// Whether its clock did not jump backwards in between.
    pub fn is_sound(&self) -> bool {
        self.arrived_ns >= self.started_ns
    }
}

/// What an entry tells its member to do in the next cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directive {
    /// A smaller portion.
    Smaller,
    /// The same.
    #[default]
    Same,
    /// A larger one.
    Larger,
}

impl Directive {
    /// What `transfers` mean for `member`.
    fn of(transfers: &[Transfer], member: usize) -> Self {
        let net = transfers.iter().map(|transfer| {
            let gained = i128::from(transfer.receiver == member);
            let lost = i128::from(transfer.giver == member);
            (gained - lost) * i128::from(transfer.amount)
        });
        match net.sum::<i128>() {
            0 => Self::Same,
            1.. => Self::Larger,
            _ => Self::Smaller,
        }
    }
}

/// What became of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It is in the history.
    Noted,
    /// This member had called in this cycle already.
    Repeated,
    /// The cycle is older than what is kept.
    Forgotten,
    /// There is no such member.
    Stranger,
}

/// The calls of one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    number: u64,
    arrivals: Vec<Arrival>,
    present: Vec<bool>,
    directives: Vec<Directive>,
}

impl Cycle {
    /// A cycle of which nothing is known yet.
    pub fn new(number: u64, members: usize) -> Self {
        Self {
            number,
            arrivals: Vec::with_capacity(members),
            present: vec![false; members],
            directives: vec![Directive::Same; members],
        }
    }

    /// The cycle is decided: these move after it.
    fn direct(&mut self, transfers: &[Transfer]) {
        for (member, directive) in self.directives.iter_mut().enumerate() {
            *directive = Directive::of(transfers, member);
        }
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How many members the group has.
    pub fn members(&self) -> usize {
        self.present.len()
    }

    /// Notes a call.
    pub fn note(&mut self, arrival: Arrival) -> Notice {
        match self.present.get_mut(arrival.member) {
            None => Notice::Stranger,
            Some(true) => Notice::Repeated,
            Some(present) => {
                *present = true;
                self.arrivals.push(arrival);
                Notice::Noted
            }
        }
    }

    /// The calls in the order in which they were noted.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// Whether `member` has called.
    pub fn has(&self, member: usize) -> bool {
        self.present.get(member).copied().unwrap_or(false)
    }

    /// Whether all have called.
    pub fn is_complete(&self) -> bool {
        self.arrivals.len() == self.present.len()
    }

    /// Those that have not called: the members of the job less those of this cycle.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        let members = self.present.iter().enumerate();
        members
            .filter(|(_, present)| !**present)
            .map(|(member, _)| member)
    }

    /// The calls in order of completion, equal times in order of members.
    pub fn order(&self) -> Vec<Arrival> {
        let mut order = self.arrivals.clone();
        order.sort_unstable_by_key(|arrival| (arrival.arrived_ns, arrival.member));
        order
    }

    /// The calls by member, if all have called and no clock went backwards.
    pub fn by_member(&self) -> Option<Vec<Arrival>> {
        if !self.is_complete() || !self.arrivals.iter().all(Arrival::is_sound) {
            return None;
        }
        let mut arrivals = self.arrivals.clone();
        arrivals.sort_unstable_by_key(|arrival| arrival.member);
        Some(arrivals)
    }
}

/// The last cycles of a group.
#[derive(Clone, Debug)]
pub struct History {
    members: usize,
    depth: usize,
    cycles: VecDeque<Cycle>,
}

impl History {
    /// An empty history of `members` that keeps the last `depth` cycles, at least one.
    pub fn new(members: usize, depth: usize) -> Self {
        Self {
            members,
            depth: depth.max(1),
            cycles: VecDeque::new(),
        }
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Notes a call in cycle `number`; a cycle is begun by whoever calls first.
    pub fn note(&mut self, number: u64, arrival: Arrival) -> Notice {
        if arrival.member >= self.members {
            return Notice::Stranger;
        }
        let position = self.cycles.partition_point(|cycle| cycle.number < number);
        let known = self.cycles.get(position);
        if known.is_none_or(|cycle| cycle.number != number) {
            if position == 0 && self.cycles.len() == self.depth {
                return Notice::Forgotten;
            }
            self.cycles
                .insert(position, Cycle::new(number, self.members));
        }
        let notice = self.cycles[position].note(arrival);
        if self.cycles.len() > self.depth {
            self.cycles.pop_front();
        }
        notice
    }

    /// Cycle `number` is decided: its entries direct from now on.
    pub fn direct(&mut self, number: u64, transfers: &[Transfer]) {
        let mut cycles = self.cycles.iter_mut();
        if let Some(cycle) = cycles.find(|cycle| cycle.number == number) {
            cycle.direct(transfers);
        }
    }

    /// What the entry of `member` in the last cycle but `back` told it; nothing of cycles that are
    /// forgotten.
    pub fn directive(&self, back: usize, member: usize) -> Option<Directive> {
        let position = self.cycles.len().checked_sub(back + 1)?;
        self.cycles[position].directives.get(member).copied()
    }

    /// Cycle `number`, if anybody called in it and it is not forgotten.
    pub fn cycle(&self, number: u64) -> Option<&Cycle> {
        let position = self.cycles.partition_point(|cycle| cycle.number < number);
        let found = self.cycles.get(position);
        found.filter(|cycle| cycle.number == number)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A cycle that began at 0, in which member m was busy for `busy_ns[m]` with `loads[m]`.
    pub(crate) fn cycle(number: u64, busy_ns: &[u64], loads: &[u64]) -> Cycle {
        let mut cycle = Cycle::new(number, busy_ns.len());
        for (member, (&arrived_ns, &load)) in busy_ns.iter().zip(loads).enumerate() {
            let arrival = Arrival {
                member,
                started_ns: 0,
                arrived_ns,
                load,
            };
            assert_eq!(cycle.note(arrival), Notice::Noted);
        }
        cycle
    }

    fn arrival(member: usize, arrived_ns: u64) -> Arrival {
        Arrival {
            member,
            started_ns: 0,
            arrived_ns,
            load: 1,
        }
    }

    #[test]
    fn entries_of_a_decided_cycle_direct_each_member() {
        let mut history = History::new(3, 2);
        let transfer = |giver, receiver, amount| Transfer {
            giver,
            receiver,
            amount,
        };
        for number in 1..=3 {
            for member in 0..3 {
                history.note(
                    number,
                    Arrival {
                        member,
                        started_ns: 0,
                        arrived_ns: 1,
                        load: 9,
                    },
                );
            }
            if number == 2 {
                history.direct(
                    2,
                    &[transfer(2, 0, 4), transfer(1, 2, 1), transfer(0, 1, 1)],
                );
            }
        }
        let told = |back| [0, 1, 2].map(|member| history.directive(back, member));
        let (larger, same) = (Some(Directive::Larger), Some(Directive::Same));
        assert_eq!(told(0), [same; 3]);
        assert_eq!(told(1), [larger, same, Some(Directive::Smaller)]);
        assert_eq!(told(2), [None; 3]);
        assert_eq!(history.directive(0, 3), None);
    }

    #[test]
    fn the_missing_are_the_members_less_those_that_called() {
        let mut history = History::new(4, 8);
        for member in [2, 0] {
            assert_eq!(history.note(1, arrival(member, 10)), Notice::Noted);
        }
        let cycle = history.cycle(1).unwrap();
        assert_eq!(cycle.missing().collect::<Vec<_>>(), [1, 3]);
        assert!(!cycle.is_complete() && cycle.by_member().is_none());
        assert_eq!(history.note(1, arrival(2, 11)), Notice::Repeated);
        assert_eq!(history.note(1, arrival(4, 11)), Notice::Stranger);
    }

    #[test]
    fn old_cycles_are_forgotten() {
        let mut history = History::new(1, 2);
        for number in [1, 2, 3] {
            assert_eq!(history.note(number, arrival(0, 1)), Notice::Noted);
        }
        assert!(history.cycle(1).is_none());
        assert_eq!(history.note(1, arrival(0, 1)), Notice::Forgotten);
        assert!([2, 3].iter().all(|number| history.cycle(*number).is_some()));
    }

    #[test]
    fn a_clock_that_went_back_spoils_its_cycle_only() {
        let mut spoilt = cycle(1, &[5, 6], &[1, 1]);
        spoilt.arrivals[1].started_ns = 9;
        assert_eq!(spoilt.arrivals[1].busy_ns(), 0);
        assert!(spoilt.by_member().is_none());
        assert!(cycle(2, &[5, 6], &[1, 1]).by_member().is_some());
    }

    proptest! {
        #[test]
        fn histories_are_the_same_in_whatever_order_calls_are_heard_of(
            times in proptest::collection::vec(0u64..50, 1..20),
            keys in proptest::collection::vec(any::<u32>(), 20),
        ) {
            let mut heard: Vec<_> = times.iter().enumerate().map(|(m, &t)| arrival(m, t)).collect();
            let (mut one, mut other) = (History::new(times.len(), 4), History::new(times.len(), 4));
            heard.iter().for_each(|&call| { one.note(3, call); });
            heard.sort_by_key(|call| keys[call.member]);
            heard.iter().for_each(|&call| { other.note(3, call); });
            let (one, other) = (one.cycle(3).unwrap(), other.cycle(3).unwrap());
            prop_assert_eq!(one.order(), other.order());
            prop_assert_eq!(one.by_member(), other.by_member());
            prop_assert!(one.order().is_sorted_by_key(|call| call.arrived_ns));
        }
    }
}
