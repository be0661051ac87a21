//! From all ranks and all places down to one rank on one place.
//!
//! What: the places of a container are grouped by the containers in it. Its ranks are split among
//! the groups by bisection, half of the groups each time; then every pair of groups that talk to
//! each other much is refined once more, which bisection alone cannot do. Each group goes on by itself.
//! Step before: [`super::super::algorithm`]. Step after: [`super::swaps`].
//! Invariant: a group gets exactly as many ranks as it has places.

use std::collections::BTreeSet;

use super::super::random::Random;
use super::super::search::Search;
use super::super::topology::Tree;
use super::bisect::bisect;
use super::refine::Split;
use super::sparse::SparseGraph;

/// Bisections of the same ranks, each with its own coarsening, of which the best is taken. Measured
/// on tori, geometric and power-law graphs: more of them with fewer regions each cut less in the
/// same time.
const TRIES: usize = 2;

/// Rounds over pairs of groups.
const ROUNDS: usize = 3;

/// Groups with which a group is refined: those with most weight between. Where every rank talks to
/// some hub, all groups are neighbours, and pairs of them take most of the time for next to nothing.
const HEAVIEST: usize = 8;

/// The place of each vertex of a graph that has as many vertices as the tree has places. Looks at
/// the clock in between; when the time is up, what is left is placed in order.
pub fn place_on_tree(graph: &SparseGraph, tree: &Tree, search: &mut Search) -> Vec<u32> {
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    let mut splitter = Splitter {
        graph,
        tree,
        numbers: vec![0; graph.len()],
        places: vec![0; graph.len()],
    };
    splitter.descend(all.clone(), &all, 0, search);
    splitter.places
}

struct Splitter<'a> {
    graph: &'a SparseGraph,
    tree: &'a Tree,
    /// Room for [`SparseGraph::part`].
    numbers: Vec<u32>,
    places: Vec<u32>,
}

impl Splitter<'_> {
    /// Puts vertices on places, which share `depth` containers.
    fn descend(&mut self, vertices: Vec<u32>, places: &[u32], depth: usize, search: &mut Search) {
        if depth == self.tree.depth() || places.len() == 1 || search.look() {
            for (vertex, &place) in vertices.iter().zip(places) {
                self.places[*vertex as usize] = place;
            }
            return;
        }
        let tree = self.tree;
        let container = |place: &u32| tree.path(*place as usize)[depth];
        let groups: Vec<&[u32]> = places
            .chunk_by(|one, other| container(one) == container(other))
            .collect();
        if groups.len() == 1 {
            return self.descend(vertices, places, depth + 1, search);
        }
        let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let part = self.graph.part(&vertices, &mut self.numbers);
        let assigned = split(&part, &sizes, &mut search.random);
        for (number, group) in groups.iter().enumerate() {
            let chosen = vertices.iter().zip(&assigned);
            let own = chosen.filter(|(_, group)| **group as usize == number);
            let own = own.map(|(vertex, _)| *vertex).collect();
            self.descend(own, group, depth + 1, search);
        }
    }
}

/// The group of each vertex; groups have these sizes.
fn split(graph: &SparseGraph, sizes: &[usize], random: &mut Random) -> Vec<u32> {
    let mut groups = vec![0; graph.len()];
    if sizes.iter().all(|size| *size == 1) && sizes.len() > 2 && graph.len() == sizes.len() {
        // One each: which is which makes no difference.
        return (0..sizes.len() as u32).collect();
    }
    let mut numbers = vec![0; graph.len()];
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    halve(graph, &all, sizes, 0, &mut groups, &mut numbers, random);
    if sizes.len() > 2 {
        refine_pairs(graph, sizes, &mut groups, &mut numbers);
    }
    groups
}

/// Gives the vertices to the groups from number `first` on, half of the groups at a time.
fn halve(
    graph: &SparseGraph,
    vertices: &[u32],
    sizes: &[usize],
    first: u32,
    groups: &mut [u32],
    numbers: &mut [u32],
    random: &mut Random,
) {
    if sizes.len() == 1 {
        vertices
            .iter()
            .for_each(|&vertex| groups[vertex as usize] = first);
        return;
    }
    let (left, right) = sizes.split_at(sizes.len() / 2);
    let part = graph.part(vertices, numbers);
    let target = left.iter().sum::<usize>() as u64;
    let tries = (0..TRIES).map(|_| bisect(&part, target, random));
    let best = tries.min_by(|one, other| one.cut.total_cmp(&other.cut));
    let sides = best.expect("there is more than no try").sides;
    for (side, sizes, first) in [
        (false, left, first),
        (true, right, first + left.len() as u32),
    ] {
        let own = vertices.iter().zip(&sides).filter(|(_, of)| **of == side);
        let own: Vec<u32> = own.map(|(vertex, _)| *vertex).collect();
        halve(graph, &own, sizes, first, groups, numbers, random);
    }
}

/// Refines pairs of groups with edges between, until a round brings nothing.
fn refine_pairs(graph: &SparseGraph, sizes: &[usize], groups: &mut [u32], numbers: &mut [u32]) {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
    for (vertex, &group) in groups.iter().enumerate() {
        members[group as usize].push(vertex as u32);
    }
    let mut changed = vec![true; sizes.len()];
    for _ in 0..ROUNDS {
        let active = std::mem::replace(&mut changed, vec![false; sizes.len()]);
        for (one, other) in pairs(graph, sizes, groups) {
            let (one, other) = (one as usize, other as usize);
            if !active[one] && !active[other] {
                continue;
            }
            let both = [&members[one][..], &members[other][..]].concat();
            let part = graph.part(&both, numbers);
            let sides: Vec<bool> = (0..both.len()).map(|at| at >= members[one].len()).collect();
            let mut split = Split::new(&part, members[one].len() as u64, sides);
            let before = split.cut();
            split.refine();
            if split.cut() < before {
                let on = |side: bool| {
                    let own = both
                        .iter()
                        .zip(split.sides())
                        .filter(move |(_, of)| **of == side);
                    own.map(|(vertex, _)| *vertex).collect::<Vec<u32>>()
                };
                (members[one], members[other]) = (on(false), on(true));
                for group in [one, other] {
                    changed[group] = true;
                    members[group]
                        .iter()
                        .for_each(|&vertex| groups[vertex as usize] = group as u32);
                }
            }
        }
        if !changed.contains(&true) {
            return;
        }
    }
}

/// Pairs of groups of which one has much weight to the other.
fn pairs(graph: &SparseGraph, sizes: &[usize], groups: &[u32]) -> BTreeSet<(u32, u32)> {
    let sizes = sizes.iter().map(|&size| size as u32).collect();
    let between = graph.contracted(groups, sizes);
    let mut pairs = BTreeSet::new();
    for group in 0..between.len() {
        let mut others = between.neighbours(group).to_vec();
        others.sort_unstable_by(|one, other| other.1.total_cmp(&one.1));
        for &(other, _) in others.iter().take(HEAVIEST) {
            let group = group as u32;
            pairs.insert((group.min(other), group.max(other)));
        }
    }
    pairs
}
