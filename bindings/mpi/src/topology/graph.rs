//! Graphs that every rank knows whole (`MPI_Graph_create`, MPI-5.0 section 8.5.3).
//!
//! ```text
//! index[i]   edges of nodes 0..=i, in all
//! edges      neighbours of node 0, of node 1, ...
//! ```
//!
//! An edge may lead from a node to itself, may be there several times, and need
//! not be there in both directions.

use super::error::{TopologyError, checked_rank};

/// A graph over the ranks of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    index: Box<[usize]>,
    edges: Box<[usize]>,
}

impl Graph {
    /// A graph of as many nodes as `index` has entries, in a communicator of `ranks`;
    /// those beyond are left out.
    ///
    /// # Errors
    ///
    /// [`TopologyError::TooLarge`], [`TopologyError::Index`],
    /// [`TopologyError::Length`], [`TopologyError::NoSuchRank`].
    pub fn new(index: &[i32], edges: &[i32], ranks: usize) -> Result<Self, TopologyError> {
        let nodes = index.len();
        if nodes > ranks {
            return Err(TopologyError::TooLarge {
                places: nodes as i64,
                ranks,
            });
        }
        let mut before = 0;
        for (node, &value) in index.iter().enumerate() {
            if value < before {
                return Err(TopologyError::Index { node, value });
            }
            before = value;
        }
        let (got, expected) = (edges.len(), before as usize);
        if got != expected {
            return Err(TopologyError::Length {
                what: "edges",
                got,
                expected,
            });
        }
        let index = index.iter().map(|&value| value as usize).collect();
        let edges = edges
            .iter()
            .map(|&rank| checked_rank(rank, nodes))
            .collect::<Result<_, _>>()?;
        Ok(Self { index, edges })
    }

    /// How many nodes the graph has.
    pub fn size(&self) -> usize {
        self.index.len()
    }

    /// The cumulative degrees (`MPI_Graph_get`).
    pub fn index(&self) -> &[usize] {
        &self.index
    }

    /// The edges' targets (`MPI_Graph_get`).
    pub fn edges(&self) -> &[usize] {
        &self.edges
    }

    /// The neighbours of a rank (`MPI_Graph_neighbors`), in the order of its edges.
    ///
    /// # Errors
    ///
    /// [`TopologyError::NoSuchRank`].
    pub fn neighbours(&self, rank: usize) -> Result<&[usize], TopologyError> {
        let end = *self.index.get(rank).ok_or(TopologyError::NoSuchRank {
            rank: rank as i64,
            size: self.size(),
        })?;
        let start = if rank == 0 { 0 } else { self.index[rank - 1] };
        Ok(&self.edges[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_the_index() {
        // The standard's example: 0 - 1, 0 - 3, 2 - 3, and node 4 alone here.
        let graph = Graph::new(&[2, 3, 4, 6, 6], &[1, 3, 0, 3, 0, 2], 7).unwrap();
        let neighbours: Vec<_> = (0..5).map(|rank| graph.neighbours(rank).unwrap()).collect();
        assert_eq!(neighbours, [&[1, 3][..], &[0], &[3], &[0, 2], &[]]);
        let error = TopologyError::NoSuchRank { rank: 5, size: 5 };
        assert_eq!(graph.neighbours(5), Err(error));
    }

    #[test]
    fn loops_and_repeated_edges_are_kept() {
        let graph = Graph::new(&[3, 3], &[0, 1, 1], 2).unwrap();
        assert_eq!(graph.neighbours(0), Ok(&[0, 1, 1][..]));
    }

    #[test]
    fn wrong_graphs_are_refused() {
        let error = |index: &[i32], edges: &[i32]| Graph::new(index, edges, 2).unwrap_err();
        let length = TopologyError::Length {
            what: "edges",
            got: 1,
            expected: 2,
        };
        assert_eq!(
            error(&[0, 0, 0], &[]),
            TopologyError::TooLarge {
                places: 3,
                ranks: 2
            }
        );
        assert_eq!(
            error(&[1, 0], &[0]),
            TopologyError::Index { node: 1, value: 0 }
        );
        assert_eq!(
            error(&[-1, 0], &[]),
            TopologyError::Index { node: 0, value: -1 }
        );
        assert_eq!(error(&[1, 2], &[0]), length);
        assert_eq!(
            error(&[1, 1], &[2]),
            TopologyError::NoSuchRank { rank: 2, size: 2 }
        );
        assert_eq!(
            error(&[1, 1], &[-1]),
            TopologyError::NoSuchRank { rank: -1, size: 2 }
        );
    }
}
