//! `mpiexec`: starts the ranks of a job, and stays until the last has ended.
//!
//! What: [`main`] is the whole command.
//! Why: the launcher makes the job's memory, places ranks on the machine, and is the only one that
//! knows when a rank is gone.
//!
//! ```text
//! arguments -> hosts -> placement -> program -> job memory
//!                                                              |
//!           exit code <- supervise <- guard <- start (spawn) <-+
//! ```
//!
//! Invariants: one thread, and those of bridges where there are several nodes; nothing is started before everything that can be refused was checked;
//! no process of the job outlives the launcher, however it ends.

pub mod arguments;
pub mod balance;
pub mod hosts;
pub mod input;
pub mod nodes;
pub mod output;
pub mod placement;
pub mod plan;
pub mod process;
pub mod profile;
pub mod program;
pub mod report;
pub mod request;
pub mod supervise;

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::time::Instant;

use nix::errno::Errno;
use nix::unistd::Pid;
use pamir_driver::binding::BindTo;
use pamir_driver::job::JobError;
use pamir_driver::topology::Machine;
use pamir_shm::refusal::Refusal;

use arguments::{ArgumentError, Invocation};
use balance::{BalanceError, Balancing};
use hosts::HostError;
use input::InputError;
use nodes::{NodeError, Nodes};
use output::Output;
use output::route::{self, OutputFileError};
use placement::{Placement, PlacementError};
use process::open_files::OpenFilesError;
use process::signals::Signals;
use process::start::StartError;
use profile::ProfileError;
use report::status::{Facts, Status};
use request::{Launch, Verbosity};

use crate::results::{self, PrintError};
use crate::status::folder::FolderError;
use crate::status::server::ServerError;

