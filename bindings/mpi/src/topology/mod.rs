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
mod graph;
pub mod reorder;

pub use cartesian::{Cartesian, Subgrid};
pub use dimensions::create_dimensions;
pub use distributed::{DistributedGraph, EdgeList};
pub use graph::Graph;

/// Why a topology could not be made or asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// A dimension's extent that is not positive, or negative where zero means free (`MPI_ERR_DIMS`).
    #[error(
        "dimension {dimension} has extent {extent}: pass a positive extent, or 0 to MPI_Dims_create for a free one"
    )]
    Extent {
        /// Which dimension.
        dimension: usize,
        /// Its extent.
        extent: i32,
    },
    /// Fixed dimensions that do not divide the number of nodes, or all fixed and
    /// another product (`MPI_ERR_DIMS`).
    #[error(
        "{nodes} nodes cannot fill dimensions whose fixed extents multiply to {product}: change them so that they divide the number of nodes"
    )]
    Indivisible {
        /// How many nodes there are.
        nodes: i32,
        /// The product of the fixed extents.
        product: i64,
    },
    /// A number of nodes that is not possible (`MPI_ERR_ARG`).
    #[error(
        "{nodes} nodes: pass a positive number for dimensions, and no negative one for a graph"
    )]
    NodeCount {
        /// The number passed.
        nodes: i32,
    },
    /// More places than ranks (`MPI_ERR_DIMS` for a grid, `MPI_ERR_ARG` for a graph).
    #[error(
        "the topology has {places} places, the communicator {ranks} ranks: pass a smaller topology"
    )]
    TooLarge {
        /// How many places the topology has.
        places: i64,
        /// How many ranks there are.
        ranks: usize,
    },
    /// Two lists that should be of one length (`MPI_ERR_ARG`).
    #[error("{what}: {got} entries where {expected} are expected")]
    Length {
        /// Which list.
        what: &'static str,
        /// How long it is.
        got: usize,
        /// How long it should be.
        expected: usize,
    },
    /// A dimension that the grid does not have (`MPI_ERR_DIMS`).
    #[error(
        "dimension {dimension} is not in a grid of {dimensions}: pass 0 to the number of dimensions less one"
    )]
    NoSuchDimension {
        /// The dimension passed.
        dimension: i32,
        /// How many there are.
        dimensions: usize,
    },
    /// A coordinate outside a dimension that is not periodic (`MPI_ERR_ARG`).
    #[error(
        "coordinate {coordinate} is outside dimension {dimension}, of extent {extent} and not periodic"
    )]
    Coordinate {
        /// Which dimension.
        dimension: usize,
        /// The coordinate passed.
        coordinate: i32,
        /// The dimension's extent.
        extent: i32,
    },
    /// A rank that is not in the topology (`MPI_ERR_RANK`).
    #[error("rank {rank} is not in a topology of {size}: pass ranks from 0 to its size less one")]
    NoSuchRank {
        /// The rank passed.
        rank: i64,
        /// How many ranks there are.
        size: usize,
    },
    /// A graph's index array that descends (`MPI_ERR_ARG`).
    #[error(
        "index {node} of the graph is {value}, below the one before it: pass cumulative degrees"
    )]
    Index {
        /// At which node.
        node: usize,
        /// The value.
        value: i32,
    },
    /// A negative number of edges (`MPI_ERR_ARG`).
    #[error("entry {entry} has degree {degree}: pass how many edges leave the node")]
    Degree {
        /// Which entry of the list.
        entry: usize,
        /// The degree.
        degree: i32,
    },
    /// A negative weight (`MPI_ERR_ARG`).
    #[error("edge {edge} has weight {weight}: pass a weight of at least 0")]
    Weight {
        /// Which edge.
        edge: usize,
        /// The weight.
        weight: i32,
    },
    /// Weights from some ranks only (`MPI_ERR_ARG`).
    #[error(
        "rank {rank} disagrees with a lower rank on whether edges have weights: all ranks pass MPI_UNWEIGHTED, or none"
    )]
    MixedWeights {
        /// The first rank that disagrees.
        rank: usize,
    },
    /// An edge list that did not arrive whole (`MPI_ERR_INTERN`).
    #[error("an edge list of {words} words is not one that EdgeList::to_words made")]
    Malformed {
        /// How many words came.
        words: usize,
    },
}

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

/// A rank from a C array, in a topology of `size`.
fn checked_rank(rank: i32, size: usize) -> Result<usize, TopologyError> {
    let checked = usize::try_from(rank).ok().filter(|&rank| rank < size);
    checked.ok_or(TopologyError::NoSuchRank {
        rank: rank.into(),
        size,
    })
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
