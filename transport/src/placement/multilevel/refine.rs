//! Refinement of a split in two: moves of single vertices, after Fiduccia and Mattheyses.
//!
//! What: a pass moves, again and again, the vertex whose move lowers the cut most (or raises it
//! least) and that may still move, each vertex once; then everything after the best moment is
//! undone. Passes follow each other until one brings nothing.
//! Why moves that raise the cut: a ridge between two valleys is only crossed by climbing.
//!
//! Invariants: never ends with a worse (imbalance, cut) than it began with; the imbalance it
//! accepts is at most `tolerance`, once that has been reached.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::sparse::SparseGraph;

/// Moves in a row without a new best after which a pass ends.
const PATIENCE: usize = 120;

/// Passes at most.
const PASSES: usize = 8;

/// A split being refined.
pub(super) struct Split<'g> {
    graph: &'g SparseGraph,
    /// Ranks that side 0 (false) should have.
    target: i64,
    /// How far it may be from that.
    tolerance: i64,
    pub(super) sides: Vec<bool>,
    size_of_first: i64,
    /// What moving a vertex takes off the cut.
    gains: Vec<f64>,
}

/// A possible move; stale when the gain is no longer the vertex's.
#[derive(PartialEq)]
struct Candidate {
    gain: f64,
    vertex: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.gain
            .total_cmp(&other.gain)
            .then(self.vertex.cmp(&other.vertex))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'g> Split<'g> {
    pub(super) fn new(graph: &'g SparseGraph, target: u64, sides: Vec<bool>) -> Split<'g> {
        let first = (0..graph.len()).filter(|vertex| !sides[*vertex]);
        let size_of_first = first.map(|vertex| i64::from(graph.size_of(vertex))).sum();
        // With vertices of size 1 every target can be met exactly.
        let largest = i64::from(graph.largest_size());
        Split {
            graph,
            target: target as i64,
            tolerance: if largest > 1 { largest } else { 0 },
            gains: (0..graph.len())
                .map(|vertex| gain(graph, &sides, vertex))
                .collect(),
            sides,
            size_of_first,
        }
    }

    /// How far the sizes are from what is tolerated.
    pub(super) fn imbalance(&self) -> i64 {
        ((self.size_of_first - self.target).abs() - self.tolerance).max(0)
    }

    /// Passes until nothing gets better.
    pub(super) fn refine(&mut self) {
        for _ in 0..PASSES {
            if !self.pass() {
                return;
            }
        }
    }

    /// One pass; whether it made anything better.
    fn pass(&mut self) -> bool {
        let mut candidates = [BinaryHeap::new(), BinaryHeap::new()];
        let unbalanced = self.imbalance() > 0;
        for vertex in 0..self.graph.len() {
            let neighbours = self.graph.neighbours(vertex).iter();
            let mut across =
                neighbours.map(|(other, _)| self.sides[*other as usize] != self.sides[vertex]);
            if unbalanced || across.any(|across| across) || self.graph.len() < 100 {
                self.push(&mut candidates, vertex);
            }
        }
        let mut moved = vec![false; self.graph.len()];
        let mut moves: Vec<usize> = Vec::new();
        let (mut cut, mut best) = (0.0, (self.imbalance(), 0.0));
        let (mut best_length, begin) = (0, best);
        while moves.len() < best_length + PATIENCE || self.imbalance() > 0 {
            let Some(vertex) = self.next(&mut candidates, &moved) else {
                break;
            };
            cut -= self.gains[vertex];
            moved[vertex] = true;
            moves.push(vertex);
            self.apply(vertex);
            for &(other, _) in self.graph.neighbours(vertex) {
                if !moved[other as usize] {
                    self.push(&mut candidates, other as usize);
                }
            }
            let now = (self.imbalance(), cut);
            if now.0 < best.0 || (now.0 == best.0 && now.1 < best.1 - 1e-9) {
                best = now;
                best_length = moves.len();
            }
        }
        for vertex in moves.drain(best_length..).rev() {
            self.apply(vertex);
        }
        best.0 < begin.0 || best.1 < begin.1
    }

    fn push(&self, candidates: &mut [BinaryHeap<Candidate>; 2], vertex: usize) {
        candidates[usize::from(self.sides[vertex])].push(Candidate {
            gain: self.gains[vertex],
            vertex: vertex as u32,
        });
    }

    /// The vertex to move next: from the side that has too much, else from either.
    fn next(&self, candidates: &mut [BinaryHeap<Candidate>; 2], moved: &[bool]) -> Option<usize> {
        for (side, heap) in candidates.iter_mut().enumerate() {
            // Stale: moved meanwhile, or its gain has changed (then it stands elsewhere again).
            while heap.peek().is_some_and(|top| {
                let vertex = top.vertex as usize;
                moved[vertex]
                    || self.gains[vertex] != top.gain
                    || usize::from(self.sides[vertex]) != side
            }) {
                heap.pop();
            }
        }
        let excess = self.size_of_first - self.target;
        let gains = [0, 1].map(|side: usize| candidates[side].peek().map(|top| top.gain));
        let side = match gains {
            _ if excess > self.tolerance => 0,
            _ if -excess > self.tolerance => 1,
            [Some(one), Some(other)] if one != other => usize::from(other > one),
            // Where nothing speaks for either, the larger side gives.
            [Some(_), Some(_)] => usize::from(excess < 0),
            [Some(_), None] => 0,
            _ => 1,
        };
        let top = candidates[side].pop()?;
        Some(top.vertex as usize)
    }

    /// Moves a vertex to the other side and brings its neighbours' gains up to date.
    fn apply(&mut self, vertex: usize) {
        let size = i64::from(self.graph.size_of(vertex));
        self.size_of_first += if self.sides[vertex] { size } else { -size };
        self.sides[vertex] = !self.sides[vertex];
        self.gains[vertex] = -self.gains[vertex];
        for &(other, weight) in self.graph.neighbours(vertex) {
            let together = self.sides[other as usize] == self.sides[vertex];
            self.gains[other as usize] += if together {
                -2.0 * weight
            } else {
                2.0 * weight
            };
        }
    }
}

/// What moving a vertex takes off the cut.
fn gain(graph: &SparseGraph, sides: &[bool], vertex: usize) -> f64 {
    let signed = graph.neighbours(vertex).iter().map(|&(other, weight)| {
        if sides[other as usize] == sides[vertex] {
            -weight
        } else {
            weight
        }
    });
    signed.sum()
}
