//! Process topologies: which ranks of a communicator are neighbours (MPI-5.0 chapter 8).
//!
//! All of it is arithmetic on ranks of one communicator: nothing here sends.
//! Where making a topology needs what other ranks know
//! ([`EdgeList`]), the caller collects that first.
//!
//! Without leave to reorder, a rank of the old communicator keeps its number in
//! the new one, and those beyond the topology's size are left out; with it,
//! [`reorder`] says which process takes which vertex.
//!
//! A neighbourhood collective asks [`Topology::neighbours`] for its partners:
//!
//! ```text
//! Cartesian    dimension 0 down, up, dimension 1 down, up, ...    sources = destinations
//! graph        in the order of the edges array                    sources = destinations
//! distributed  as given, or in the order of contributing ranks    two lists
//! ```

mod cartesian;
mod dimensions;
mod distributed;
mod error;
mod graph;
pub mod reorder;

pub use cartesian::{Cartesian, Subgrid};
pub use dimensions::create_dimensions;
pub use distributed::{DistributedGraph, EdgeList};
pub use error::TopologyError;
pub use graph::Graph;

/// A communicator's topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// `MPI_CART`.
    Cartesian(Cartesian),
    /// `MPI_GRAPH`.
    Graph(Graph),
    /// `MPI_DIST_GRAPH`.
    Distributed(DistributedGraph),
}

/// The partners of one rank in a neighbourhood collective, in the order of its
/// buffers' blocks. `None` is no process (`MPI_PROC_NULL`): its block is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// Whom blocks are received from.
    pub sources: Vec<Option<usize>>,
    /// Whom blocks are sent to.
    pub destinations: Vec<Option<usize>>,
    /// Whether blocks of a grid must be told apart: see [`Neighbours::lane_to`].
    grid: bool,
}

impl Neighbours {
    /// A number that goes along with the block to `destinations[index]`. It is
    /// received where [`lane_from`](Self::lane_from) is the same: with the same
    /// process on both sides of a short periodic dimension, what is sent down must
    /// arrive as from above. In graphs all blocks between two ranks share one lane,
    /// and their order pairs them.
    pub fn lane_to(&self, index: usize) -> usize {
        if self.grid { index ^ 1 } else { 0 }
    }

    /// The lane on which the block from `sources[index]` comes.
    pub fn lane_from(&self, index: usize) -> usize {
        if self.grid { index } else { 0 }
    }
}

impl Topology {
    /// The partners of `rank` in neighbourhood collectives.
    ///
    /// # Errors
    ///
    /// [`TopologyError::NoSuchRank`].
    pub fn neighbours(&self, rank: usize) -> Result<Neighbours, TopologyError> {
        let all = |ranks: &[usize]| ranks.iter().copied().map(Some).collect::<Vec<_>>();
        Ok(match self {
            Self::Cartesian(grid) => {
                let sources = grid.neighbours(rank)?;
                Neighbours {
                    destinations: sources.clone(),
                    sources,
                    grid: true,
                }
            }
            Self::Graph(graph) => {
                let sources = all(graph.neighbours(rank)?);
                Neighbours {
                    destinations: sources.clone(),
                    sources,
                    grid: false,
                }
            }
            Self::Distributed(graph) => Neighbours {
                sources: all(graph.sources()),
                destinations: all(graph.destinations()),
                grid: false,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_grid_pair_opposite_directions() {
        // In a periodic dimension of two, the process below and the one above are the same.
        for extents in [&[2][..], &[1], &[3], &[2, 3], &[1, 2, 2]] {
            let size = extents.iter().product::<i32>() as usize;
            let periodic = vec![true; extents.len()];
            let grid = Topology::Cartesian(Cartesian::new(extents, &periodic, size).unwrap());
            for rank in 0..size {
                let mine = grid.neighbours(rank).unwrap();
                for (index, to) in mine.destinations.iter().enumerate() {
                    let theirs = grid.neighbours(to.unwrap()).unwrap();
                    let received: Vec<usize> = (0..theirs.sources.len())
                        .filter(|&i| theirs.lane_from(i) == mine.lane_to(index))
                        .collect();
                    assert_eq!(received, [index ^ 1]);
                    assert_eq!(theirs.sources[received[0]], Some(rank));
                }
            }
        }
    }
}
