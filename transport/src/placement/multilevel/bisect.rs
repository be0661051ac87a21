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
const REGIONS: usize = 8;

/// The side of each vertex; side 0 (false) gets `target` ranks.
pub(super) fn bisect(graph: &SparseGraph, target: u64, random: &mut Random) -> Vec<bool> {
    if target == 0 || target == graph.total_size() {
        return vec![target == 0; graph.len()];
    }
    if graph.len() > SMALL {
        let smaller = target.min(graph.total_size() - target);
        let largest = (graph.total_size() / 24).min(smaller / 2).max(2) as u32;
        let (coarse, coarse_of) = coarsen(graph, largest, random);
        if coarse.len() * 20 <= graph.len() * 19 {
            let coarse_sides = bisect(&coarse, target, random);
            let sides = coarse_of
                .iter()
                .map(|&coarse| coarse_sides[coarse as usize])
                .collect();
            return refined(graph, target, sides).sides;
        }
    }
    let tries = if graph.len() <= 2 { 1 } else { REGIONS };
    let mut best: Option<(i64, f64, Vec<bool>)> = None;
    for _ in 0..tries {
        let split = refined(graph, target, grow(graph, target, random));
        let (imbalance, cut) = (split.imbalance(), graph.cut(&split.sides));
        if best
            .as_ref()
            .is_none_or(|best| (imbalance, cut) < (best.0, best.1))
        {
            best = Some((imbalance, cut, split.sides));
        }
    }
    best.map_or_else(Vec::new, |(_, _, sides)| sides)
}

/// A split after refinement.
fn refined(graph: &SparseGraph, target: u64, sides: Vec<bool>) -> Split<'_> {
    let mut split = Split::new(graph, target, sides);
    split.refine();
    split
}

/// A region of the target's size around a random vertex: the vertex that is tied to it most comes
/// next.
fn grow(graph: &SparseGraph, target: u64, random: &mut Random) -> Vec<bool> {
    let mut outside = vec![true; graph.len()];
    let mut ties = vec![0.0; graph.len()];
    let mut size = 0;
    let mut next = random.below(graph.len());
    while size < target {
        outside[next] = false;
        size += u64::from(graph.size_of(next));
        for &(neighbour, weight) in graph.neighbours(next) {
            ties[neighbour as usize] += 2.0 * weight;
        }
        // What a vertex is tied to elsewhere speaks against it.
        let pull = |vertex: &usize| {
            let all: f64 = graph
                .neighbours(*vertex)
                .iter()
                .map(|(_, weight)| weight)
                .sum();
            (ties[*vertex] > 0.0, ties[*vertex] - all)
        };
        let free = (0..graph.len()).filter(|vertex| outside[*vertex]);
        let best = free.max_by(|one, other| {
            let (one, other) = (pull(one), pull(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        let Some(best) = best else { break };
        next = best;
    }
    outside
}
