//! A job as the command line describes it: plain data.
//!
//! Before: [`super::arguments`] reads the command line into it. After: hosts, placement, programs and processes each read
//! what concerns them.
//! Invariant: a [`Launch`] that was parsed has at least one program, each with at least one rank and a command.

pub mod balance;
pub mod layout;
pub mod nodes;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use pamir_driver::binding::{BindTo, MapBy};
use pamir_driver::bridge::network::Network;
use pamir_driver::job::layout::MAXIMUM_RANKS;

use super::input::InputTo;
use super::output::route;
use layout::Layout;
use nodes::NodesRequest;

/// A job as the command line describes it.
#[derive(Debug, Default, PartialEq)]
pub struct Launch {
    /// The programs in rank order.
    pub programs: Vec<Program>,
    /// Binding, when given.
    pub bind_to: Option<BindTo>,
    /// Mapping, when given.
    pub map_by: Option<MapBy>,
    /// A file that says where each rank goes.
    pub mapping: Option<PathBuf>,
    /// How ranks lie, beyond these.
    pub layout: Layout,
    /// A file for what the ranks send to each other.
    pub profile: Option<PathBuf>,
    /// Iterations that the profile has apart.
    pub profile_iterations: Option<String>,
    /// Whether the ranks' large allocations come from memory that their peers can map.
    pub shared_heap: bool,
    /// Whether no buffers of large messages are put into huge pages.
    pub small_pages: bool,
    /// What is done while ranks run early and late.
    pub balance: balance::Request,
    /// Print the bindings.
    pub report_bindings: bool,
    /// Print the plan, and start nothing.
    pub dry_run: bool,
    /// Refuse more ranks than cores.
    pub refuse_oversubscription: bool,
    /// Where the ranks' output goes, and what its lines begin with.
    pub output: route::Request,
    /// Who reads standard input.
    pub input: InputTo,
    /// End the job after this time.
    pub timeout: Option<Duration>,
    /// Ranks a node, when given.
    pub ranks_per_node: Option<usize>,
    /// How many groups of ranks that share no memory there are, and who is in which.
    pub nodes: NodesRequest,
    /// What such groups are joined by.
    pub network: Option<Network>,
    /// Hosts which were named.
    pub hosts: Vec<String>,
    /// Files of hosts which were named.
    pub host_files: Vec<PathBuf>,
    /// Environment of every program.
    pub environment: EnvironmentRequest,
    /// How much the launcher says.
    pub verbosity: Verbosity,
    /// Sentences about what was accepted and not used.
    pub notes: Vec<String>,
    /// Such sentences that only matter to who asks.
    pub asides: Vec<String>,
}

/// Ranks that can be planned for some machine: Linux has no more processes (`PID_MAX_LIMIT`).
pub const MOST_PLANNED_RANKS: usize = 1 << 22;

/// What `-n` takes, as a refusal says it.
pub const RANKS: &str = "a whole number from 1 to 1024 (with --dry-run to 4194304)";
const _: () = assert!(MAXIMUM_RANKS == 1024 && MOST_PLANNED_RANKS == 4_194_304);

impl Launch {
    /// Ranks of all programs together.
    pub fn ranks(&self) -> usize {
        self.programs.iter().map(|program| program.ranks).sum()
    }

    /// Most ranks that it may have: those of a job, or of a plan.
    pub fn most_ranks(&self) -> usize {
        if self.dry_run {
            MOST_PLANNED_RANKS
        } else {
            MAXIMUM_RANKS
        }
    }
}

/// One program of the job.
#[derive(Debug, Default, PartialEq)]
pub struct Program {
    /// How many ranks it has.
    pub ranks: usize,
    /// Whether the command line gave the number.
    pub counted: bool,
    /// Where they start.
    pub directory: Option<PathBuf>,
    /// Its own environment, applied after that of every program.
    pub environment: EnvironmentRequest,
    /// Its name and arguments.
    pub command: Vec<OsString>,
}

/// What of mpiexec's environment is passed on, and what is set besides.
#[derive(Debug, Default, PartialEq, Clone)]
pub struct EnvironmentRequest {
    /// What is inherited; `None` leaves it to the more general request, or everything.
    pub inherited: Option<Inherited>,
    /// Variables to set, in order.
    pub set: Vec<(OsString, OsString)>,
}

/// The part of the environment that is inherited.
#[derive(Debug, PartialEq, Clone)]
pub enum Inherited {
    /// Everything.
    All,
    /// Only these names; an empty list is nothing.
    Only(Vec<OsString>),
}

/// How much the launcher says on standard error.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy, PartialOrd)]
pub enum Verbosity {
    /// Only what keeps a job from starting.
    Quiet,
    /// Failures and notes.
    #[default]
    Normal,
    /// Every step.
    Verbose,
}
