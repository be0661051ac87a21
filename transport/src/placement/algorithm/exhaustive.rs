//! All mappings, for fewer than ten processes.
//!
//! What: places the processes one after the other on every free place and adds up what they cost
//! with those before; as costs are at least 0, a branch that already costs as much as the best
//! mapping is cut off. Processes that are alike are placed in one order only.
//! Invariant: when it ends before its limits, the answer is an optimum.

use super::super::gain::Numbers;
use super::super::search::{Algorithm, Search};
use super::super::{PlacementError, Problem};

/// From so many places on there are too many mappings.
pub(super) const TOO_MANY: usize = 10;

/// Tries everything.
pub struct Exhaustive;

impl Algorithm for Exhaustive {
    fn name(&self) -> &'static str {
        "exhaustive"
    }

    fn about(&self) -> &'static str {
        "every mapping; below ten places"
    }

    fn search(&self, problem: &Problem, search: &mut Search) -> Result<(), PlacementError> {
        if problem.size() >= TOO_MANY {
            return Err(PlacementError::Unsuitable {
                algorithm: self.name(),
                reason: format!(
                    "tries every mapping, which takes too long for {} places ({} at most): use \
                     memetic or tabu",
                    problem.size(),
                    TOO_MANY - 1
                ),
            });
        }
        search.start();
        let numbers = Numbers::new(problem)?;
        let mut tree = Branches {
            problem,
            numbers: &numbers,
            places: Vec::new(),
            free: vec![true; problem.size()],
        };
        tree.descend(0.0, search);
        Ok(())
    }
}

struct Branches<'a> {
    problem: &'a Problem,
    numbers: &'a Numbers,
    places: Vec<u32>,
    free: Vec<bool>,
}

impl Branches<'_> {
    fn descend(&mut self, cost: f64, search: &mut Search) {
        if !search.step() || cost >= search.best_cost() {
            return;
        }
        if self.places.len() == self.problem.size() {
            search.offer(&self.places, cost);
            return;
        }
        for place in self.lowest_place()..self.free.len() {
            if self.free[place] {
                self.free[place] = false;
                let added = self.numbers.added(&self.places, place);
                self.places.push(place as u32);
                self.descend(cost + added, search);
                self.places.pop();
                self.free[place] = true;
            }
        }
    }

    /// A process that is like an earlier one goes behind it.
    fn lowest_place(&self) -> usize {
        let process = self.places.len();
        let earlier = (0..process)
            .rev()
            .find(|&earlier| self.numbers.are_alike(earlier, process));
        earlier.map_or(0, |earlier| self.places[earlier] as usize + 1)
    }
}
