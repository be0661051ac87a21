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
    /// The weight of all edges of each vertex.
    degrees: Vec<f64>,
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
        merge(&mut offsets, &mut neighbours);
        SparseGraph::assembled(offsets, neighbours, sizes)
    }

    /// Of lists that have no doubles.
    fn assembled(offsets: Vec<usize>, neighbours: Vec<(u32, f64)>, sizes: Vec<u32>) -> SparseGraph {
        let own = |ends: &[usize]| neighbours[ends[0]..ends[1]].iter();
        let degrees = offsets
            .windows(2)
            .map(|ends| own(ends).map(|edge| edge.1).sum());
        SparseGraph {
            degrees: degrees.collect(),
            offsets,
            neighbours,
            sizes,
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

    /// The weight of all edges of a vertex.
    #[inline(always)]
    pub(super) fn degree(&self, vertex: usize) -> f64 {
        self.degrees[vertex]
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
        let mut offsets = Vec::with_capacity(vertices.len() + 1);
        let mut neighbours = Vec::new();
        offsets.push(0);
        for &vertex in vertices {
            for &(neighbour, weight) in self.neighbours(vertex as usize) {
                let number = numbers[neighbour as usize];
                if vertices.get(number as usize) == Some(&neighbour) {
                    neighbours.push((number, weight));
                }
            }
            offsets.push(neighbours.len());
        }
        let sizes = vertices.iter().map(|&at| self.sizes[at as usize]);
        SparseGraph::assembled(offsets, neighbours, sizes.collect())
    }

    /// The graph in which all vertices of the same number in `coarse_of` are one, with these sizes;
    /// edges between them are added up.
    pub(super) fn contracted(&self, coarse_of: &[u32], sizes: Vec<u32>) -> SparseGraph {
        let (members, begins) = members(coarse_of, sizes.len());
        let mut offsets = Vec::with_capacity(sizes.len() + 1);
        let mut neighbours: Vec<(u32, f64)> = Vec::with_capacity(self.neighbours.len());
        offsets.push(0);
        // Where the edge to a coarse vertex stands, if it is at or after the vertex's first.
        let mut stands_at = vec![0usize; sizes.len()];
        for vertex in 0..sizes.len() {
            let first = neighbours.len();
            for &member in &members[begins[vertex]..begins[vertex + 1]] {
                for &(neighbour, weight) in self.neighbours(member as usize) {
                    let other = coarse_of[neighbour as usize];
                    if other as usize == vertex {
                        continue;
                    }
                    let at = &mut stands_at[other as usize];
                    match neighbours.get_mut(*at) {
                        Some(edge) if *at >= first && edge.0 == other => edge.1 += weight,
                        _ => {
                            *at = neighbours.len();
                            neighbours.push((other, weight));
                        }
                    }
                }
            }
            offsets.push(neighbours.len());
        }
        SparseGraph::assembled(offsets, neighbours, sizes)
    }

    /// The weight of all edges between the sides.
    #[cfg(test)]
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

/// Sorts the neighbours of each vertex and adds up those that are listed several times.
fn merge(offsets: &mut [usize], neighbours: &mut Vec<(u32, f64)>) {
    let (mut begin, mut kept) = (0, 0);
    for end in &mut offsets[1..] {
        neighbours[begin..*end].sort_unstable_by_key(|edge| edge.0);
        let first = kept;
        for at in begin..*end {
            let edge = neighbours[at];
            if kept > first && neighbours[kept - 1].0 == edge.0 {
                neighbours[kept - 1].1 += edge.1;
            } else {
                neighbours[kept] = edge;
                kept += 1;
            }
        }
        begin = *end;
        *end = kept;
    }
    neighbours.truncate(kept);
}

/// The vertices in the order of their numbers, and where those of each number begin.
fn members(number_of: &[u32], numbers: usize) -> (Vec<u32>, Vec<usize>) {
    let mut begins = vec![0usize; numbers + 1];
    for &number in number_of {
        begins[number as usize + 1] += 1;
    }
    for number in 0..numbers {
        begins[number + 1] += begins[number];
    }
    let mut next = begins.clone();
    let mut members = vec![0u32; number_of.len()];
    for (vertex, &number) in number_of.iter().enumerate() {
        members[next[number as usize]] = vertex as u32;
        next[number as usize] += 1;
    }
    (members, begins)
}