/// Why there is no job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The command line is wrong.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// It asks for another machine.
    #[error(transparent)]
    Hosts(#[from] HostError),
    /// Ranks cannot be placed as asked.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The job's memory cannot be made.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The job cannot be divided as asked, or its nodes cannot reach each other.
    #[error(transparent)]
    Nodes(#[from] NodeError),
    /// There are not enough descriptors.
    #[error(transparent)]
    OpenFiles(#[from] OpenFilesError),
    /// The job cannot be balanced as asked.
    #[error(transparent)]
    Balance(#[from] BalanceError),
    /// The profile cannot be begun.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A file for output cannot be written.
    #[error(transparent)]
    OutputFile(#[from] OutputFileError),
    /// Standard input cannot be passed on.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A program cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Help, the version or a plan cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
    /// The system refused what the launcher itself needs.
    #[error("cannot set up {what}: {}", Refusal(*errno))]
    System {
        /// What was asked for.
        what: &'static str,
        /// The answer.
        errno: Errno,
    },
}

impl LaunchError {
    fn exit_code(&self) -> u8 {
        match self {
            LaunchError::Arguments(_) | LaunchError::Hosts(_) => 2,
            LaunchError::Input(InputError::NoRank { .. }) => 2,
            LaunchError::Nodes(NodeError::TooMany { .. } | NodeError::Balanced) => 2,
            LaunchError::Start(error) => error.exit_code(),
            LaunchError::Placement(_)
            | LaunchError::Job(_)
            | LaunchError::OpenFiles(_)
            | LaunchError::Profile(_)
            | LaunchError::Balance(_)
            | LaunchError::Nodes(_)
            | LaunchError::Print(_)
            | LaunchError::OutputFile(_)
            | LaunchError::Input(InputError::System(_))
            | LaunchError::System { .. } => 1,
        }
    }
}

/// Runs the command with the arguments after its name; returns its exit code.
pub fn main(arguments: &[OsString]) -> u8 {
    let outcome = match arguments::parse(arguments) {
        Ok(Invocation::Help) => print(&arguments::options::help()),
        Ok(Invocation::Version) => {
            print(&format!("mpiexec (Pamir) {}\n", env!("CARGO_PKG_VERSION")))
        }
        Ok(Invocation::Run(mut launch)) => plan_or_run(&mut launch, arguments),
        Err(error) => Err(error.into()),
    };
    outcome.unwrap_or_else(|error| {
        results::complain(format_args!("mpiexec: {error}"));
        error.exit_code()
    })
}

/// Prints; the exit code.
fn print(text: &str) -> Result<u8, LaunchError> {
    results::print(text)?;
    Ok(0)
}

/// Plans where that is asked for, and starts nothing for another machine.
fn plan_or_run(launch: &mut Launch, arguments: &[OsString]) -> Result<u8, LaunchError> {
    match plan::elsewhere() {
        Some(_) if launch.dry_run => Err(plan::hand_over(plan::PLANNER, arguments).into()),
        Some(variable) if launch.bind_to != Some(BindTo::None) => {
            Err(PlacementError::OtherMachine { variable }.into())
        }
        _ => {
            placement::count_ranks(launch, Machine::from_sysfs)?;
            if launch.dry_run {
                print(&plan::of_this_machine(launch)?)
            } else {
                run(launch)
            }
        }
    }
}

/// Starts and supervises one job.
fn run(launch: &Launch) -> Result<u8, LaunchError> {
    let system = |what| move |errno| LaunchError::System { what, errno };
    let started_at = Instant::now();
    let mask = results::hold_file_size_signal().map_err(system("signals"))?;
    let host = nix::unistd::gethostname()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_else(|_| "localhost".to_string());
    hosts::check(launch, &host)?;
    let placement = Placement::of(launch)?;
    let mut variables = launch.balance.variables();
    variables.extend(profile::begin(launch)?);
    let verbose = launch.verbosity == Verbosity::Verbose;
    let mut balancing = Balancing::prepare(&launch.balance, verbose, &placement, launch.ranks())?;
    let prepared = process::start::prepare(launch, &variables)?;
    let open_files = process::open_files::raise(launch)?;
    let mut nodes = Nodes::create(launch, &placement)?;

    let signals = Signals::block(mask).map_err(system("signals"))?;
    // Processes whose rank has ended become the launcher's, so that it can see them end.
    let _ = nix::sys::prctl::set_child_subreaper(true);
    nodes.join()?;
    let mut output = Output::new().map_err(system("output"))?;
    let routes = route::open(&launch.output, launch.ranks(), &host, &mut output)?;
    if launch.verbosity > Verbosity::Quiet {
        for note in &launch.notes {
            output.say(note);
        }
    }
    if launch.verbosity > Verbosity::Quiet {
        for unknown in program::unknown_settings(launch) {
            output.say(&unknown.to_string());
        }
    }
    if verbose {
        for aside in &launch.asides {
            output.say(aside);
        }
    }
    if launch.report_bindings || launch.verbosity == Verbosity::Verbose {
        for line in placement.report() {
            output.say(&line);
        }
    }
    if verbose {
        say_what_is_missing(&prepared, &mut output);
    }
    let (input, rank_input) = input::open(launch.input, launch.ranks())?;
    let common = process::start::Common {
        ranks: launch.ranks(),
        placement: &placement,
        nodes: &nodes,
        input: &rank_input,
        signal_mask: &signals.before,
        open_files,
        routes: &routes,
    };
    let ranks = process::start::start(&prepared, &common, &mut output)?;
    drop(rank_input);
    let mut groups: Vec<Pid> = ranks.iter().map(|rank| rank.process).collect();
    if let Some(balancing) = &mut balancing {
        groups.extend(balancing.begin(nodes.job_of(0), &ranks, &signals.before, &mut output));
    }
    let status = open_status(
        launch,
        &placement,
        &prepared,
        &host,
        started_at,
        &mut output,
    );
    // Without a guard only the ranks themselves die with the launcher, which is no reason to stop.
    let socket = status.as_ref().and_then(socket_path);
    let guard = process::guard::Guard::start(&groups, socket.as_deref()).ok();
    if verbose {
        for (rank, process) in ranks.iter().enumerate() {
            let name = &prepared[process.program].name;
            output.say(&format!("rank {rank} is pid {} ({name})", process.process));
        }
    }
    let supervisor = supervise::Supervisor {
        ranks,
        programs: &prepared,
        nodes,
        output,
        input,
        signals,
        guard,
        balancing,
        deadline: launch.timeout.map(|limit| (started_at + limit, limit)),
        verbosity: launch.verbosity,
        status,
        host: &host,
    };
    Ok(supervisor.run())
}

/// The job's status socket. A job runs as well without one.
fn open_status<'a>(
    launch: &'a Launch,
    placement: &'a Placement,
    prepared: &[process::start::Prepared],
    host: &'a str,
    began: Instant,
    output: &mut Output,
) -> Option<Status<'a>> {
    let facts = Facts {
        launch,
        placement,
        engine_sleeps: prepared
            .iter()
            .map(|program| program.engine_sleeps)
            .collect(),
        host,
        began,
    };
    match Status::open(facts) {
        Ok(status) => Some(status),
        Err(ServerError::Folder(FolderError::Off)) => None,
        Err(error) => {
            if launch.verbosity == Verbosity::Verbose {
                output.say(&format!("the job has no status for `pamir jobs`: {error}"));
            }
            None
        }
    }
}

fn socket_path(status: &Status<'_>) -> Option<CString> {
    CString::new(status.server.path().as_os_str().as_bytes()).ok()
}

/// Tells before the start which functions will fail, rather than at their first call.
fn say_what_is_missing(prepared: &[process::start::Prepared], output: &mut Output) {
    for program in prepared {
        let missing = program::missing::functions(&program.file);
        if !missing.is_empty() {
            output.say(&format!(
                "{} calls what is not there yet and raises MPI_ERR_UNSUPPORTED_OPERATION: {}",
                program.name,
                missing.join(", ")
            ));
        }
    }
}
