//! Starting the ranks.
//!
//! What: [`prepare`] readies every program, [`start`] creates pipes and processes.
//! Why: everything that can be refused is refused before the first process exists.
//! Step before: [`crate::launch::placement`], [`crate::launch::program`]. Step after: [`crate::launch::supervise`].
//! Invariant: after an error no process of the job is left.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::{Pid, pipe2};
use pamir_settings::{APPNUM, ENGINE, HUGE_PAGES};
use pamir_shm::refusal::Refusal;

use super::child;
use super::spawn::{SpawnError, SpawnRequest, SpawnStep, spawn};
use crate::launch::input::{RankInput, Reads};
use crate::launch::nodes::Nodes;
use crate::launch::request::{Launch, Verbosity};

use crate::launch::output::{Output, Route};
use crate::launch::placement::Placement;
use crate::launch::program::settings::{self, SettingError};
use crate::launch::program::{self, ProgramError, library_path, shared_heap, variables};

/// A program ready to be started.
#[derive(Debug)]
pub struct Prepared {
    /// Its name, for reports.
    pub name: String,
    /// Its file, from the launcher's working directory.
    pub file: PathBuf,
    /// Whether a thread of its own sleeps in the place of the program of its ranks (`PAMIR_ENGINE`).
    pub engine_sleeps: bool,
    ranks: usize,
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    directory: Option<CString>,
}

/// A rank that runs.
#[derive(Debug)]
pub struct RankProcess {
    /// Its process, which leads a group of the same number.
    pub process: Pid,
    /// Index of its program.
    pub program: usize,
}

/// Why a job could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A program cannot be used.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A variable of Pamir's holds what it may not.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The system refused a resource.
    #[error("cannot start rank {rank}: {what}: {}", Refusal(*errno))]
    System {
        /// The rank.
        rank: usize,
        /// What was asked for.
        what: &'static str,
        /// The answer.
        errno: Errno,
    },
}

impl StartError {
    /// The launcher's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            StartError::Program(error) => error.exit_code(),
            StartError::Setting(_) | StartError::System { .. } => 1,
        }
    }
}

/// Looks up all programs and builds what they are started with; `more` are variables of the
/// launcher's own.
pub fn prepare(
    launch: &Launch,
    more: &[(OsString, OsString)],
) -> Result<Vec<Prepared>, StartError> {
    let mut prepared = Vec::with_capacity(launch.programs.len());
    let mut first = None::<Vec<(OsString, OsString)>>;
    for (number, program) in launch.programs.iter().enumerate() {
        let mut variables = program::environment(launch, program);
        // MPI_APPNUM: which of several programs this is.
        variables.push((APPNUM.name().into(), number.to_string().into()));
        variables.retain(|(name, _)| more.iter().all(|(own, _)| own != name));
        variables.extend_from_slice(more);
        if launch.small_pages {
            variables::set_value(&mut variables, HUGE_PAGES.name(), "0".into());
        }
        let verbose = launch.verbosity == Verbosity::Verbose;
        shared_heap::add(&mut variables, launch.shared_heap, verbose)
            .map_err(ProgramError::from)?;
        library_path::add(&mut variables);
        let value = |name: &str| variables::value_of(&variables, name).map(OsString::from);
        settings::check(value, launch.ranks())?;
        if let Some(first) = &first {
            let first = |name: &str| variables::value_of(first, name).map(OsString::from);
            pamir_settings::check_agreement(first, value).map_err(SettingError::from)?;
        }
        let path = program::locate(program, variables::value_of(&variables, "PATH"))?;
        prepared.push(Prepared {
            name: program.command[0].to_string_lossy().into_owned(),
            file: program.directory.clone().unwrap_or_default().join(&path),
            engine_sleeps: engine_sleeps(value(ENGINE.name()).as_deref()),
            ranks: program.ranks,
            path: program::c_string(path)?,
            arguments: program
                .command
                .iter()
                .map(program::c_string)
                .collect::<Result<_, ProgramError>>()?,
            environment: program::assignments(variables.clone())?,
            directory: program
                .directory
                .as_ref()
                .map(program::c_string)
                .transpose()?,
        });
        first.get_or_insert(variables);
    }
    Ok(prepared)
}

/// Whether a thread of its own sleeps in the place of a program with this `PAMIR_ENGINE`.
fn engine_sleeps(engine: Option<&OsStr>) -> bool {
    !matches!(ENGINE.value_of(engine), "service" | "none")
}

/// What all ranks of a job are started with.
#[derive(Debug)]
pub struct Common<'a> {
    /// Ranks of the job.
    pub ranks: usize,
    /// Where each rank goes.
    pub placement: &'a Placement,
    /// The job's memory, on each of its nodes.
    pub nodes: &'a Nodes,
    /// What each rank reads.
    pub input: &'a RankInput,
    /// The signal mask of the ranks.
    pub signal_mask: &'a SigSet,
    /// The soft limit of open files that ranks get back, when the launcher raised its own.
    pub open_files: Option<u64>,
    /// Where each rank's output goes.
    pub routes: &'a [Route],
}

