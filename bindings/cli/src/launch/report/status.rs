//! The running job as a document, for whoever asks the launcher.
//!
//! What: [`Status`] is the job's socket with what does not change; [`Status::handle`] makes the document of this moment if it
//! was asked for.
//! Step before: [`crate::launch::supervise`] has seen that somebody connects or asks. Step after: [`crate::status::server`] sends it.
//!
//! | a rank's state | from |
//! |---|---|
//! | exited, killed | how its process ended |
//! | aborted, starting, finalized | its word in the job's memory |
//! | stopped | `/proc/PID/stat` |
//! | waiting | the word that it sleeps on, unless a thread of its engine sleeps on that |
//!
//! Invariant: a process that has ended is not looked at: its number may be another's.

use std::fs;
use std::time::{Instant, SystemTime};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::{Pid, SysconfVar, sysconf};
use pamir_driver::job::{self, Job};

use crate::launch::balance::clocks::processor_ns;
use crate::launch::balance::seats::computing_process;
use crate::launch::nodes::Nodes;
use crate::launch::placement::Placement;
use crate::launch::process::child::End;
use crate::launch::process::start::RankProcess;
use crate::launch::request::{self, Launch};
use crate::status::document::{Counters, Document, FORMAT, JobState, Program, Rank, RankState};
use crate::status::server::{Server, ServerError, StatusEvent};

use super::signal_word;

/// The status of a running job.
#[derive(Debug)]
pub struct Status<'a> {
    /// Its socket.
    pub server: Server,
    facts: Facts<'a>,
}

/// What of a job does not change.
#[derive(Debug)]
pub struct Facts<'a> {
    /// As it was asked for.
    pub launch: &'a Launch,
    /// Where its ranks are.
    pub placement: &'a Placement,
    /// Whether a thread of its own sleeps in the place of a rank's program, by program.
    pub engine_sleeps: Vec<bool>,
    /// This machine's name.
    pub host: &'a str,
    /// When the launcher began.
    pub began: Instant,
}

/// The rest.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The ranks' processes.
    pub ranks: &'a [RankProcess],
    /// How those ended that have.
    pub ends: &'a [Option<End>],
    /// Their memory.
    pub nodes: &'a Nodes,
    /// How far the job is.
    pub state: JobState,
    /// The launcher's exit code, if it is settled.
    pub exit_code: Option<u8>,
}

impl<'a> Status<'a> {
    /// Opens the job's socket.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn open(facts: Facts<'a>) -> Result<Self, ServerError> {
        let server = Server::open()?;
        Ok(Self { server, facts })
    }

    /// Deals with what has happened at the socket.
    pub fn handle(&mut self, event: StatusEvent, moment: &Moment<'_>) {
        let facts = &self.facts;
        self.server.handle(event, || {
            // All of it is text, numbers and lists of them, for which there is a form.
            serde_json::to_vec(&facts.document(moment)).unwrap_or_default()
        });
    }
}

impl Facts<'_> {
    fn document(&self, moment: &Moment<'_>) -> Document {
        let elapsed = self.began.elapsed();
        let started = SystemTime::now().checked_sub(elapsed);
        let since = started.and_then(|started| started.duration_since(SystemTime::UNIX_EPOCH).ok());
        let directory = std::env::current_dir().unwrap_or_default();
        let limit = self.launch.timeout;
        Document {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_string(),
            job: std::process::id(),
            host: self.host.to_string(),
            directory: directory.to_string_lossy().into_owned(),
            command: words(&std::env::args_os().collect::<Vec<_>>()),
            started_unix_s: since.unwrap_or_default().as_secs(),
            elapsed_ms: elapsed.as_millis() as u64,
            time_limit_ms: limit.map(|limit| limit.as_millis() as u64),
            state: moment.state,
            exit_code: moment.exit_code,
            nodes: moment.nodes.count(),
            programs: self.launch.programs.iter().map(program).collect(),
            ranks: (0..moment.ranks.len())
                .map(|rank| self.rank(rank, moment))
                .collect(),
        }
    }

    fn rank(&self, rank: usize, moment: &Moment<'_>) -> Rank {
        let (job, started) = (moment.nodes.job_of(rank), &moment.ranks[rank]);
        let process = match moment.ends[rank] {
            None => computing_process(job, rank, started.process),
            Some(_) => started.process,
        };
        let living = moment.ends[rank].is_none().then(|| Process::of(process));
        let engine_sleeps = self.engine_sleeps.get(started.program) == Some(&true);
        let processors = || processors_of(process).or_else(|| self.bound_to(rank));
        Rank {
            rank,
            pid: process.as_raw(),
            node: moment.nodes.node_of(rank),
            program: started.program,
            state: state(job, rank, moment.ends[rank], living.as_ref(), engine_sleeps),
            processors: living.is_some().then(processors).flatten(),
            processor_time_ms: living
                .is_some()
                .then(|| processor_ns(process).map(|ns| ns / 1_000_000))
                .flatten(),
            resident_bytes: living.and_then(|living| living.resident_bytes),
            counters: counters(job, rank),
        }
    }

    fn bound_to(&self, rank: usize) -> Option<Vec<u32>> {
        self.placement.processors(rank).map(<[u32]>::to_vec)
    }
}

