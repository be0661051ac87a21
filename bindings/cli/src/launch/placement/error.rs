//! Why ranks cannot be placed.
//!
//! Before: policies, files or the machine do not fit each other. After: one sentence on standard error; nothing was started.

use std::path::PathBuf;

use pamir_driver::binding::{BindingError, list_of_units};
use pamir_driver::topology::TopologyError;
use pamir_transport::placement;

use super::rank_file;

/// Why ranks cannot be placed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// The policies do not fit the machine.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// The machine cannot be read, and the command line asks for a binding.
    #[error("{0}; --bind-to none starts ranks without binding them")]
    Machine(#[from] TopologyError),
    /// None of the listed processors may be used.
    #[error(
        "--cpu-set: none of these processors is one that this process may use; it may use {}",
        list_of_units(allowed)
    )]
    NoProcessor {
        /// Those that it may use.
        allowed: Vec<u32>,
    },
    /// The mapping file cannot be read.
    #[error("--map-by file: {0}")]
    Mapping(#[from] placement::PlacementError),
    /// The mapping file is for another number of ranks.
    #[error(
        "--map-by file: {path} places {mapped} ranks, and the job has {ranks}: start as many, or make a mapping for {ranks} with pamir place"
    )]
    MappedRanks {
        /// The file.
        path: PathBuf,
        /// Ranks in it.
        mapped: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// The rankfile cannot be followed.
    #[error(transparent)]
    RankFile(#[from] rank_file::RankFileError),
    /// Several cores a rank, and an object.
    #[error(
        "a rank cannot be bound to several cores of its own (PE=N, --cpus-per-rank) and to an object around them: leave out one of the two, or use --bind-to core:N"
    )]
    WidthAndObject,
    /// A variable of hwloc names another machine.
    #[error(
        "{variable} describes another machine, to which ranks cannot be bound: --dry-run shows the plan for it, --bind-to none starts ranks without binding them; or unset it"
    )]
    OtherMachine {
        /// The variable.
        variable: &'static str,
    },
    /// The program that plans for another machine is not there.
    #[error("{path} is missing, which plans for other machines: install Pamir again")]
    NoPlanner {
        /// Where it should be.
        path: PathBuf,
    },
    /// The program that plans for another machine cannot be run.
    #[error("cannot run {path}, which plans for other machines: {source}")]
    Planner {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
