//! Undirected graphs as lists of neighbours.
//!
//! What: for each vertex its neighbours with the weight of both directions together, and how many
//! ranks it stands for (its size), which is one until graphs are coarsened.
//! Invariants: no vertex is its own neighbour; each neighbour is listed once, on both sides.

use super::super::Problem;

/// A graph of vertices with sizes and edges with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseGraph {
    offsets: Vec<usize>,
    neighbours: Vec<(u32, f64)>,
    sizes: Vec<u32>,
}

impl SparseGraph {
    /// The edges of a problem without their directions; dummies are vertices without neighbours.
    pub fn of_problem(problem: &Problem) -> SparseGraph {
        let edges = problem
            .edges()
            .iter()
            .map(|edge| (edge.from, edge.to, edge.weight));
        SparseGraph::new(vec![1; problem.size()], edges)
    }

    /// From edges, in either or both directions; those of a pair are added up, loops left out.
    pub(super) fn new(
        sizes: Vec<u32>,
        edges: impl Iterator<Item = (u32, u32, f64)> + Clone,
    ) -> SparseGraph {
        let edges = edges.filter(|(one, other, _)| one != other);
        let mut offsets = vec![0usize; sizes.len() + 1];
        for (one, other, _) in edges.clone() {
            offsets[one as usize + 1] += 1;
            offsets[other as usize + 1] += 1;
        }
        for at in 0..sizes.len() {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut neighbours = vec![(0, 0.0); offsets[sizes.len()]];
        for (one, other, weight) in edges {
            for (vertex, neighbour) in [(one, other), (other, one)] {
                neighbours[next[vertex as usize]] = (neighbour, weight);
                next[vertex as usize] += 1;
            }
        }
        let graph = SparseGraph {
            offsets,
            neighbours,
            sizes,
        };
        graph.with_neighbours_merged()
    }

    fn with_neighbours_merged(self) -> SparseGraph {
        let mut merged = Vec::with_capacity(self.neighbours.len());
        let mut offsets = vec![0];
        for vertex in 0..self.len() {
            let mut own = self.neighbours(vertex).to_vec();
            own.sort_unstable_by_key(|(neighbour, _)| *neighbour);
            own.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 += later.1;
                }
                same
            });
            merged.extend(own);
            offsets.push(merged.len());
        }
        SparseGraph {
            offsets,
            neighbours: merged,
            sizes: self.sizes,
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Neighbours of a vertex with the weights between.
    pub fn neighbours(&self, vertex: usize) -> &[(u32, f64)] {
        &self.neighbours[self.offsets[vertex]..self.offsets[vertex + 1]]
    }

    /// How many ranks a vertex stands for.
    pub fn size_of(&self, vertex: usize) -> u32 {
        self.sizes[vertex]
    }

    /// How many ranks all vertices stand for.
    pub fn total_size(&self) -> u64 {
        self.sizes.iter().map(|size| u64::from(*size)).sum()
    }

    /// The largest size of a vertex.
    pub fn largest_size(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// The graph of some vertices, renumbered in their order; edges to others are left out.
    /// `numbers` is room for a number a vertex, whose content does not matter.
    pub(super) fn part(&self, vertices: &[u32], numbers: &mut [u32]) -> SparseGraph {
        // Stale numbers are told from fresh ones by looking back.
        for (number, &vertex) in vertices.iter().enumerate() {
            numbers[vertex as usize] = number as u32;
        }
        let mut part = SparseGraph {
            offsets: Vec::with_capacity(vertices.len() + 1),
            neighbours: Vec::new(),
            sizes: vertices
                .iter()
                .map(|&vertex| self.sizes[vertex as usize])
                .collect(),
        };
        part.offsets.push(0);
        for &vertex in vertices {
            for &(neighbour, weight) in self.neighbours(vertex as usize) {
                let number = numbers[neighbour as usize];
                if vertices.get(number as usize) == Some(&neighbour) {
                    part.neighbours.push((number, weight));
                }
            }
            part.offsets.push(part.neighbours.len());
        }
        part
    }

    /// The weight of all edges between the sides.
    pub(super) fn cut(&self, sides: &[bool]) -> f64 {
        let crossing = |vertex: usize| {
            let neighbours = self.neighbours(vertex).iter();
            let other =
                neighbours.filter(|(neighbour, _)| sides[*neighbour as usize] != sides[vertex]);
            other.map(|(_, weight)| weight).sum::<f64>()
        };
        (0..self.len()).map(crossing).sum::<f64>() / 2.0
    }
}