/// Starts all ranks; their output is added to `output`.
pub fn start(
    prepared: &[Prepared],
    common: &Common<'_>,
    output: &mut Output,
) -> Result<Vec<RankProcess>, StartError> {
    let mut started: Vec<RankProcess> = Vec::with_capacity(common.ranks);
    let outcome = start_each(prepared, common, output, &mut started);
    if let Err(error) = outcome {
        for rank in &started {
            // Killed by group, so that what they started goes with them.
            let _ = kill(Pid::from_raw(-rank.process.as_raw()), Signal::SIGKILL);
            child::reap(rank.process);
        }
        return Err(error);
    }
    Ok(started)
}

fn start_each(
    prepared: &[Prepared],
    common: &Common<'_>,
    output: &mut Output,
    started: &mut Vec<RankProcess>,
) -> Result<(), StartError> {
    let size = common.ranks;
    let nothing = File::open("/dev/null").map_err(|error| StartError::System {
        rank: 0,
        what: "/dev/null",
        errno: Errno::from_raw(error.raw_os_error().unwrap_or(0)),
    })?;
    let launcher = Pid::this().as_raw();
    let spare = common.placement.spare_processors();
    for (index, program) in prepared.iter().enumerate() {
        let shared = program.environment.len();
        let mut environment = program.environment.clone();
        for _ in 0..program.ranks {
            let rank = started.len();
            let system = |what| move |errno| StartError::System { rank, what, errno };
            environment.truncate(shared);
            let job = common.nodes.job_of(rank).file_descriptor();
            let local = common.nodes.place(rank);
            let variables = program::rank_variables(rank, size, local, job.as_raw_fd(), launcher);
            environment.extend(variables);
            environment.extend(program::spare_variable(&spare[rank]));
            let processors = common.placement.processors(rank).map(processor_mask);
            let (output_read, output_write) = pipe().map_err(system("a pipe"))?;
            let (error_read, error_write) = pipe().map_err(system("a pipe"))?;
            let input = match common.input.of(rank) {
                Reads::Own => None,
                Reads::Pipe(pipe) => Some(pipe),
                Reads::Nothing => Some(nothing.as_fd()),
            };
            let request = SpawnRequest {
                program: &program.path,
                arguments: &program.arguments,
                environment: &environment,
                directory: program.directory.as_deref(),
                standard: [input, Some(output_write.as_fd()), Some(error_write.as_fd())],
                inherited: Some(job),
                processors: processors.as_deref(),
                open_files: common.open_files,
                signal_mask: common.signal_mask,
            };
            let process =
                spawn_or_interpret(&request).map_err(|error| explain(error, rank, program))?;
            started.push(RankProcess {
                process,
                program: index,
            });
            output.add(common.routes[rank].clone(), output_read, error_read);
        }
    }
    Ok(())
}

/// Starts the program, or hands it to the shell when it is a script without a first line.
fn spawn_or_interpret(request: &SpawnRequest<'_>) -> Result<Pid, SpawnError> {
    match spawn(request) {
        Err(SpawnError {
            step: SpawnStep::Execute,
            errno: Errno::ENOEXEC,
        }) => {
            let mut arguments = vec![c"sh".to_owned(), request.program.to_owned()];
            arguments.extend_from_slice(&request.arguments[1..]);
            spawn(&SpawnRequest {
                program: c"/bin/sh",
                arguments: &arguments,
                ..*request
            })
        }
        outcome => outcome,
    }
}

fn explain(error: SpawnError, rank: usize, program: &Prepared) -> StartError {
    let path = || program.path.to_string_lossy().into_owned();
    let reason = error.errno.desc().to_string();
    match error.step {
        SpawnStep::Execute if error.errno == Errno::ENOENT => {
            // The file was there a moment ago: what its first line names is missing.
            let reason = "its interpreter (first line, or dynamic loader) is missing".to_string();
            ProgramError::NotExecutable {
                path: path(),
                reason,
            }
            .into()
        }
        SpawnStep::Execute => ProgramError::NotExecutable {
            path: path(),
            reason,
        }
        .into(),
        SpawnStep::Directory => {
            let path = program
                .directory
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned());
            ProgramError::Directory {
                path: path.unwrap_or_default(),
                reason,
            }
            .into()
        }
        SpawnStep::Process => StartError::System {
            rank,
            what: "a process",
            errno: error.errno,
        },
        SpawnStep::Descriptors => StartError::System {
            rank,
            what: "its descriptors",
            errno: error.errno,
        },
    }
}

/// A pipe whose reading end does not block.
pub(in crate::launch) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
    fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok((reader, writer))
}

/// The kernel's form of a set of processors: a bit for each, as long as the highest needs.
pub(in crate::launch) fn processor_mask(processors: &[u32]) -> Vec<libc::c_ulong> {
    let bits = libc::c_ulong::BITS as usize;
    let words = processors
        .iter()
        .max()
        .map_or(0, |highest| *highest as usize / bits + 1);
    let mut mask = vec![0; words];
    for processor in processors {
        mask[*processor as usize / bits] |= 1 << (*processor as usize % bits);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_the_engine_is_known_by_the_variable() {
        let sleeps = |text: &str| engine_sleeps(Some(text.as_ref()));
        assert!(sleeps("thread") && sleeps("node"));
        assert!(!sleeps("none") && !sleeps("service") && !engine_sleeps(None));
    }

    #[test]
    fn masks_are_as_long_as_the_highest_processor_needs() {
        assert_eq!(processor_mask(&[0, 2]), [0b101]);
        assert_eq!(processor_mask(&[64]), [0, 1]);
        assert_eq!(processor_mask(&[1500]).len(), 24);
    }
}
