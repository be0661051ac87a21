//! Why a placement could not be made.
//!
//! Before: a file, a graph or an algorithm of this room refuses. After: the launcher and `pamir` print it.

/// Why a placement could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of a file is not what it should be.
    #[error("{file}, line {line}: {reason}")]
    Line {
        /// The file, or what stands for one.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A rank is named that the graph does not have.
    #[error("rank {rank} does not exist: the graph has ranks 0 to {last}", last = ranks.saturating_sub(1))]
    NoSuchRank {
        /// The rank.
        rank: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// A number is negative, infinite or not a number.
    #[error("{what} is {value}: costs and weights are finite numbers of at least 0")]
    Number {
        /// Which number.
        what: String,
        /// Its value.
        value: f64,
    },
    /// Two things that belong together have different sizes.
    #[error("{what} has size {found}, and {expected} is needed")]
    Size {
        /// Which thing.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The size it should have.
        expected: usize,
    },
    /// The problem is too large for tables of every pair.
    #[error(
        "{size} places are too many for a table of every pair ({most} at most): describe the \
         machine as a tree (hwloc, HWLOC_SYNTHETIC, --tree) and use the algorithm multilevel"
    )]
    TooLarge {
        /// Number of places.
        size: usize,
        /// The most there may be.
        most: usize,
    },
    /// An algorithm cannot solve this problem.
    #[error("the algorithm {algorithm} {reason}")]
    Unsuitable {
        /// The algorithm.
        algorithm: &'static str,
        /// Why not, and what to use instead.
        reason: String,
    },
    /// A name is not in a table.
    #[error("there is no {what} {name:?}; there are {known}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// All there are.
        known: String,
    },
    /// There is nothing to place, or nowhere to place it.
    #[error("there is no {what} to place")]
    Nothing {
        /// What is missing.
        what: &'static str,
    },
    /// A mapping names a place twice or one that is not there.
    #[error("the mapping is none: {reason}")]
    Mapping {
        /// What is wrong.
        reason: String,
    },
}
