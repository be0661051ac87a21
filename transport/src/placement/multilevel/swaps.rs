//! Swaps of two ranks by the cost over the whole tree.
//!
//! What: each rank looks at the ranks that stand near those it talks to, and changes places with
//! the one that lowers the cost most. Ranks around a swap look again, until nobody gains.
//! Why after the splits: a split knows its own level only; a rank that lies badly at two levels at
//! once is seen here.
//! How it is quick: what each rank costs where it stands is kept up to date; what it would cost in
//! a container is computed once, since all places of one are equally far from those outside.
//! Invariant: the cost only falls.

use std::collections::VecDeque;

use super::super::search::Search;
use super::super::topology::Tree;
use super::distance::{Neighbourhood, PlaceCosts};
use super::sparse::SparseGraph;

/// Ranks in one container that are tried at most.
const NEAR: u32 = 16;

/// Partners whose surroundings are tried at most: the heaviest.
const PARTNERS: usize = 10;

/// A swap must gain more than rounding.
const LEAST_GAIN: f64 = 1e-9;

/// Improves the places of all vertices; returns by how much the cost fell. Each edge counts once,
/// with the weight of both directions.
pub fn improve_by_swaps(
    graph: &SparseGraph,
    tree: &Tree,
    places: &mut [u32],
    search: &mut Search,
) -> f64 {
    let mut queue: VecDeque<u32> = search.random.permutation(graph.len()).into();
    let mut waiting = vec![true; graph.len()];
    let costs = PlaceCosts::new(tree, places.len());
    let mut swaps = Swaps::new(graph, &costs, places);
    let mut fallen = 0.0;
    while let Some(vertex) = queue.pop_front() {
        waiting[vertex as usize] = false;
        if !search.step() {
            break;
        }
        let Some((other, change)) = swaps.best_for(vertex as usize, search) else {
            continue;
        };
        swaps.swap(vertex as usize, other);
        fallen -= change;
        for moved in [vertex as usize, other] {
            let around = graph.neighbours(moved).iter();
            for again in around.map(|edge| edge.0).chain([moved as u32]) {
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
    costs: &'a PlaceCosts,
    places: &'a mut [u32],
    vertex_at: Vec<u32>,
    /// What each vertex adds to the cost where it stands.
    own: Vec<f64>,
    /// Room for the partners of a vertex and for the containers they stand in.
    partners: Vec<(u32, f64)>,
    containers: Vec<Neighbourhood>,
}

impl<'a> Swaps<'a> {
    fn new(graph: &'a SparseGraph, costs: &'a PlaceCosts, places: &'a mut [u32]) -> Swaps<'a> {
        let mut swaps = Swaps {
            graph,
            costs,
            vertex_at: vec![0; places.len()],
            own: Vec::new(),
            places,
            partners: Vec::new(),
            containers: Vec::new(),
        };
        for (vertex, &place) in swaps.places.iter().enumerate() {
            swaps.vertex_at[place as usize] = vertex as u32;
        }
        let own = (0..graph.len()).map(|vertex| swaps.cost_on(vertex, swaps.places[vertex]));
        swaps.own = own.collect();
        swaps
    }

    /// What a vertex adds to the cost on a place while all others stay.
    fn cost_on(&self, vertex: usize, place: u32) -> f64 {
        let neighbours = self.graph.neighbours(vertex).iter();
        let cost = |&(other, weight): &(u32, f64)| {
            weight * self.costs.between(place, self.places[other as usize])
        };
        neighbours.map(cost).sum()
    }

    /// What a vertex adds to the cost on any place of a container, as if nobody stood on that.
    fn cost_in(&self, vertex: usize, container: Neighbourhood) -> f64 {
        let inside = container.places();
        let neighbours = self.graph.neighbours(vertex).iter();
        let cost = |&(other, weight): &(u32, f64)| {
            let place = self.places[other as usize];
            let is_inside = inside.contains(&place);
            let outside = self.costs.between(inside.start, place);
            weight * if is_inside { container.cost } else { outside }
        };
        neighbours.map(cost).sum()
    }

    /// The change by a swap with a vertex in a container where `one` adds `cost_there`.
    fn change(&self, one: usize, other: usize, cost_there: f64, container: Neighbourhood) -> f64 {
        let (here, there) = (self.places[one], self.places[other]);
        let mut between = 0.0;
        let mut cost_here = 0.0;
        for &(neighbour, weight) in self.graph.neighbours(other) {
            if neighbour as usize == one {
                between = weight;
            } else {
                let place = self.places[neighbour as usize];
                cost_here += weight * self.costs.between(here, place);
            }
        }
        // Their own edge stays as long as it was, but stands in both costs of before, and in the
        // cost there as if it lay within the container.
        let own_edge = between * (2.0 * self.costs.between(here, there) - container.cost);
        cost_there + cost_here - self.own[one] - self.own[other] + own_edge
    }

    /// The vertex to change places with that lowers the cost most, if any does.
    fn best_for(&mut self, vertex: usize, search: &mut Search) -> Option<(usize, f64)> {
        self.find_containers(vertex);
        let mut best: Option<(usize, f64)> = None;
        for &container in &self.containers {
            let inside = container.places();
            let cost_there = self.cost_in(vertex, container);
            if cost_there >= self.own[vertex] {
                // If the other one gains all the same, it finds this vertex when it looks itself.
                continue;
            }
            let count = inside.len() as u32;
            let first = if count > NEAR {
                search.random.below(inside.len()) as u32
            } else {
                0
            };
            for at in first..first + count.min(NEAR) {
                let other = self.vertex_at[(inside.start + at % count) as usize] as usize;
                let change = self.change(vertex, other, cost_there, container);
                if change < best.map_or(-LEAST_GAIN, |(_, lowest)| lowest) {
                    best = Some((other, change));
                }
            }
        }
        // In uneven trees a container may have places that are nearer to each other.
        best.map(|(other, _)| (other, self.exact_change(vertex, other)))
            .filter(|(_, change)| *change < -LEAST_GAIN)
    }

    /// The containers of the heaviest partners, without the one the vertex is in itself.
    fn find_containers(&mut self, vertex: usize) {
        self.containers.clear();
        self.partners.clear();
        self.partners
            .extend_from_slice(self.graph.neighbours(vertex));
        if self.partners.len() > PARTNERS {
            self.partners
                .select_nth_unstable_by(PARTNERS, |one, other| other.1.total_cmp(&one.1));
            self.partners.truncate(PARTNERS);
        }
        let place = self.places[vertex];
        for (partner, _) in &self.partners {
            let container = self.costs.neighbourhood(self.places[*partner as usize]);
            let begin = container.places().start;
            let known = self
                .containers
                .iter()
                .any(|known| known.places().start == begin);
            if !known && !container.places().contains(&place) {
                self.containers.push(container);
            }
        }
    }

    fn exact_change(&self, one: usize, other: usize) -> f64 {
        let (here, there) = (self.places[one], self.places[other]);
        let change = |vertex: usize, except: usize, from: u32, to: u32| {
            let neighbours = self.graph.neighbours(vertex).iter();
            let others = neighbours.filter(|edge| edge.0 as usize != except);
            let change = others.map(|&(other, weight)| {
                let place = self.places[other as usize];
                weight * (self.costs.between(to, place) - self.costs.between(from, place))
            });
            change.sum::<f64>()
        };
        change(one, other, here, there) + change(other, one, there, here)
    }

    fn swap(&mut self, one: usize, other: usize) {
        let (here, there) = (self.places[one], self.places[other]);
        for (vertex, from, to) in [(one, here, there), (other, there, here)] {
            self.places[vertex] = to;
            self.vertex_at[to as usize] = vertex as u32;
            for &(neighbour, weight) in self.graph.neighbours(vertex) {
                let place = self.places[neighbour as usize];
                let longer = self.costs.between(to, place) - self.costs.between(from, place);
                self.own[neighbour as usize] += weight * longer;
            }
        }
        for vertex in [one, other] {
            self.own[vertex] = self.cost_on(vertex, self.places[vertex]);
        }
    }
}
