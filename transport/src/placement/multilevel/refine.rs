//! Refinement of a split in two: moves of single vertices, after Fiduccia and Mattheyses.
//!
//! What: a pass moves, again and again, the vertex whose move lowers the cut most (or raises it
//! least) and that may still move, each vertex once; then everything after the best moment is
//! undone. Passes follow each other until one brings nothing.
//! Why moves that raise the cut: a ridge between two valleys is only crossed by climbing.
//!
//! Step before: [`super::bisect`], [`super::split`]. Step after: [`super::candidates`].
//! Invariants: never ends with a worse (imbalance, cut) than it began with; the imbalance it
//! accepts is at most `tolerance`, once that has been reached.

use super::candidates::Candidates;
use super::sparse::SparseGraph;

/// Moves in a row without a new best after which a pass ends.
const PATIENCE: usize = 60;

/// Passes at most.
const PASSES: usize = 8;

/// Graphs of fewer vertices have all of them moved, not only those at the border.
const MOVED_WHOLE: usize = 100;

/// What is less is rounding.
const LEAST_GAIN: f64 = 1e-9;

/// A split being refined.
pub(super) struct Split<'g> {
    graph: &'g SparseGraph,
    /// Ranks that side 0 (false) should have.
    target: i64,
    /// How far it may be from that.
    tolerance: i64,
    state: Sides,
    candidates: Candidates,
    /// Vertices that were moved in this pass, and in which order.
    is_moved: Vec<bool>,
    moves: Vec<u32>,
}

/// Which vertex is where, and what a move would bring.
struct Sides {
    sides: Vec<bool>,
    size_of_first: i64,
    /// What moving a vertex takes off the cut.
    gains: Vec<f64>,
    cut: f64,
}

