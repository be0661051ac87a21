//! Reordering: which process takes which vertex of a topology.
//!
//! What: a program that allows it gets a communicator whose ranks are numbered so that neighbours
//! in the topology are neighbours in the machine. Rank 0 reads the machine from the kernel's files,
//! searches for a mapping for a moment, and tells the others; the default order stays wherever a
//! rank is not bound to a processor, the machine cannot be read, or nothing better is found.
//! `MPI_Cart_map` and `MPI_Graph_map` are local, and each rank finds the same by itself: a search is
//! limited by its steps and never by a clock, so that it always ends in the same mapping.
//!
//! ```text
//!  edges between vertices ─┐
//!  processor of each rank ─┴▶ Problem ─▶ search ─▶ order[vertex] = rank of the old communicator
//! ```
//!
//! Step before: `MPI_Cart_create` and its like. Step after: a group in this order.
//! Invariant: the order is a permutation, the same at all ranks, and never costs more than none.

use pamir_driver::topology::Machine;
use pamir_transport::placement::algorithm::suited;
use pamir_transport::placement::problem::Edge;
use pamir_transport::placement::{
    EdgeFunction, LevelCosts, Limits, Matrix, Problem, TopologyGraph, solve,
};

use super::{Topology, TopologyError};
use crate::communicator::Communicator;
use crate::communicator::ConstructError;
use crate::communicator::construct::gather_numbers;
use crate::process::Process;

/// Steps after which a search has found what there is to find.
const STEPS: u64 = 50_000;

/// Pairs of ranks that the steps of a search may look at: some tens of milliseconds, since
/// communicators are made rarely, but not to wait for them.
const PAIRS: u64 = 20_000_000;

/// More ranks than this are left in their order: a table of all pairs would take too long.
const MOST_RANKS: usize = 256;

/// The edges of a topology that every rank knows whole, each of weight 1.
///
/// # Errors
///
/// [`TopologyError::NoSuchRank`].
pub fn edges_of(topology: &Topology, ranks: usize) -> Result<Vec<Edge>, TopologyError> {
    let mut edges = Vec::new();
    for rank in 0..ranks {
        let neighbours = topology.neighbours(rank)?;
        let to = neighbours.destinations.into_iter().flatten();
        edges.extend(to.map(|to| edge(rank, to, 1.0)));
    }
    Ok(edges)
}

/// An edge between two vertices.
pub fn edge(from: usize, to: usize, weight: f64) -> Edge {
    Edge {
        from: from as u32,
        to: to as u32,
        weight,
    }
}

/// For each vertex of a topology of `vertices` the rank of `parent` that takes it; those that are
/// left over follow. Collective over `parent`.
///
/// # Errors
///
/// What the ranks' exchange fails with.
pub fn order(
    process: &Process,
    parent: &Communicator,
    vertices: usize,
    edges: Vec<Edge>,
) -> Result<Vec<usize>, ConstructError> {
    let mut own = vec![0; parent.size()];
    if parent.rank() == 0 {
        let found = units(process, parent).and_then(|units| best(&units, vertices, edges));
        own = match found {
            Some(order) => order.into_iter().map(i64::from).collect(),
            None => (0..parent.size() as i64).collect(),
        };
    }
    let all = gather_numbers(process, parent, &own)?;
    Ok(all[0].iter().map(|&rank| rank as usize).collect())
}

/// The vertex that this rank takes of a topology of `vertices` vertices, as [`order`] would have it;
/// none if it is left over. Asks no other rank.
pub fn vertex(
    process: &Process,
    parent: &Communicator,
    vertices: usize,
    edges: Vec<Edge>,
) -> Option<usize> {
    let found = units(process, parent).and_then(|units| best(&units, vertices, edges));
    let rank = parent.rank();
    match found {
        Some(order) => order[..vertices]
            .iter()
            .position(|&taken| taken as usize == rank),
        None => (rank < vertices).then_some(rank),
    }
}

/// The processing unit of each rank; none if one of them is not bound, or on another node, of whose
/// distance nothing is known.
fn units(process: &Process, parent: &Communicator) -> Option<Vec<u32>> {
    let job = process.context().job();
    let first = parent.group().tasks().next()? as usize;
    let unit = |task: u32| {
        let is_near = job.shares_memory(first, task as usize);
        let unit = job.processing_unit(task as usize).ok().flatten();
        unit.filter(|_| is_near)
    };
    parent.group().tasks().map(unit).collect()
}

fn best(units: &[u32], vertices: usize, edges: Vec<Edge>) -> Option<Vec<u32>> {
    let machine = Machine::from_sysfs().ok()?;
    best_on(&machine, units, vertices, edges)
}

/// The best order found, if it is better than none.
fn best_on(
    machine: &Machine,
    units: &[u32],
    vertices: usize,
    edges: Vec<Edge>,
) -> Option<Vec<u32>> {
    if units.len() > MOST_RANKS || vertices < 2 {
        return None;
    }
    let costs = LevelCosts::default();
    let mut matrix = Matrix::zero(units.len());
    for (row, &one) in units.iter().enumerate() {
        for (column, &other) in units.iter().enumerate() {
            matrix.set(row, column, costs.of(machine.sharing(one, other)));
        }
    }
    let topology = TopologyGraph::from_matrix(units.to_vec(), matrix).ok()?;
    let problem = Problem::from_edges(vertices, edges, &topology, EdgeFunction::PRODUCT).ok()?;
    let ranks = units.len() as u64;
    let limits = Limits {
        time: None,
        steps: Some(STEPS.min(PAIRS / (ranks * ranks))),
        ..Limits::default()
    };
    let solution = solve(&problem, suited(&problem), limits, &mut |_| {}).ok()?;
    let better = solution.cost < solution.cost_before;
    better.then(|| solution.mapping.places().to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::Cartesian;
    use super::*;

    #[test]
    fn a_grid_is_laid_out_in_blocks_of_a_cache() {
        // 4 x 4 ranks on four caches of four cores: rows of four cross more than 2 x 2 blocks.
        let machine = Machine::from_description("l3cache:4 core:4 pu:1").unwrap();
        let units: Vec<u32> = (0..16).collect();
        let grid = Topology::Cartesian(Cartesian::new(&[4, 4], &[false; 2], 16).unwrap());
        let edges = edges_of(&grid, 16).unwrap();
        assert_eq!(edges.len(), 48);
        let order = best_on(&machine, &units, 16, edges.clone()).unwrap();
        let crossing = |order: &[u32]| {
            let cache = |vertex: u32| order[vertex as usize] / 4;
            edges
                .iter()
                .filter(|edge| cache(edge.from) != cache(edge.to))
                .count()
        };
        assert_eq!(crossing(&units), 24);
        assert_eq!(crossing(&order), 16);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, units);
    }

    #[test]
    fn a_good_order_stays() {
        let machine = Machine::from_description("l3cache:2 core:2 pu:1").unwrap();
        let chain = vec![edge(0, 1, 1.0), edge(2, 3, 1.0)];
        assert_eq!(best_on(&machine, &[0, 1, 2, 3], 4, chain), None);
    }
}
