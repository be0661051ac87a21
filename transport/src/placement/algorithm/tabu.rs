//! Robust tabu search (Taillard 1991), and the walk it shares with the memetic search.
//!
//! What: every step makes the cheapest swap, also one that costs more, except that for a random
//! number of steps no two processes may go back together to places they have just left (tabu),
//! unless that gives a mapping better than all before. A swap that has not been tried for very long is
//! tried in between.
//! Why robust: the number of steps a return is forbidden changes at random between 0.9 n and
//! 1.1 n, so that no cycle of fixed length holds the walk.
//! Invariant: a step costs O(n²) time, whatever the problem.

use super::super::gain::{GainTable, Number, Numbers, Swap};
use super::super::random::Random;
use super::super::search::{Algorithm, Search};
use super::super::{PlacementError, Problem};

/// How often swaps that were not tried for long are looked for: looking takes as long as a step.
const STEPS_A_LOOK: i32 = 8;

/// A swap is due when both its places were not taken for this many steps, times n².
const PATIENCE: i32 = 5;

/// A walk forgets what it has forbidden before its steps are too many for 32 bits.
const LAST_STEP: i32 = 1 << 30;

/// For how many steps two processes may not go back: a random number around a share of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tenure {
    pub(super) least: usize,
    pub(super) spread: usize,
}

impl Tenure {
    /// From 0.9 n to 1.1 n.
    pub(super) fn robust(size: usize) -> Tenure {
        Tenure {
            least: size * 9 / 10,
            spread: size / 5 + 2,
        }
    }
}

/// A walk from mapping to mapping.
pub(super) struct Walk<'a, T: Number> {
    pub(super) table: GainTable<'a, T>,
    pub(super) tenure: Tenure,
    size: usize,
    /// By process and place: the step until which the process should not go there again.
    forbidden_until: Vec<i32>,
    /// For all pairs: the step after which they may be swapped, when either of them may go to the
    /// other's place.
    allowed_at: Vec<i32>,
    steps: i32,
}

impl<'a, T: Number> Walk<'a, T> {
    pub(super) fn new(numbers: &'a Numbers<T>, places: &[u32]) -> Walk<'a, T> {
        let size = numbers.size();
        let table = GainTable::new(numbers, places);
        Walk {
            tenure: Tenure::robust(size),
            size,
            forbidden_until: vec![0; size * size],
            allowed_at: vec![0; table.pairs()],
            table,
            steps: 0,
        }
    }

    /// Begins anew, with nothing forbidden.
    pub(super) fn restart(&mut self, places: &[u32]) {
        self.table.restart(places);
        self.forget();
    }

    /// Forbids nothing any more.
    pub(super) fn forget(&mut self) {
        self.forbidden_until.fill(0);
        self.allowed_at.fill(0);
        self.steps = 0;
    }

    /// When each of the two may go to the other's place.
    fn until(&self, one: usize, other: usize) -> (i32, i32) {
        let places = self.table.places();
        let until =
            |process: usize, place: u32| self.forbidden_until[process * self.size + place as usize];
        (until(one, places[other]), until(other, places[one]))
    }

    /// Makes a step: the cheapest swap that is not forbidden, or that leads below `best_cost`.
    /// False if no swap is left.
    pub(super) fn step(
        &mut self,
        best_cost: f64,
        tries_long_untried: bool,
        random: &mut Random,
    ) -> bool {
        if self.steps == LAST_STEP {
            self.forget();
        }
        self.steps += 1;
        let now = self.steps;
        let patience = PATIENCE.saturating_mul((self.size * self.size) as i32);
        let mut chosen = None;
        if tries_long_untried && now > patience && now % STEPS_A_LOOK == 0 {
            chosen = self.table.best(|swap| {
                let (one, other) = self.until(swap.one, swap.other);
                one.max(other) < now - patience
            });
        }
        let begin = random.below(self.size);
        let improving = best_cost - self.table.cost();
        let chosen =
            chosen.or_else(|| self.table.cheapest(&self.allowed_at, now, improving, begin));
        // All is forbidden: in a small problem that happens.
        let Some(swap) = chosen.or_else(|| self.table.best(|_| true)) else {
            return false;
        };
        self.take(&swap, random);
        true
    }

    /// Makes a swap and forbids the way back.
    pub(super) fn take(&mut self, swap: &Swap, random: &mut Random) {
        for process in [swap.one, swap.other] {
            let place = self.table.places()[process] as usize;
            let tenure = (self.tenure.least + random.below(self.tenure.spread)) as i32;
            self.forbidden_until[process * self.size + place] = self.steps + tenure;
        }
        self.table.swap(swap.one, swap.other);
        for moved in [swap.one, swap.other] {
            for process in 0..self.size {
                let (one, other) = self.until(process, moved);
                self.allowed_at[self.table.pair(process, moved)] = one.min(other);
                self.allowed_at[self.table.pair(moved, process)] = one.min(other);
            }
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
        match numbers.to_integers() {
            Some(numbers) => walk(problem, &numbers, search),
            None => walk(problem, &numbers, search),
        }
        Ok(())
    }
}

fn walk<T: Number>(problem: &Problem, numbers: &Numbers<T>, search: &mut Search) {
    if !search.start() {
        return;
    }
    let places = search.random.permutation(problem.size());
    let mut walk = Walk::new(numbers, &places);
    search.offer(&places, walk.table.cost());
    while search.step() {
        let best_cost = search.best_cost();
        if !walk.step(best_cost, true, &mut search.random) {
            break;
        }
        search.offer(walk.table.places(), walk.table.cost());
    }
}