impl<'g> Split<'g> {
    /// Vertices on these sides.
    pub(super) fn new(graph: &'g SparseGraph, target: u64, sides: Vec<bool>) -> Split<'g> {
        let mut state = Sides {
            size_of_first: 0,
            gains: Vec::with_capacity(graph.len()),
            cut: 0.0,
            sides,
        };
        for (vertex, &side) in state.sides.iter().enumerate() {
            let mut across = 0.0;
            for &(other, weight) in graph.neighbours(vertex) {
                let crosses = state.sides[other as usize] != side;
                across += if crosses { weight } else { 0.0 };
            }
            state.gains.push(2.0 * across - graph.degree(vertex));
            state.size_of_first += i64::from(graph.size_of(vertex)) * i64::from(!side);
            state.cut += across / 2.0;
        }
        // With vertices of size 1 every target can be met exactly.
        let largest = i64::from(graph.largest_size());
        Split {
            graph,
            target: target as i64,
            tolerance: if largest > 1 { largest } else { 0 },
            state,
            candidates: Candidates::new(graph.len()),
            is_moved: vec![false; graph.len()],
            moves: Vec::new(),
        }
    }

    /// Grows a region of the target's size on side 0 from a vertex: what is tied to it most, less
    /// what it is tied to elsewhere, comes next.
    pub(super) fn grow(&mut self, seed: usize) {
        let vertices = self.graph.len();
        self.state.sides.fill(true);
        self.state.size_of_first = 0;
        self.state.cut = 0.0;
        for (vertex, gain) in self.state.gains.iter_mut().enumerate() {
            *gain = -self.graph.degree(vertex);
        }
        let mut next = seed;
        while self.state.size_of_first < self.target {
            self.take(next);
            // Where nothing is tied to the region any more, it goes on elsewhere.
            let tied = self.candidates.best(true).map(|(vertex, _)| vertex);
            let mut free = (0..vertices).map(|at| (seed + at) % vertices);
            let Some(vertex) = tied.or_else(|| free.find(|&at| self.state.sides[at])) else {
                break;
            };
            next = vertex;
        }
        self.forget_moves();
    }

    /// The side of each vertex.
    pub(super) fn sides(&self) -> &[bool] {
        &self.state.sides
    }

    /// The side of each vertex.
    pub(super) fn into_sides(self) -> Vec<bool> {
        self.state.sides
    }

    /// The weight of the edges between the sides.
    pub(super) fn cut(&self) -> f64 {
        self.state.cut
    }

    fn excess(&self) -> i64 {
        self.state.size_of_first - self.target
    }

    /// How far the sizes are from what is tolerated.
    pub(super) fn imbalance(&self) -> i64 {
        (self.excess().abs() - self.tolerance).max(0)
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
        self.propose();
        let begin = (self.imbalance(), self.cut());
        let mut best = begin;
        let mut kept = 0;
        while self.moves.len() < kept + PATIENCE || self.imbalance() > 0 {
            let Some(vertex) = self.next() else {
                break;
            };
            self.take(vertex);
            let now = (self.imbalance(), self.cut());
            if now.0 < best.0 || (now.0 == best.0 && now.1 < best.1 - LEAST_GAIN) {
                best = now;
                kept = self.moves.len();
            }
        }
        for &vertex in self.moves[kept..].iter().rev() {
            self.state.apply(self.graph, vertex as usize, |_, _, _| {});
        }
        self.forget_moves();
        best.0 < begin.0 || best.1 < begin.1
    }

    fn forget_moves(&mut self) {
        for vertex in self.moves.drain(..) {
            self.is_moved[vertex as usize] = false;
        }
        self.candidates.clear();
    }

    /// Makes candidates of the vertices at the border; of all, where the sizes have to change.
    fn propose(&mut self) {
        let all = self.imbalance() > 0 || self.graph.len() < MOVED_WHOLE;
        let state = &self.state;
        for (vertex, (&side, &gain)) in state.sides.iter().zip(&state.gains).enumerate() {
            // Inside, moving would put all edges of a vertex into the cut.
            if all || gain > -self.graph.degree(vertex) {
                self.candidates.set(side, vertex, gain);
            }
        }
    }

    /// The vertex to move next: from the side that has too much, else from either.
    fn next(&mut self) -> Option<usize> {
        let excess = self.excess();
        if excess > self.tolerance {
            return self.candidates.best(false).map(|best| best.0);
        }
        if -excess > self.tolerance {
            return self.candidates.best(true).map(|best| best.0);
        }
        match (self.candidates.best(false), self.candidates.best(true)) {
            (Some(one), Some(other)) if one.1 > other.1 => Some(one.0),
            (Some(one), Some(other)) if one.1 < other.1 => Some(other.0),
            // Where nothing speaks for either, the larger side gives.
            (Some(one), Some(other)) => Some(if excess < 0 { other.0 } else { one.0 }),
            (one, other) => one.or(other).map(|best| best.0),
        }
    }

    /// Moves a vertex for this pass; its neighbours become candidates.
    fn take(&mut self, vertex: usize) {
        let (candidates, is_moved) = (&mut self.candidates, &mut self.is_moved);
        candidates.remove(self.state.sides[vertex], vertex);
        is_moved[vertex] = true;
        self.moves.push(vertex as u32);
        self.state.apply(self.graph, vertex, |other, side, gain| {
            if !is_moved[other] {
                candidates.set(side, other, gain);
            }
        });
    }
}

impl Sides {
    /// Moves a vertex to the other side and brings its neighbours' gains up to date; `changed` is
    /// told each of them with its side and gain.
    #[inline(always)]
    fn apply(
        &mut self,
        graph: &SparseGraph,
        vertex: usize,
        mut changed: impl FnMut(usize, bool, f64),
    ) {
        let side = !self.sides[vertex];
        let size = i64::from(graph.size_of(vertex));
        self.size_of_first += if side { -size } else { size };
        self.sides[vertex] = side;
        self.cut -= self.gains[vertex];
        self.gains[vertex] = -self.gains[vertex];
        for &(other, weight) in graph.neighbours(vertex) {
            let other = other as usize;
            let is_together = self.sides[other] == side;
            self.gains[other] += if is_together { -2.0 } else { 2.0 } * weight;
            changed(other, self.sides[other], self.gains[other]);
        }
    }
}
