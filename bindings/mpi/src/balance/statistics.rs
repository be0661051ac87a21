//! What balancing has done and brought, as one member sees it.
//!
//! Before: a cycle has ended. After: the program, or a benchmark, reads the sums.

use pamir_transport::balance::decision::evaluation::Reaction;

use super::decision::Decision;
use super::resources::Cache;
use super::watch::Ran;

/// Sums over all cycles, but for the load balances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Cycles that have ended.
    pub cycles: u64,
    /// Cycles after which something moved.
    pub moves: u64,
    /// Units of load that were given, by all members.
    pub moved_load: u64,
    /// Bytes that this member fetched.
    pub fetched_bytes: u64,
    /// Bytes that it read from files.
    pub read_bytes: u64,
    /// Bytes of memory that it gave back after a move.
    pub released_bytes: u64,
    /// For how long it was busy, in nanoseconds of the policy's clock.
    pub busy_ns: u64,
    /// For how long it waited for others, in nanoseconds.
    pub wait_ns: u64,
    /// How often it prepared for a larger portion.
    pub prepared_larger: u64,
    /// How often it prepared for a smaller one.
    pub prepared_smaller: u64,
    /// Bytes of memory that set-up operations made or gave back.
    pub prepared_bytes: u64,
    /// Descriptors that fit into each of the rank's injection FIFOs.
    pub window_slots: u64,
    /// The part of the last-level cache that it may fill.
    pub cache: Cache,
    /// Cycles in which this member decided.
    pub decided: u64,
    /// For how long housekeeping ran in this process, in nanoseconds.
    pub housekeeping_ns: u64,
    /// How long set-up operations took, in nanoseconds.
    pub set_up_ns: u64,
    /// How much of that nobody waited for.
    pub hidden_ns: u64,
    /// Average over maximum of all members' busy times, in the first cycle.
    pub first_load_balance: f64,
    /// The same in the last cycle.
    pub last_load_balance: f64,
}

impl Statistics {
    /// Counts a cycle of member `own`.
    pub fn count(&mut self, decision: &Decision, busy_ns: u64, wait_ns: u64, own: usize) {
        debug_assert!(own < decision.calls.len());
        self.busy_ns += busy_ns;
        self.wait_ns += wait_ns;
        self.moves += u64::from(!decision.transfers.is_empty());
        let amounts = decision.transfers.iter().map(|transfer| transfer.amount);
        self.moved_load = amounts.fold(self.moved_load, u64::saturating_add);
        self.last_load_balance = load_balance(decision);
        if self.cycles == 0 {
            self.first_load_balance = self.last_load_balance;
        }
        self.cycles += 1;
    }

    /// Counts the set-up operations of a cycle in which this member called at `own_ns`, and the
    /// last one of the others at `others_ns`.
    pub fn count_set_up(&mut self, ran: &[Ran], own_ns: u64, others_ns: u64) {
        self.count_ran(ran);
        let hidden = ran.iter().map(|ran| ran.hidden_ns(own_ns, others_ns));
        self.hidden_ns += hidden.sum::<u64>();
    }

    /// Counts set-up operations of which is not known yet who will have waited for them.
    pub fn count_ran(&mut self, ran: &[Ran]) {
        for ran in ran {
            self.set_up_ns += ran.took_ns();
            self.prepared_larger += u64::from(ran.reaction == Reaction::PrepareLarger);
            self.prepared_smaller += u64::from(ran.reaction == Reaction::PrepareSmaller);
        }
    }
}

/// Average over maximum of busy times; 1 where nobody was busy.
fn load_balance(decision: &Decision) -> f64 {
    let busy = decision.calls.iter().map(|call| call.busy_ns());
    let sum: u64 = busy.clone().fold(0, u64::saturating_add);
    match busy.max() {
        Some(most @ 1..) => sum as f64 / decision.calls.len() as f64 / most as f64,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_transport::balance::history::Arrival;

    #[test]
    fn the_first_and_the_last_cycle_tell_what_was_won() {
        let decision = |busy_ns: [u64; 4]| {
            let calls = busy_ns
                .iter()
                .enumerate()
                .map(|(member, &arrived_ns)| Arrival {
                    member,
                    started_ns: 0,
                    arrived_ns,
                    load: 1,
                });
            let calls = calls.collect();
            let transfers = Vec::new();
            Decision { calls, transfers }
        };
        let mut statistics = Statistics::default();
        statistics.count(&decision([1000, 1000, 1000, 1500]), 1000, 500, 0);
        statistics.count(&decision([1200, 1000, 1000, 900]), 1200, 0, 0);
        assert_eq!(statistics.first_load_balance, 0.75);
        assert!((statistics.last_load_balance - 0.854).abs() < 0.0005);
        assert_eq!((statistics.cycles, statistics.wait_ns), (2, 500));
        statistics.count(&decision([0; 4]), 0, 0, 0);
        assert_eq!((statistics.last_load_balance, statistics.moves), (1.0, 0));
    }
}
