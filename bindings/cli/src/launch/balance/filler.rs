//! `mpiexec --fill-idle COMMAND`: a second program in the time that ranks wait.
//!
//! What: starts the command through the shell, in a process group and in the scheduler's idle
//! class, and keeps it out of the ranks' way.
//! Why two ways: a rank that waits long sleeps, so the kernel can see by itself where the program
//! may run, from the first to the last microsecond, and most kernels take a core back from the idle
//! class at once. One that takes as long as a tick makes ranks late
//! ([`pamir_transport::balance::spare::punctuality`]); then the program is stopped and continued around
//! the gaps that [`pamir_transport::balance::spare::dead_time`] foresees, and is gone when they end.
//! Why it stays in the launcher's session: between sessions the kernel's automatic groups share
//! cores evenly, whatever the class.
//! Step before: [`super::Balancing`] looked at the job. Step after: the end of the job, which ends
//! it.
//!
//! | state | by | becomes |
//! |---|---|---|
//! | free | gaps are to be kept, and one is known or none is to be expected | stopped or running, as the gap says |
//! | running | its gap closes, the launcher is stopped | stopped |
//! | stopped | its gap opens; no synchronisation is seen for long; the kernel is trusted (again) | running, free |
//! | any | it ends, the job ends | gone |
//!
//! Invariant: nothing of its process group is left when the launcher ends.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::AsFd;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use pamir_shm::refusal::Refusal;
use pamir_transport::balance::spare::dead_time::DeadTime;

use super::priority;
use crate::launch::output::Output;
use crate::launch::process::child;
use crate::launch::process::spawn::{SpawnError, SpawnRequest, spawn};
use crate::launch::process::start::{self, processor_mask};
use crate::launch::program::{self, ProgramError};
use crate::launch::request::balance::FillBy;

/// Without a synchronisation for so many times the last cycle, gaps are not believed any more.
const PATIENCE: u64 = 4;

