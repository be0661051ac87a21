//! Why nothing was placed.
//!
//! Before: arguments, files or the machine do not serve. After: one sentence on standard error, and exit code 1.

use std::path::PathBuf;

use pamir_driver::binding::BindingError;
use pamir_driver::topology::TopologyError;
use pamir_transport::placement::PlacementError;

use crate::results;

/// Why nothing was placed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Graphs, files, algorithms.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The machine cannot be read.
    #[error(transparent)]
    Machine(#[from] TopologyError),
    /// A thread could not be bound.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// Signals cannot be waited for.
    #[error("cannot watch for an interruption: {}", .0.desc())]
    Signals(#[from] nix::errno::Errno),
    /// Nothing to place was named.
    #[error(
        "nothing to place: name a profile (mpiexec --profile-comm FILE writes one), or use \
         --trace, --qaplib or --measure"
    )]
    NoProfile,
    /// A machine with fewer than two units cannot be measured.
    #[error("there is only one processing unit to use, and nothing to measure")]
    OneUnit,
    /// A file cannot be written.
    #[error("cannot write {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Standard output cannot be written.
    #[error(transparent)]
    Print(#[from] results::PrintError),
    /// The option needs another one, or another machine.
    #[error("{0}")]
    Usage(String),
}
