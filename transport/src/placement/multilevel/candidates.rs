//! The vertices that may move to the other side, the one with the largest gain first.
//!
//! What: for each side the gains of its candidates by vertex. In small graphs the largest is looked
//! for among all, which a processor does in a few vectors; in large ones a heap knows it. A gain
//! that falls stays in the heap as it was until it comes up, and is then put where it belongs; so
//! only rising gains are pushed.
//! Step before: [`super::refine`].
//! Invariant: for each candidate the heap has an entry of at least its gain.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Graphs of at most so many vertices are scanned.
const SCANNED: usize = 128;

/// The gain of what is no candidate.
const NONE: f64 = f64::NEG_INFINITY;

/// Candidates of both sides.
#[derive(Default)]
pub(super) struct Candidates {
    sides: [Side; 2],
    is_scanned: bool,
}

#[derive(Default)]
struct Side {
    gains: Vec<f64>,
    heap: BinaryHeap<Entry>,
    /// Where the largest gain is, if that is known; of scanned graphs.
    largest: Option<usize>,
}

#[derive(PartialEq)]
struct Entry {
    gain: f64,
    vertex: u32,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        let by_gain = self.gain.total_cmp(&other.gain);
        by_gain.then(self.vertex.cmp(&other.vertex))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Candidates {
    /// No candidates among so many vertices.
    pub(super) fn new(vertices: usize) -> Candidates {
        let side = || Side {
            gains: vec![NONE; vertices],
            ..Side::default()
        };
        Candidates {
            sides: [side(), side()],
            is_scanned: vertices <= SCANNED,
        }
    }

    /// Nobody is a candidate any more.
    pub(super) fn clear(&mut self) {
        for side in &mut self.sides {
            side.gains.fill(NONE);
            side.heap.clear();
            side.largest = None;
        }
    }

    /// Makes a vertex a candidate of a side, or changes its gain.
    #[inline(always)]
    pub(super) fn set(&mut self, side: bool, vertex: usize, gain: f64) {
        let side = &mut self.sides[usize::from(side)];
        let before = std::mem::replace(&mut side.gains[vertex], gain);
        if self.is_scanned {
            side.update_largest(vertex, gain);
        } else if gain > before {
            let vertex = vertex as u32;
            side.heap.push(Entry { gain, vertex });
        }
    }

    /// A vertex is no candidate of a side any more.
    pub(super) fn remove(&mut self, side: bool, vertex: usize) {
        let side = &mut self.sides[usize::from(side)];
        side.gains[vertex] = NONE;
        side.update_largest(vertex, NONE);
    }

    /// The candidate of a side with the largest gain, and that gain.
    pub(super) fn best(&mut self, side: bool) -> Option<(usize, f64)> {
        let side = &mut self.sides[usize::from(side)];
        if self.is_scanned {
            side.scanned()
        } else {
            side.top()
        }
    }
}

impl Side {
    /// After the gain of a vertex has become this.
    #[inline(always)]
    fn update_largest(&mut self, vertex: usize, gain: f64) {
        if let Some(largest) = self.largest {
            if gain > self.gains[largest] {
                self.largest = Some(vertex);
            } else if largest == vertex {
                self.largest = None;
            }
        }
    }

    fn scanned(&mut self) -> Option<(usize, f64)> {
        self.largest = self.largest.or_else(|| largest(&self.gains));
        self.largest.map(|vertex| (vertex, self.gains[vertex]))
    }

    fn top(&mut self) -> Option<(usize, f64)> {
        while let Some(top) = self.heap.peek() {
            let (vertex, gain) = (top.vertex, self.gains[top.vertex as usize]);
            if gain == top.gain {
                return Some((vertex as usize, gain));
            }
            let has_fallen = gain < top.gain && gain != NONE;
            self.heap.pop();
            if has_fallen {
                self.heap.push(Entry { gain, vertex });
            }
        }
        None
    }
}

/// Where the largest gain is; the first of equals.
fn largest(gains: &[f64]) -> Option<usize> {
    const LANES: usize = 8;
    let (groups, rest) = gains.as_chunks::<LANES>();
    let mut lanes = [NONE; LANES];
    for group in groups {
        for lane in 0..LANES {
            lanes[lane] = larger(lanes[lane], group[lane]);
        }
    }
    let most = rest.iter().chain(&lanes).copied().fold(NONE, larger);
    if most == NONE {
        return None;
    }
    gains.iter().position(|gain| *gain == most)
}

#[inline(always)]
fn larger(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_largest_gain_is_found_after_any_changes(vertices in 1..300usize, seed in any::<u64>()) {
            let mut random = Random::new(seed);
            let mut candidates = Candidates::new(vertices);
            let mut known = vec![None; vertices];
            for _ in 0..400 {
                let vertex = random.below(vertices);
                if random.below(3) == 0 {
                    candidates.remove(true, vertex);
                    known[vertex] = None;
                } else {
                    let gain = random.below(20) as f64 - 10.0;
                    candidates.set(true, vertex, gain);
                    known[vertex] = Some(gain);
                }
                let expected = known.iter().flatten().copied().max_by(f64::total_cmp);
                let found = candidates.best(true);
                prop_assert_eq!(found.map(|(_, gain)| gain), expected);
                prop_assert!(found.is_none_or(|(vertex, gain)| known[vertex] == Some(gain)));
                prop_assert_eq!(candidates.best(false), None);
            }
            candidates.clear();
            prop_assert_eq!(candidates.best(true), None);
        }
    }
}