/// Why there is no second program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FillerError {
    /// Its command or environment cannot be handed over.
    #[error("--fill-idle: {0}")]
    Command(#[from] ProgramError),
    /// It cannot be started.
    #[error("--fill-idle: /bin/sh cannot be started: {0}")]
    Start(#[from] SpawnError),
    /// The system refused something it needs.
    #[error("--fill-idle: {}", Refusal(*.0))]
    System(#[from] nix::errno::Errno),
    /// There is no null device.
    #[error("--fill-idle: /dev/null: {0}")]
    Nothing(#[from] std::io::Error),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Running,
    Stopped,
    Gone,
}

/// The second program.
#[derive(Debug)]
pub struct Filler {
    process: Pid,
    by: FillBy,
    state: State,
    gaps: u64,
}

impl Filler {
    /// Starts the command on these processors (any, if none are given); its output is added to
    /// `output`.
    ///
    /// # Errors
    ///
    /// [`FillerError`] if it cannot be started.
    pub fn start(
        command: &str,
        by: FillBy,
        units: Option<&[u32]>,
        mask: &SigSet,
        output: &mut Output,
    ) -> Result<Self, FillerError> {
        let environment = program::assignments(std::env::vars_os().collect())?;
        let arguments = ["sh", "-c", command].map(program::c_string);
        let arguments = arguments.into_iter().collect::<Result<Vec<CString>, _>>()?;
        let processors = units.map(processor_mask);
        let (output_read, output_write) = start::pipe()?;
        let (error_read, error_write) = start::pipe()?;
        let nothing = File::open("/dev/null")?;
        let process = spawn(&SpawnRequest {
            program: c"/bin/sh",
            arguments: &arguments,
            environment: &environment,
            directory: None,
            standard: [
                Some(nothing.as_fd()),
                Some(output_write.as_fd()),
                Some(error_write.as_fd()),
            ],
            inherited: None,
            processors: processors.as_deref(),
            open_files: None,
            signal_mask: mask,
        })?;
        // The shell has just begun to load: what it starts inherits this.
        if let Err(errno) = priority::make_idle(process) {
            let _ = kill(Pid::from_raw(-process.as_raw()), Signal::SIGKILL);
            child::reap(process);
            return Err(errno.into());
        }
        output.add(output.own_route(), output_read, error_read);
        Ok(Self {
            process,
            by,
            state: State::Free,
            gaps: 0,
        })
    }

    /// The process, which leads a group of the same number.
    pub fn process(&self) -> Pid {
        self.process
    }

    /// How it ran, where ranks went on late by `late_ns`.
    pub fn summary(&self, late_ns: u64) -> String {
        match self.gaps {
            0 if self.by != FillBy::Gaps => format!(
                "; the second program ran in the idle class, and ranks went on {} us after the last call",
                late_ns / 1000
            ),
            gaps => format!("; the second program ran in {gaps} gaps"),
        }
    }

    /// Stops or continues it, as the time is; returns when to look again, on the same clock.
    /// `trusted` is whether ranks go on in time although it runs.
    pub fn attend(&mut self, dead_time: &DeadTime, trusted: bool, now_ns: u64) -> Option<u64> {
        if self.state != State::Gone && child::peek(self.process).is_some() {
            self.state = State::Gone;
        }
        let (wanted, next) = match self.by.keeps_gaps(trusted) {
            true => plan(dead_time, now_ns),
            false => (State::Free, None),
        };
        if self.state == State::Gone {
            return None;
        }
        if wanted != self.state {
            let stopped = self.state == State::Stopped;
            self.gaps += u64::from(wanted == State::Running);
            match wanted {
                State::Stopped => self.signal(Signal::SIGSTOP),
                _ if stopped => self.signal(Signal::SIGCONT),
                _ => {}
            }
            self.state = wanted;
        }
        next
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.state == State::Gone
    }

    /// The launcher is stopped, or the job ends: it stops at once.
    pub fn stop(&mut self) {
        if self.state != State::Gone {
            self.signal(Signal::SIGSTOP);
            self.state = State::Stopped;
        }
    }

    fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(-self.process.as_raw()), signal);
    }
}

/// What the program should be at a time, and when that changes.
fn plan(dead_time: &DeadTime, now_ns: u64) -> (State, Option<u64>) {
    let Some(expected) = dead_time.expected() else {
        return (State::Free, None);
    };
    let patience_ns = expected.last_ns.saturating_mul(PATIENCE);
    let given_up_ns = expected.released_ns.saturating_add(patience_ns);
    if now_ns >= given_up_ns {
        return (State::Free, None);
    }
    match dead_time.gap() {
        Some(gap) if now_ns < gap.opens_ns => (State::Stopped, Some(gap.opens_ns)),
        Some(gap) if gap.contains(now_ns) => (State::Running, Some(gap.closes_ns)),
        _ => (State::Stopped, Some(given_up_ns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_transport::balance::history::Arrival;
    use pamir_transport::balance::record::Call;

    const MS: u64 = 1_000_000;

    fn learn(dead_time: &mut DeadTime, start_ms: u64, times_ms: [u64; 2]) {
        let call = |member: usize| Call {
            arrival: Arrival {
                member,
                started_ns: start_ms * MS,
                arrived_ns: (start_ms + times_ms[member]) * MS,
                load: 1,
            },
            busy_ns: 1,
            place: Some(member),
        };
        dead_time.learn(&[call(0), call(1)]);
    }

    #[test]
    fn it_runs_in_gaps_only_once_these_are_known() {
        let mut dead_time = DeadTime::default();
        assert_eq!(plan(&dead_time, 5 * MS), (State::Free, None));
        learn(&mut dead_time, 0, [100, 40]);
        learn(&mut dead_time, 100, [100, 40]);
        let gap = dead_time.gap().unwrap();
        let at = |ms: u64| plan(&dead_time, ms * MS);
        assert_eq!(at(210), (State::Stopped, Some(gap.opens_ns)));
        assert_eq!(at(250), (State::Running, Some(gap.closes_ns)));
        assert_eq!(at(299), (State::Stopped, Some(600 * MS)));
        assert_eq!(at(600), (State::Free, None));
    }

    #[test]
    fn the_kernel_keeps_it_out_of_the_way_unless_ranks_go_on_late() {
        let by = |text: &str| text.parse::<FillBy>().unwrap();
        let kept = |text| [true, false].map(|trusted| by(text).keeps_gaps(trusted));
        assert_eq!(kept("auto"), [false, true]);
        assert_eq!(kept("class"), [false, false]);
        assert_eq!(kept("gaps"), [true, true]);
        assert!("gap".parse::<FillBy>().unwrap_err().contains("`gap`"));
    }

    #[test]
    fn it_stays_stopped_where_no_gap_is_to_be_expected() {
        let mut dead_time = DeadTime::default();
        learn(&mut dead_time, 0, [100, 100]);
        learn(&mut dead_time, 100, [100, 100]);
        assert_eq!(plan(&dead_time, 250 * MS).0, State::Stopped);
    }
}
