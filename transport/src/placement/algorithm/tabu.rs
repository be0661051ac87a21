//! Robust tabu search (Taillard 1991), and the walk it shares with the memetic search.
//!
//! What: every step makes the cheapest swap, also one that costs more, except that for a random
//! number of steps no two processes may go back together to places they have just left (tabu),
//! unless that gives a mapping better than all before. What has not been tried for very long is
//! tried in between.
//! Why robust: the number of steps a return is forbidden changes at random between 0.9 n and
//! 1.1 n, so that no cycle of fixed length holds the walk.
//! Invariant: a step costs O(n²) time, whatever the problem.

use super::super::gain::{GainTable, Numbers, Swap};
use super::super::random::Random;
use super::super::search::Search;
use super::{Algorithm, PlacementError, Problem};

/// How often swaps that were not tried for long are looked for: looking takes as long as a step.
const STEPS_A_LOOK: u64 = 8;

/// A swap is due when both its places were not taken for this many steps, times n².
const PATIENCE: u64 = 5;

/// A walk from mapping to mapping.
pub(super) struct Walk<'a> {
    pub(super) table: GainTable<'a>,
    size: usize,
    /// By process and place: the step until which the process should not go there again.
    forbidden_until: Vec<u64>,
    steps: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(numbers: &'a Numbers, places: &[u32]) -> Walk<'a> {
        let size = numbers.size();
        Walk {
            table: GainTable::new(numbers, places),
            size,
            forbidden_until: vec![0; size * size],
            steps: 0,
        }
    }

    /// Begins anew, with nothing forbidden.
    pub(super) fn restart(&mut self, places: &[u32]) {
        self.table.restart(places);
        self.forbidden_until.fill(0);
        self.steps = 0;
    }

    /// When each of the two may go to the other's place.
    fn allowed_at(&self, swap: &Swap) -> (u64, u64) {
        let places = self.table.places();
        let until =
            |process: usize, place: u32| self.forbidden_until[process * self.size + place as usize];
        (
            until(swap.one, places[swap.other]),
            until(swap.other, places[swap.one]),
        )
    }

    /// Makes a step: the cheapest swap that is not forbidden, or that leads below `best_cost`.
    /// False if no swap is left.
    pub(super) fn step(
        &mut self,
        best_cost: f64,
        tries_long_untried: bool,
        random: &mut Random,
    ) -> bool {
        self.steps += 1;
        let now = self.steps;
        let improving = best_cost - self.table.cost();
        let mut chosen = None;
        if tries_long_untried && now.is_multiple_of(STEPS_A_LOOK) {
            let patience = PATIENCE * (self.size * self.size) as u64;
            chosen = self.table.best(|swap| {
                let (one, other) = self.allowed_at(swap);
                one.max(other) + patience < now
            });
        }
        let chosen = chosen.or_else(|| {
            self.table.best(|swap| {
                let (one, other) = self.allowed_at(swap);
                one.min(other) < now || swap.change < improving
            })
        });
        // All is forbidden: in a small problem that happens.
        let Some(swap) = chosen.or_else(|| self.table.best(|_| true)) else {
            return false;
        };
        self.forbid(&swap, random);
        self.table.swap(swap.one, swap.other);
        true
    }

    fn forbid(&mut self, swap: &Swap, random: &mut Random) {
        let least = self.size * 9 / 10;
        let spread = self.size / 5 + 2;
        for process in [swap.one, swap.other] {
            let place = self.table.places()[process] as usize;
            let tenure = (least + random.below(spread)) as u64;
            self.forbidden_until[process * self.size + place] = self.steps + tenure;
        }
    }
}

/// One walk until the search is over.
pub struct RobustTabu;

impl Algorithm for RobustTabu {
    fn name(&self) -> &'static str {
        "tabu"
    }

    fn about(&self) -> &'static str {
        "robust tabu search from a random mapping"
    }

    fn search(&self, problem: &Problem, search: &mut Search) -> Result<(), PlacementError> {
        let numbers = Numbers::new(problem)?;
        if !search.start() {
            return Ok(());
        }
        let places = search.random.permutation(problem.size());
        let mut walk = Walk::new(&numbers, &places);
        search.offer(&places, walk.table.cost());
        while search.step() {
            let best_cost = search.best_cost();
            if !walk.step(best_cost, true, &mut search.random) {
                break;
            }
            search.offer(walk.table.places(), walk.table.cost());
        }
        Ok(())
    }
}