fn program(program: &request::Program) -> Program {
    let directory = program.directory.as_ref();
    Program {
        ranks: program.ranks,
        command: words(&program.command),
        directory: directory.map(|directory| directory.to_string_lossy().into_owned()),
    }
}

fn words(words: &[std::ffi::OsString]) -> Vec<String> {
    let text = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    words.iter().map(text).collect()
}

fn state(
    job: &Job,
    rank: usize,
    end: Option<End>,
    process: Option<&Process>,
    engine_sleeps: bool,
) -> RankState {
    let told = job.rank_state(rank);
    if let job::RankState::Aborted { code } = told {
        return RankState::Aborted { code };
    }
    match end {
        Some(End::Exited(exit_code)) => return RankState::Exited { exit_code },
        Some(End::Signalled { signal, core }) => {
            let signal_name = signal_word(signal);
            return RankState::Killed {
                signal,
                signal_name,
                core,
            };
        }
        None => {}
    }
    let sleeps = || !engine_sleeps && job.sleeps(rank).unwrap_or(false);
    match told {
        _ if process.is_some_and(|process| process.is_stopped) => RankState::Stopped,
        job::RankState::Finalized => RankState::Finalized,
        // Tasks of a client beside MPI attach to the client's memory.
        job::RankState::Absent if !job.has_clients().unwrap_or(false) => RankState::Starting,
        _ if sleeps() => RankState::Waiting,
        _ => RankState::Running,
    }
}

fn counters(job: &Job, rank: usize) -> Counters {
    let read = job.counters(rank).unwrap_or_default();
    Counters {
        interrupts: read.interrupts,
        descriptors_moved: read.descriptors_moved,
        lane_bytes_sent: read.lanes.map(|lanes| lanes.sent),
        lane_bytes_received: read.lanes.map(|lanes| lanes.received),
    }
}

/// What `/proc` says of a process.
#[derive(Debug, Default)]
struct Process {
    is_stopped: bool,
    resident_bytes: Option<u64>,
}

impl Process {
    fn of(process: Pid) -> Self {
        let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The command's name may hold spaces and brackets: fields are counted after the last ')'.
        let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut fields = after.split_whitespace();
        let is_stopped = matches!(fields.next(), Some("T" | "t"));
        let pages = fields.nth(20).and_then(|pages| pages.parse::<u64>().ok());
        let page_bytes = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
        let page_bytes = page_bytes.and_then(|bytes| u64::try_from(bytes).ok());
        Self {
            is_stopped,
            resident_bytes: pages.zip(page_bytes).map(|(pages, bytes)| pages * bytes),
        }
    }
}

/// The processors that a process may run on.
fn processors_of(process: Pid) -> Option<Vec<u32>> {
    let set = sched_getaffinity(process).ok()?;
    let has = |unit: &u32| set.is_set(*unit as usize).unwrap_or(false);
    Some((0..CpuSet::count() as u32).filter(has).collect())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use nix::sys::signal::{Signal, kill};
    use pamir_driver::job::JobSpecification;

    use super::*;

    #[test]
    fn states_are_told_apart() {
        let job = Job::create(&JobSpecification::unbound(1)).unwrap();
        let running = Process::default();
        let living = |engine_sleeps| state(&job, 0, None, Some(&running), engine_sleeps);
        assert_eq!(living(false), RankState::Starting);
        job.set_rank_state(0, job::RankState::Attached);
        assert_eq!(living(false), RankState::Running);
        let sleep = &job.block(0).unwrap().sleep;
        pamir_shm::sleep::announce(sleep);
        assert_eq!(living(false), RankState::Waiting);
        assert_eq!(living(true), RankState::Running);
        job.set_rank_state(0, job::RankState::Finalized);
        assert_eq!(living(false), RankState::Finalized);
        let ended = |end| state(&job, 0, Some(end), None, false);
        assert_eq!(ended(End::Exited(3)), RankState::Exited { exit_code: 3 });
        let killed = ended(End::Signalled {
            signal: libc::SIGSEGV,
            core: true,
        });
        assert_eq!(
            killed,
            RankState::Killed {
                signal: libc::SIGSEGV,
                signal_name: "SIGSEGV".into(),
                core: true
            }
        );
        job.set_rank_state(0, job::RankState::Aborted { code: 5 });
        assert_eq!(ended(End::Exited(5)), RankState::Aborted { code: 5 });
    }

    #[test]
    fn a_stopped_process_is_seen() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let process = Pid::from_raw(child.id() as i32);
        assert!(!Process::of(process).is_stopped);
        assert!(Process::of(process).resident_bytes.is_some());
        assert!(!processors_of(process).unwrap().is_empty());
        kill(process, Signal::SIGSTOP).unwrap();
        while !Process::of(process).is_stopped {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(processors_of(process).is_none());
        assert_eq!(Process::of(process).resident_bytes, None);
    }
}
