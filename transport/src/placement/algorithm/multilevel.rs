//! The multilevel mapping as one of the algorithms.
//!
//! What: splits along the machine's tree, then swaps; again with other random numbers as long as
//! there is time, the best of all being kept.

use super::super::multilevel::{SparseGraph, improve_by_swaps, place_on_tree};
use super::super::search::{Algorithm, Search};
use super::super::{PlacementError, Problem};

/// A default order that costs at most so many times the best is improved by swaps too.
const NEARLY_AS_GOOD: f64 = 1.5;

/// Coarsening, splitting, refining along a tree.
pub struct Multilevel;

impl Algorithm for Multilevel {
    fn name(&self) -> &'static str {
        "multilevel"
    }

    fn about(&self) -> &'static str {
        "splits along the machine's tree; thousands of ranks"
    }

    fn search(&self, problem: &Problem, search: &mut Search) -> Result<(), PlacementError> {
        let unsuitable = |reason: &str| PlacementError::Unsuitable {
            algorithm: self.name(),
            reason: reason.to_string(),
        };
        let Some(tree) = problem.topology().tree() else {
            return Err(unsuitable(
                "needs a machine that is a tree, not a matrix of costs: use memetic or tabu",
            ));
        };
        if !problem.function().is_product() {
            return Err(unsuitable(
                "knows the edge function product only: use memetic or tabu",
            ));
        }
        let graph = SparseGraph::of_problem(problem);
        let default_cost = search.best_cost();
        let mut first = true;
        while search.start() && (first || search.is_limited()) {
            let mut places = place_on_tree(&graph, tree, search);
            search.offer(&places, f64::NEG_INFINITY);
            improve_by_swaps(&graph, tree, &mut places, search);
            search.offer(&places, f64::NEG_INFINITY);
            if first && default_cost <= search.best_cost() * NEARLY_AS_GOOD {
                // A few swaps may do.
                let mut places: Vec<u32> = (0..problem.size() as u32).collect();
                improve_by_swaps(&graph, tree, &mut places, search);
                search.offer(&places, f64::NEG_INFINITY);
            }
            first = false;
        }
        Ok(())
    }
}
