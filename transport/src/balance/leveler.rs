//! Levelling jobs whose data must stay where it is: more and smaller tasks instead of moved data.
//!
//! Before: [`super::history`] has the calls of a cycle. After: each processor's queue holds as many
//! subtasks as is said here; a processor with several runs them on threads at once.
//!
//! ```text
//! N tasks        │ A │ B │ C │ D │      one a processor
//! N + 1 subtasks │a a│ b │ c │ d │      2/5 for the fastest, 1/5 for each of the others
//! ```
//!
//! The work is split into N + delta parts, delta from the difference in time by a [`Law`]. Every
//! processor has one, and the rest queue where they end first.
//!
//! Invariants: the whole is always done; a split is taken only if the longest time it predicts,
//! X * N / (N + delta) * time of a task, is below the longest of fewer parts. (With times of 1000
//! and 1500 for four tasks, five parts would take 2 * 4/5 * 1000 = 1600: it does not split.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::history::Arrival;
use crate::balance::decision::law::Law;

/// At most so many subtasks for each processor, on average.
const MOST_SUBTASKS: usize = 16;

/// The queues' lengths of N processors, and how they are changed.
#[derive(Clone, Debug)]
pub struct Leveler {
    law: Law,
    queues: Vec<u64>,
}

impl Leveler {
    /// Begins with one task for each of `members` processors.
    pub fn new(law: Law, members: usize) -> Self {
        let queues = vec![1; members];
        Self { law, queues }
    }

    /// How many subtasks each processor has.
    pub fn queues(&self) -> &[u64] {
        &self.queues
    }

    /// How many more parts there are than processors.
    fn delta(&self) -> u64 {
        self.queues.iter().sum::<u64>() - self.queues.len() as u64
    }

    /// Adds subtasks or takes some away after a cycle, whose calls come by member, in whatever unit
    /// their load is. Says whether the queues have changed.
    pub fn level(&mut self, calls: &[Arrival]) -> bool {
        if calls.len() != self.queues.len() || calls.len() < 2 {
            return false;
        }
        let task_ns = self.task_ns(calls);
        let delta = self.delta();
        let wanted = delta + self.wanted(calls);
        let most = (MOST_SUBTASKS * calls.len()) as u64;
        let candidates = [0, delta / 2, delta, (delta + wanted) / 2, wanted];
        let mut best = (f64::INFINITY, self.queues.clone());
        for delta in candidates {
            let queues = split(&task_ns, delta.min(most));
            let longest_ns = longest_ns(&task_ns, &queues);
            // The fewest parts of those that are equally good.
            if longest_ns < best.0 {
                best = (longest_ns, queues);
            }
        }
        let changed = best.1 != self.queues;
        self.queues = best.1;
        changed
    }

    /// What an undivided task takes on each processor, from what its subtasks took.
    fn task_ns(&self, calls: &[Arrival]) -> Vec<f64> {
        let parts = self.queues.iter().sum::<u64>() as f64 / calls.len() as f64;
        let queued = calls.iter().zip(&self.queues);
        let task = |(call, queue): (&Arrival, &u64)| call.busy_ns() as f64 / *queue as f64 * parts;
        queued.map(task).collect()
    }

    /// How many more parts the law wants: what it says of the fastest and the slowest, as often as
    /// there are pairs.
    fn wanted(&self, calls: &[Arrival]) -> u64 {
        let subtask_ns =
            |member: usize| calls[member].busy_ns() as f64 / self.queues[member] as f64;
        let busy = |member: &usize| calls[*member].busy_ns();
        let fastest = (0..calls.len()).min_by_key(busy).unwrap_or(0);
        let slowest = (0..calls.len()).max_by_key(busy).unwrap_or(0);
        let difference_ns = calls[slowest].busy_ns() - calls[fastest].busy_ns();
        let unit_ns = (subtask_ns(slowest), subtask_ns(fastest));
        let each = self.law.amount(difference_ns, unit_ns);
        (each * calls.len() as f64 / 2.0).ceil() as u64
    }
}

/// How N + `delta` parts queue on N processors, on which an undivided task takes `task_ns`.
pub fn split(task_ns: &[f64], delta: u64) -> Vec<u64> {
    let mut queues = vec![1_u64; task_ns.len()];
    // Whole nanoseconds order the heap; a member's key is when one more part would end.
    let key = |member: usize, queue: u64| {
        let end_ns = (queue + 1) as f64 * task_ns[member];
        Reverse((end_ns.round() as u64, member))
    };
    let mut next: BinaryHeap<_> = (0..task_ns.len()).map(|member| key(member, 1)).collect();
    for _ in 0..delta {
        if let Some(Reverse((_, member))) = next.pop() {
            queues[member] += 1;
            next.push(key(member, queues[member]));
        }
    }
    queues
}

/// The longest time of a processor: X * N / (N + delta) * time of a task.
fn longest_ns(task_ns: &[f64], queues: &[u64]) -> f64 {
    let parts = queues.iter().sum::<u64>() as f64;
    let part = task_ns.len() as f64 / parts;
    let time = |(ns, queue): (&f64, &u64)| ns * *queue as f64 * part;
    task_ns.iter().zip(queues).map(time).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::tests::cycle;

    fn levelled(leveler: &mut Leveler, busy_ns: &[u64]) -> bool {
        let loads = vec![1; busy_ns.len()];
        leveler.level(&cycle(1, busy_ns, &loads).by_member().unwrap())
    }

    /// Five parts for four processors, and no more.
    fn one_more() -> Leveler {
        let table = Law::table(vec![(100, 0), (400, 1)]).unwrap();
        Leveler {
            law: table,
            queues: vec![1; 4],
        }
    }

    #[test]
    fn four_tasks_become_five_and_the_fastest_has_two() {
        let task_ns = [500.0, 1000.0, 1000.0, 1000.0];
        let queues = split(&task_ns, 1);
        assert_eq!(queues, [2, 1, 1, 1]);
        assert_eq!(longest_ns(&task_ns, &queues), 800.0);
        let mut leveler = one_more();
        assert!(levelled(&mut leveler, &[500, 1000, 1000, 1000]));
        assert!(leveler.queues()[0] > 1);
    }

    #[test]
    fn a_split_that_would_take_longer_is_refused() {
        let task_ns = [1000.0, 1000.0, 1000.0, 1500.0];
        assert_eq!(longest_ns(&task_ns, &split(&task_ns, 1)), 1600.0);
        let law = Law::Linear {
            load_per_ns: 0.0,
            constant: 0.5,
        };
        let mut leveler = Leveler::new(law, 4);
        assert!(!levelled(&mut leveler, &[1000, 1000, 1000, 1500]));
        assert_eq!(leveler.queues(), [1; 4]);
        // 2 * 4/5 * 900 = 1440 is below 1500.
        assert!(levelled(&mut leveler, &[900, 1000, 1000, 1500]));
        assert_eq!(leveler.queues(), [2, 1, 1, 1]);
    }

    #[test]
    fn a_larger_difference_makes_more_parts_and_none_fewer() {
        let mut leveler = Leveler::new(Law::DataPerTime, 4);
        assert!(levelled(&mut leveler, &[100, 400, 400, 400]));
        let more = leveler.delta();
        assert!(more >= 2, "{:?}", leveler.queues());
        // Now all processors are equally fast: each subtask takes as long everywhere.
        let busy: Vec<u64> = leveler.queues().iter().map(|queue| 100 * queue).collect();
        assert!(levelled(&mut leveler, &busy));
        assert_eq!(leveler.queues(), [1; 4]);
        assert!(!levelled(&mut leveler, &[100; 3]));
    }
}
