//! Hierarchical mapping of large sparse graphs onto machines that are trees.
//!
//! What: the ranks are split among the nodes of the machine so that little traffic crosses, those
//! of a node among its packages, and so on down to the cores; at the end, ranks that would be
//! better off in each other's place are swapped. Each split is done on ever coarser graphs, in
//! which ranks with heavy traffic stick together.
//!
//! ```text
//!  all ranks ─▶ coarsen ─▶ split in two ─▶ refine while uncoarsening      (bisect)
//!      │ nodes 0-31 | nodes 32-63  ─▶ ... ─▶ node by node, pairs refined  (split)
//!      │    packages of a node ─▶ L3 caches of a package ─▶ cores
//!      └▶ swaps by the cost over the whole tree                           (swaps)
//! ```
//!
//! Why it fits: all pairs of children of one container are equally far apart, so the cost of a
//! level is the traffic that is cut there times a constant, and levels can be split one after the
//! other from the dearest on.
//!
//! Step before: [`super::algorithm`]. Step after: [`super::search::Search::offer`].
//! Invariant: every split has exactly as many ranks in each part as the part has places.

mod bisect;
mod candidates;
mod coarsen;
mod distance;
mod refine;
mod sparse;
mod split;
mod swaps;

pub use sparse::SparseGraph;
pub use split::place_on_tree;
pub use swaps::improve_by_swaps;

#[cfg(test)]
mod tests;
