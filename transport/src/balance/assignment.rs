//! Tasks of different cost on processors of different speed: who does which.
//!
//! Before: a program has a list of tasks with weights. After: each member does its own at once, on
//! threads, and the fastest has several.
//!
//! ```text
//! weights   5 │ 3 │ 2 │ 2 │ 1        member 0, twice as fast   5, 2, 1
//!                                    member 1                  3, 2
//! ```
//!
//! The heaviest task goes first, each to the member that ends it first (longest processing time first,
//! on uniform machines). How fast a member is follows from the weight it did and how long that took,
//! threads and cores included; who had nothing to do keeps what is known of it.
//!
//! Invariants: each task has one owner; all members that learn the same come to the same owners; what
//! gains less than `LEAST_GAIN` stays where it is.

use super::history::Arrival;

/// Part of the longest time that another assignment has to save.
const LEAST_GAIN: f64 = 0.05;

/// Who does which task.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    weights: Vec<u64>,
    owners: Vec<usize>,
    /// Weight in a nanosecond, by member, as far as it is known.
    speeds: Vec<Option<f64>>,
}

impl Assignment {
    /// No tasks yet, for `members` of which nothing is known.
    pub fn new(members: usize) -> Self {
        Self {
            weights: Vec::new(),
            owners: Vec::new(),
            speeds: vec![None; members],
        }
    }

    /// These are the tasks from now on: other ones are assigned by what is known.
    pub fn take(&mut self, weights: &[u64]) {
        if self.weights != weights {
            self.weights = weights.to_vec();
            self.owners = self.best();
        }
    }

    /// The member that does each task.
    pub fn owners(&self) -> &[usize] {
        &self.owners
    }

    /// The weight that each member has.
    pub fn loads(&self) -> Vec<u64> {
        loads(&self.weights, &self.owners, self.speeds.len())
    }

    /// Learns from a cycle, whose calls come by member, and assigns anew where that gains enough.
    /// Whether any owner has changed.
    pub fn learn(&mut self, calls: &[Arrival]) -> bool {
        for (known, call) in self.speeds.iter_mut().zip(calls) {
            if call.load > 0 && call.busy_ns() > 0 {
                let speed = call.load as f64 / call.busy_ns() as f64;
                *known = Some(known.map_or(speed, |known| known.midpoint(speed)));
            }
        }
        let best = self.best();
        let gains = self.longest(&best) < self.longest(&self.owners) * (1.0 - LEAST_GAIN);
        if gains {
            self.owners = best;
        }
        gains
    }

    /// Who nothing is known of is taken for as fast as the others on average.
    fn speed(&self, member: usize) -> f64 {
        let known = self.speeds.iter().flatten();
        let count = known.clone().count().max(1) as f64;
        let average = known.sum::<f64>() / count;
        let speed = self.speeds[member].unwrap_or(average);
        if speed > 0.0 { speed } else { 1.0 }
    }

    fn best(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.weights.len()).collect();
        order.sort_by_key(|task| std::cmp::Reverse(self.weights[*task]));
        let speeds: Vec<f64> = (0..self.speeds.len()).map(|one| self.speed(one)).collect();
        let mut loads = vec![0; speeds.len()];
        let mut owners = vec![0; order.len()];
        for task in order {
            let end =
                |member: &usize| (loads[*member] + self.weights[task]) as f64 / speeds[*member];
            let first = (0..speeds.len()).min_by(|one, other| end(one).total_cmp(&end(other)));
            let owner = first.unwrap_or(0);
            loads[owner] += self.weights[task];
            owners[task] = owner;
        }
        owners
    }

    /// The time after which all tasks are done, where `owners` do them.
    fn longest(&self, owners: &[usize]) -> f64 {
        let loads = loads(&self.weights, owners, self.speeds.len());
        let times = loads.iter().enumerate();
        let times = times.map(|(member, load)| *load as f64 / self.speed(member));
        times.fold(0.0, f64::max)
    }
}

fn loads(weights: &[u64], owners: &[usize], members: usize) -> Vec<u64> {
    let mut loads = vec![0_u64; members];
    for (weight, owner) in weights.iter().zip(owners) {
        loads[*owner] = loads[*owner].saturating_add(*weight);
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What members that take `unit_ns` for a unit of weight call after a cycle.
    fn calls(assignment: &Assignment, unit_ns: &[u64]) -> Vec<Arrival> {
        let loads = assignment.loads();
        let calls = loads.iter().zip(unit_ns).enumerate();
        let calls = calls.map(|(member, (load, unit_ns))| Arrival {
            member,
            started_ns: 0,
            arrived_ns: load * unit_ns,
            load: *load,
        });
        calls.collect()
    }

    #[test]
    fn the_fastest_gets_several_and_the_slowest_few() {
        let mut assignment = Assignment::new(3);
        assignment.take(&[4, 3, 2, 2, 1, 1]);
        assert_eq!(assignment.loads(), [5, 4, 4]);
        let unit_ns = [1000, 2000, 8000];
        assert!(assignment.learn(&calls(&assignment, &unit_ns)));
        let loads = assignment.loads();
        assert!(loads[0] > loads[1] && loads[2] <= 1, "{loads:?}");
        assert_eq!(loads.iter().sum::<u64>(), 13);
        assert!(!assignment.learn(&calls(&assignment, &unit_ns)), "it stays");
        // Other tasks go by what is known already.
        assignment.take(&[1; 11]);
        let loads = assignment.loads();
        assert!(loads[0] >= 7 && loads[2] <= 1, "{loads:?}");
        assert_eq!(loads.iter().sum::<u64>(), 11);
    }

    #[test]
    fn equal_members_keep_what_they_have() {
        let mut assignment = Assignment::new(2);
        assignment.take(&[3, 3, 2, 2]);
        assert_eq!(assignment.loads(), [5, 5]);
        for unit_ns in [[1000, 1020], [1010, 1000], [1000, 1000]] {
            assert!(!assignment.learn(&calls(&assignment, &unit_ns)));
        }
        assert_eq!(Assignment::new(2).owners(), [] as [usize; 0]);
    }
}
