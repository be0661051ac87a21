//! Splits a graph in two parts of given sizes with as little weight between them as possible.
//!
//! What: the graph is coarsened until it is small; there, regions are grown from random vertices
//! and refined, and the best is taken; on the way back every finer graph is refined again.
//! Step before: [`super::split`]. Step after: [`super::coarsen`], [`super::refine`].
//! Invariant: with vertices of size 1, side 0 has exactly the size that was asked for.

use super::super::random::Random;
use super::coarsen::coarsen;
use super::refine::Split;
use super::sparse::SparseGraph;

/// Graphs of at most so many vertices are split directly.
const SMALL: usize = 60;

/// Regions tried on the coarsest graph.
const REGIONS: usize = 4;

/// The sides of a bisection: of each vertex, and what lies between.
pub(super) struct Bisection {
    /// Side 0 is false.
    pub(super) sides: Vec<bool>,
    /// The weight of the edges between the sides.
    pub(super) cut: f64,
}

/// Two sides, of which side 0 (false) gets `target` ranks.
pub(super) fn bisect(graph: &SparseGraph, target: u64, random: &mut Random) -> Bisection {
    if target == 0 || target == graph.total_size() {
        return Bisection {
            sides: vec![target == 0; graph.len()],
            cut: 0.0,
        };
    }
    if graph.len() > SMALL {
        let smaller = target.min(graph.total_size() - target);
        let largest = (graph.total_size() / 24).min(smaller / 2).max(2) as u32;
        let (coarse, coarse_of) = coarsen(graph, largest, random);
        if coarse.len() * 20 <= graph.len() * 19 {
            let coarse_sides = bisect(&coarse, target, random).sides;
            let sides = coarse_of.iter().map(|&at| coarse_sides[at as usize]);
            let mut split = Split::new(graph, target, sides.collect());
            split.refine();
            return Bisection {
                cut: split.cut(),
                sides: split.into_sides(),
            };
        }
    }
    best_region(graph, target, random)
}

/// Grows regions and refines them.
fn best_region(graph: &SparseGraph, target: u64, random: &mut Random) -> Bisection {
    let tries = if graph.len() <= 2 { 1 } else { REGIONS };
    let mut split = Split::new(graph, target, vec![true; graph.len()]);
    let mut best: Option<(i64, Bisection)> = None;
    for _ in 0..tries {
        split.grow(random.below(graph.len()));
        split.refine();
        let (imbalance, cut) = (split.imbalance(), split.cut());
        let is_better = |best: &(i64, Bisection)| (imbalance, cut) < (best.0, best.1.cut);
        if best.as_ref().is_none_or(is_better) {
            let sides = split.sides().to_vec();
            best = Some((imbalance, Bisection { sides, cut }));
        }
    }
    best.expect("at least one region is grown").1
}
