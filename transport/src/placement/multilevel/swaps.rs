//! Swaps of two ranks by the cost over the whole tree.
//!
//! What: each rank looks at the ranks that stand near those it talks to, and changes places with
//! the one that lowers the cost most. Ranks around a swap look again, until nobody gains.
//! Why after the splits: a split knows its own level only; a rank that lies badly at two levels at
//! once is seen here.
//! Invariant: the cost only falls.

use std::collections::VecDeque;

use super::super::random::Random;
use super::super::search::Search;
use super::super::topology::Tree;
use super::sparse::SparseGraph;

/// Ranks near one partner that are tried at most.
const NEAR: usize = 12;

/// Partners whose surroundings are tried at most: the heaviest.
const PARTNERS: usize = 10;

/// Improves the places of all vertices; returns by how much the cost fell. Each edge counts once,
/// with the weight of both directions.
pub fn improve_by_swaps(
    graph: &SparseGraph,
    tree: &Tree,
    places: &mut [u32],
    search: &mut Search,
) -> f64 {
    let mut vertex_at = vec![0u32; places.len()];
    for (vertex, &place) in places.iter().enumerate() {
        vertex_at[place as usize] = vertex as u32;
    }
    let order = search.random.permutation(graph.len());
    let mut waiting = vec![true; graph.len()];
    let mut swaps = Swaps {
        graph,
        tree,
        places,
        vertex_at,
    };
    let mut queue: VecDeque<u32> = order.into();
    let mut fallen = 0.0;
    while let Some(vertex) = queue.pop_front() {
        waiting[vertex as usize] = false;
        if !search.step() {
            break;
        }
        let Some((other, change)) = swaps.best_for(vertex as usize, &mut search.random) else {
            continue;
        };
        swaps.swap(vertex as usize, other);
        fallen -= change;
        for moved in [vertex as usize, other] {
            let around = graph
                .neighbours(moved)
                .iter()
                .map(|(neighbour, _)| *neighbour);
            for again in around.chain([moved as u32]) {
                if !std::mem::replace(&mut waiting[again as usize], true) {
                    queue.push_back(again);
                }
            }
        }
    }
    fallen
}

struct Swaps<'a> {
    graph: &'a SparseGraph,
    tree: &'a Tree,
    places: &'a mut [u32],
    vertex_at: Vec<u32>,
}

impl Swaps<'_> {
    fn cost(&self, one: u32, other: u32) -> f64 {
        self.tree.costs()[self.tree.shared(one as usize, other as usize)]
    }

    /// What a vertex adds to the cost on a place, leaving `except` aside.
    fn cost_on(&self, vertex: usize, place: u32, except: usize) -> f64 {
        let neighbours = self.graph.neighbours(vertex).iter();
        let others = neighbours.filter(|(other, _)| *other as usize != except);
        others
            .map(|&(other, weight)| weight * self.cost(place, self.places[other as usize]))
            .sum()
    }

    fn change(&self, one: usize, other: usize) -> f64 {
        let (here, there) = (self.places[one], self.places[other]);
        self.cost_on(one, there, other) - self.cost_on(one, here, other)
            + self.cost_on(other, here, one)
            - self.cost_on(other, there, one)
    }

    /// The vertex to change places with that lowers the cost most, if any does.
    fn best_for(&self, vertex: usize, random: &mut Random) -> Option<(usize, f64)> {
        let mut partners: Vec<(u32, f64)> = self.graph.neighbours(vertex).to_vec();
        partners.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut best: Option<(usize, f64)> = None;
        let place = self.places[vertex];
        for (partner, _) in partners.into_iter().take(PARTNERS) {
            let near = self.places[partner as usize];
            let shared = self.tree.shared(place as usize, near as usize);
            if shared + 1 >= self.tree.depth() {
                continue;
            }
            for candidate in self.around(near, shared, random) {
                let other = self.vertex_at[candidate as usize] as usize;
                if other == vertex {
                    continue;
                }
                let change = self.change(vertex, other);
                if change < best.map_or(-1e-9, |(_, lowest)| lowest) {
                    best = Some((other, change));
                }
            }
        }
        best
    }

    /// Places in the smallest container around `near` that has others, but at most [`NEAR`] of
    /// them from a random one on. Places of a container lie together.
    fn around(&self, near: u32, shared: usize, random: &mut Random) -> Vec<u32> {
        let count = self.places.len() as u32;
        let mut found = Vec::new();
        let mut depth = self.tree.depth() - 1;
        while found.len() < 2 && depth > shared {
            found.clear();
            let inside = |place: u32| self.tree.shared(place as usize, near as usize) >= depth;
            let before = (0..near).rev().take_while(|place| inside(*place));
            let after = (near..count).take_while(|place| inside(*place));
            found.extend(before.take(4 * NEAR));
            found.extend(after.take(4 * NEAR));
            depth -= 1;
        }
        if found.len() > NEAR {
            random.shuffle(&mut found);
            found.truncate(NEAR);
        }
        found
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.places.swap(one, other);
        for vertex in [one, other] {
            self.vertex_at[self.places[vertex] as usize] = vertex as u32;
        }
    }
}
