//! Why a topology could not be made or asked.
//!
//! Before: arguments of a program, or words from another rank. After: the C layer gives the class that each variant names.

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

/// A rank from a C array, in a topology of `size`.
pub(super) fn checked_rank(rank: i32, size: usize) -> Result<usize, TopologyError> {
    let checked = usize::try_from(rank).ok().filter(|&rank| rank < size);
    checked.ok_or(TopologyError::NoSuchRank {
        rank: rank.into(),
        size,
    })
}
