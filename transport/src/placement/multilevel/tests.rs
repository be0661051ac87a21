//! Splits have the sizes they should have, and refinement never makes anything worse.

use proptest::prelude::*;

use super::super::random::Random;
use super::super::search::{Limits, Progress, Search};
use super::super::{EdgeFunction, Problem, TopologyGraph, problem::Edge};
use super::bisect::{Bisection, bisect};
use super::coarsen::coarsen;
use super::refine::Split;
use super::*;

fn random_graph(vertices: usize, edges: usize, seed: u64) -> SparseGraph {
    let mut random = Random::new(seed);
    let edges: Vec<(u32, u32, f64)> = (0..edges)
        .map(|_| {
            let ends = (random.below(vertices) as u32, random.below(vertices) as u32);
            (ends.0, ends.1, 1.0 + random.below(5) as f64)
        })
        .collect();
    SparseGraph::new(vec![1; vertices], edges.iter().copied())
}

/// A grid of rows times columns.
fn grid(rows: u32, columns: u32) -> SparseGraph {
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let at = row * columns + column;
            if column + 1 < columns {
                edges.push((at, at + 1, 1.0));
            }
            if row + 1 < rows {
                edges.push((at, at + columns, 1.0));
            }
        }
    }
    SparseGraph::new(vec![1; (rows * columns) as usize], edges.iter().copied())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn halves_have_exactly_the_sizes_asked_for(
        vertices in 1..300usize, edges in 0..600usize, part in 0.0..1.0f64, seed in any::<u64>(),
    ) {
        let graph = random_graph(vertices, edges, seed);
        let target = (part * (vertices + 1) as f64) as u64;
        let Bisection { sides, cut } = bisect(&graph, target, &mut Random::new(seed));
        prop_assert_eq!(cut, graph.cut(&sides));
        prop_assert_eq!(sides.iter().filter(|side| !**side).count() as u64, target);
    }

    #[test]
    fn coarser_graphs_keep_sizes_and_cuts(
        vertices in 2..200usize, edges in 0..400usize, seed in any::<u64>(),
    ) {
        let graph = random_graph(vertices, edges, seed);
        let mut random = Random::new(seed);
        let (coarse, coarse_of) = coarsen(&graph, 4, &mut random);
        prop_assert!(coarse.len() <= vertices && coarse.largest_size() <= 4);
        prop_assert_eq!(coarse.total_size(), vertices as u64);
        let sides: Vec<bool> = (0..coarse.len()).map(|_| random.below(2) == 0).collect();
        let fine: Vec<bool> = coarse_of.iter().map(|&at| sides[at as usize]).collect();
        prop_assert_eq!(coarse.cut(&sides), graph.cut(&fine));
    }

    #[test]
    fn refinement_keeps_the_balance_and_lowers_the_cut(
        vertices in 2..200usize, edges in 0..500usize, seed in any::<u64>(),
    ) {
        let graph = random_graph(vertices, edges, seed);
        let sides: Vec<bool> = (0..vertices).map(|at| at % 2 == 1).collect();
        let before = graph.cut(&sides);
        let mut split = Split::new(&graph, vertices.div_ceil(2) as u64, sides);
        split.refine();
        prop_assert_eq!(split.imbalance(), 0);
        prop_assert!(graph.cut(split.sides()) <= before);
        prop_assert_eq!(split.cut(), graph.cut(split.sides()));
    }

    #[test]
    fn swaps_lower_the_true_cost_by_what_they_say(
        seed in any::<u64>(), edges in 1..200usize,
    ) {
        let mut random = Random::new(seed);
        let edges: Vec<Edge> = (0..edges)
            .map(|_| Edge {
                from: random.below(24) as u32,
                to: random.below(24) as u32,
                weight: 1.0 + random.below(9) as f64,
            })
            .collect();
        let topology = TopologyGraph::uniform(&[2, 3, 4], &[50.0, 9.0, 2.0, 0.0]).unwrap();
        let problem = Problem::from_edges(24, edges, &topology, EdgeFunction::PRODUCT).unwrap();
        let graph = SparseGraph::of_problem(&problem);
        let mut places = random.permutation(24);
        let before = problem.cost_of(&places);
        let unlimited = Limits { time: None, ..Limits::default() };
        let mut ignored = |_: &Progress| {};
        let mut search = Search::new(&problem, unlimited, &mut ignored);
        let tree = problem.topology().tree().unwrap();
        let fallen = improve_by_swaps(&graph, tree, &mut places, &mut search);
        prop_assert!(fallen >= 0.0);
        prop_assert_eq!(problem.cost_of(&places), before - fallen);
        // A mapping still: every place once.
        let mut sorted = places.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..24).collect::<Vec<u32>>());
    }

    #[test]
    fn every_rank_gets_a_place_of_its_own(
        ranks in 1..60usize, edges in 0..100usize, seed in any::<u64>(),
    ) {
        let mut random = Random::new(seed);
        let edges: Vec<Edge> = (0..edges)
            .map(|_| Edge {
                from: random.below(ranks) as u32,
                to: random.below(ranks) as u32,
                weight: 1.0,
            })
            .collect();
        let topology = TopologyGraph::uniform(&[3, 2, 5], &[9.0, 3.0, 1.0, 0.0]).unwrap();
        let problem = Problem::from_edges(ranks, edges, &topology, EdgeFunction::PRODUCT).unwrap();
        let graph = SparseGraph::of_problem(&problem);
        let mut ignored = |_: &Progress| {};
        let mut search = Search::new(&problem, Limits::default(), &mut ignored);
        let mut places = place_on_tree(&graph, problem.topology().tree().unwrap(), &mut search);
        places.sort_unstable();
        prop_assert_eq!(places, (0..problem.size() as u32).collect::<Vec<u32>>());
    }
}

#[test]
fn a_grid_is_cut_along_its_short_side() {
    for seed in 0..5 {
        let graph = grid(10, 30);
        let cut = bisect(&graph, 150, &mut Random::new(seed)).cut;
        assert!(cut <= 12.0, "{cut}");
    }
}
