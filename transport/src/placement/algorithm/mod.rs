//! The algorithms, one a file behind one trait in one table.
//!
//! ```text
//!  exhaustive  every mapping, with bounds      below ten processes; proves its answer
//!  document    the document's pass, literally  keeps the swap with the largest saved gain
//!  exchange    its sound form                  keeps the best prefix of the swaps
//!  tabu        robust tabu search              one walk that never goes straight back
//!  memetic     tabu walks from crossed parents the best for dense problems
//!  multilevel  coarsen, split, refine          thousands of ranks on a tree
//! ```
//!
//! Step before: [`super::search::solve`]. Step after: [`super::gain`], [`super::multilevel`].

mod exchange;
mod exhaustive;
mod memetic;
mod multilevel;
mod tabu;

use super::search::Algorithm;
use super::{PlacementError, Problem};

/// All algorithms.
pub static ALGORITHMS: [&dyn Algorithm; 6] = [
    &exhaustive::Exhaustive,
    &exchange::Exchange::LITERAL,
    &exchange::Exchange::PREFIX,
    &tabu::RobustTabu,
    &memetic::Memetic,
    &multilevel::Multilevel,
];

/// The algorithm of this name.
pub fn named(name: &str) -> Result<&'static dyn Algorithm, PlacementError> {
    let found = ALGORITHMS.into_iter().find(|known| known.name() == name);
    found.ok_or_else(|| PlacementError::Unknown {
        what: "algorithm",
        name: name.to_string(),
        known: ALGORITHMS.map(|known| known.name()).join(", "),
    })
}

/// The algorithm that suits a problem: everything is tried while that is possible, trees of more
/// than a few hundred places are split, and all else is searched.
pub fn suited(problem: &Problem) -> &'static dyn Algorithm {
    if problem.size() < exhaustive::TOO_MANY {
        &exhaustive::Exhaustive
    } else if problem.size() > 300 && problem.topology().tree().is_some() {
        &multilevel::Multilevel
    } else {
        &memetic::Memetic
    }
}

#[cfg(test)]
mod tests;
