//! Supervising a running job: one loop, in one thread.
//!
//! What: [`Supervisor::run`] forwards output, input and signals until the job has ended, and says
//! how it did.
//! Why: a job ends as a whole: when one rank fails, the others would wait for it for ever.
//! Step before: [`super::process::start`]. Step after: the launcher's exit code.
//!
//! ```text
//! running --a rank fails, time is up--> ending --grace over--> killed
//!    |                                    |                      |
//!    +------------- every rank ended -----+----------------------+--> closing --> done
//! ```
//!
//! Invariants: ranks stay unreaped until `closing`, so their groups' numbers stay theirs; every
//! wait of the loop has an end, except the wait of a job that went well for the reader of its output:
//! after a failure, a signal or the time limit (`Hurry`) a reader that takes nothing for the
//! grace loses the rest.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::{Signal, kill, raise};
use nix::sys::time::TimeSpec;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use pamir_driver::memory::cache_portion;

use super::balance::Balancing;
use super::input::{Input, InputEvent};
use super::nodes::Nodes;
use super::output::{Output, OutputEvent};
use super::process::child::{self, End};
use super::process::guard::Guard;
use super::process::signals::Signals;
use super::process::start::{Prepared, RankProcess};
use super::report::status::{Moment, Status};
use super::report::{self, Failure};
use super::request::Verbosity;
use crate::status::document::JobState;
use crate::status::server::StatusEvent;

/// Between asking ranks to end and killing them.
const GRACE: Duration = Duration::from_secs(1);

/// How long killed processes may take to be gone, on a machine where much else runs.
const GONE_WITHIN: Duration = Duration::from_secs(2);
/// How often leftovers of an ended job are looked for within the grace.
const LEFTOVER_INTERVAL: Duration = Duration::from_millis(5);
/// The exit code when output of a job that went well could not be written.
const OUTPUT_EXIT_CODE: u8 = 1;
/// The exit code when nodes have lost each other.
const NETWORK_EXIT_CODE: u8 = 1;
/// The exit code after `--timeout`, that of timeout(1).
const TIMEOUT_EXIT_CODE: u8 = 124;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Running,
    Ending {
        kill_at: Instant,
    },
    Killed,
    Closing {
        give_up_at: Instant,
    },
    /// Nothing of the job is left, but output that its reader has not taken.
    Emptying,
}

/// Why the launcher no longer waits as long as its readers like.
#[derive(Debug, Clone, Copy)]
struct Hurry {
    since: Instant,
    /// The exit code if output is lost by it, and the job itself has none.
    exit_code: u8,
}

/// A job that runs.
pub struct Supervisor<'a> {
    /// Its ranks.
    pub ranks: Vec<RankProcess>,
    /// Their programs.
    pub programs: &'a [Prepared],
    /// Their memory, on each node.
    pub nodes: Nodes,
    /// Their output.
    pub output: Output,
    /// Standard input, where the launcher passes it on.
    pub input: Option<Input>,
    /// The launcher's signals.
    pub signals: Signals,
    /// Who cleans up when the launcher is killed.
    pub guard: Option<Guard>,
    /// What is done about early and late ranks.
    pub balancing: Option<Balancing>,
    /// When time is up.
    pub deadline: Option<(Instant, Duration)>,
    /// How much is said.
    pub verbosity: Verbosity,
    /// Where others ask how the job is.
    pub status: Option<Status<'a>>,
    /// This machine's name.
    pub host: &'a str,
}

/// What the loop keeps beside the job.
struct Progress {
    ends: Vec<Option<End>>,
    phase: Phase,
    exit_code: Option<u8>,
    interrupts: usize,
    hurry: Option<Hurry>,
    leftovers: Vec<Pid>,
}

impl Progress {
    fn hurry(&mut self, exit_code: u8) {
        let since = Instant::now();
        self.hurry.get_or_insert(Hurry { since, exit_code });
    }
}

#[derive(Clone, Copy)]
enum Source {
    Signals,
    Input(InputEvent),
    Output(OutputEvent),
    Network,
    Status(StatusEvent),
}

impl Supervisor<'_> {
    /// Runs until the job has ended; returns the launcher's exit code.
    pub fn run(mut self) -> u8 {
        let mut progress = Progress {
            ends: vec![None; self.ranks.len()],
            phase: Phase::Running,
            exit_code: None,
            interrupts: 0,
            hurry: None,
            leftovers: Vec::new(),
        };
        while !self.is_done(&mut progress) {
            self.step(&mut progress);
        }
        self.output.finish();
        progress.phase = Phase::Emptying;
        while self.output.is_waiting() && !self.gives_up_readers(&progress) {
            self.step(&mut progress);
        }
        self.end(&mut progress)
    }

    /// Waits once, and deals with what has happened.
    fn step(&mut self, progress: &mut Progress) {
        for source in self.wait(progress) {
            match source {
                Source::Signals => self.read_signals(progress),
                Source::Output(event) => self.output.handle(event),
                Source::Network => self.read_failure(progress),
                Source::Status(event) => self.tell_status(event, progress),
                Source::Input(event) => {
                    if let Some(input) = &mut self.input {
                        input.handle(event);
                    }
                }
            }
        }
        self.keep_time(progress);
    }

    /// Nothing is left to wait for: the exit code.
    fn end(&mut self, progress: &mut Progress) -> u8 {
        if self.output.is_waiting() {
            self.output.give_up();
            let code = progress.hurry.map(|hurry| hurry.exit_code);
            progress.exit_code = progress.exit_code.or(code);
        }
        self.output.close();
        let lost = self.output.is_lost().then_some(OUTPUT_EXIT_CODE);
        progress.exit_code.or(lost).unwrap_or(0)
    }

    /// Whether output is no longer kept for readers that do not take it.
    fn gives_up_readers(&self, progress: &Progress) -> bool {
        let due = self.readers_due(progress);
        progress.interrupts > 1 || due.is_some_and(|due| Instant::now() >= due)
    }

    /// When readers that take nothing are given up, if they are.
    fn readers_due(&self, progress: &Progress) -> Option<Instant> {
        let since = progress.hurry?.since;
        // A slow reader is one that takes something.
        Some(self.output.taken_at()?.max(since) + GRACE)
    }

    /// Sleeps until something happens or is due.
    fn wait(&self, progress: &Progress) -> Vec<Source> {
        let mut sources = vec![Source::Signals];
        let mut descriptors = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        for (event, descriptor) in self.output.descriptors() {
            sources.push(Source::Output(event));
            let flags = match event {
                OutputEvent::Readable(_) => PollFlags::POLLIN,
                OutputEvent::Writable(_) => PollFlags::POLLOUT,
            };
            descriptors.push(PollFd::new(descriptor, flags));
        }
        for (event, descriptor, flags) in self.input.iter().flat_map(Input::descriptors) {
            sources.push(Source::Input(event));
            descriptors.push(PollFd::new(descriptor, flags));
        }
        if let Some(failures) = self.nodes.failures() {
            sources.push(Source::Network);
            descriptors.push(PollFd::new(failures.as_fd(), PollFlags::POLLIN));
        }
        let status = self.status.iter();
        for (event, descriptor, flags) in status.flat_map(|status| status.server.descriptors()) {
            sources.push(Source::Status(event));
            descriptors.push(PollFd::new(descriptor, flags));
        }
        let timeout = self.time_left(progress).map(TimeSpec::from_duration);
        match ppoll(&mut descriptors, timeout, None) {
            Ok(0) | Err(_) => return Vec::new(),
            Ok(_) => {}
        }
        let ready = |descriptor: &PollFd<'_>| {
            descriptor
                .revents()
                .is_some_and(|events| !events.is_empty())
        };
        let pairs = sources.into_iter().zip(&descriptors);
        pairs
            .filter(|(_, descriptor)| ready(descriptor))
            .map(|(source, _)| source)
            .collect()
    }

    /// Until something is due, if anything is: to the nanosecond, as a second program is stopped then.
    fn time_left(&self, progress: &Progress) -> Option<Duration> {
        let now = Instant::now();
        let mut next = self.output.prompt_due();
        let mut consider = |at: Option<Instant>| next = [next, at].into_iter().flatten().min();
        consider(self.status.as_ref().and_then(|status| status.server.due()));
        match progress.phase {
            Phase::Running => {
                consider(self.deadline.map(|(at, _)| at));
                consider(self.balancing.as_ref().map(Balancing::due));
            }
            Phase::Ending { kill_at } => consider(Some(kill_at)),
            Phase::Killed => {}
            Phase::Closing { give_up_at } => {
                consider(Some(give_up_at.max(now + LEFTOVER_INTERVAL)));
                consider(self.reader_deadline(progress));
                if !progress.leftovers.is_empty() {
                    consider(Some(now + LEFTOVER_INTERVAL));
                }
            }
            Phase::Emptying => {
                consider(self.readers_due(progress));
                consider(self.reader_deadline(progress));
            }
        }
        if self.input.as_ref().is_some_and(Input::awaits_terminal) {
            // Nothing tells when the launcher comes to the terminal's front.
            consider(Some(now + Duration::from_secs(1)));
        }
        next.map(|next| next.saturating_duration_since(now))
    }

    /// When time is up for the readers of a job that has ended, if it is not yet.
    fn reader_deadline(&self, progress: &Progress) -> Option<Instant> {
        let (at, _) = self.deadline?;
        let waits = progress.hurry.is_none() && self.output.is_waiting();
        waits.then_some(at)
    }

    fn read_signals(&mut self, progress: &mut Progress) {
        while let Some(signal) = self.signals.next() {
            match signal {
                Signal::SIGCHLD => self.collect_ends(progress),
                Signal::SIGTSTP => self.stop_and_continue(progress),
                signal => self.forward(signal, progress),
            }
        }
    }

    /// Goes on with the exchange with somebody who asks how the job is.
    fn tell_status(&mut self, event: StatusEvent, progress: &Progress) {
        let moment = Moment {
            ranks: &self.ranks,
            ends: &progress.ends,
            nodes: &self.nodes,
            state: match progress.phase {
                Phase::Running => JobState::Running,
                Phase::Ending { .. } | Phase::Killed => JobState::Ending,
                Phase::Closing { .. } | Phase::Emptying => JobState::Closing,
            },
            exit_code: progress.exit_code,
        };
        if let Some(status) = &mut self.status {
            status.handle(event, &moment);
        }
    }

    /// The nodes can no longer reach each other: the job cannot go on.
    fn read_failure(&mut self, progress: &mut Progress) {
        let failure = self.nodes.failures().and_then(|failures| failures.take());
        if let Some(error) = failure
            && progress.phase == Phase::Running
        {
            progress.exit_code = Some(NETWORK_EXIT_CODE);
            progress.hurry(NETWORK_EXIT_CODE);
            if self.verbosity > Verbosity::Quiet {
                self.output.say(&format!("{error}; ending the job"));
            }
            self.end_all(progress);
        }
    }

    /// Looks which ranks have ended, and acts on the first failure.
    fn collect_ends(&mut self, progress: &mut Progress) {
        let mut failed: Option<(Failure, usize)> = None;
        for (rank, process) in self.ranks.iter().enumerate() {
            if progress.ends[rank].is_some() {
                continue;
            }
            let Some(end) = child::peek(process.process) else {
                continue;
            };
            progress.ends[rank] = Some(end);
            let Some(failure) = Failure::of(end, self.nodes.job_of(rank).rank_state(rank)) else {
                continue;
            };
            if failed.is_none_or(|(known, _)| failure.rank_of_blame() < known.rank_of_blame()) {
                failed = Some((failure, rank));
            }
        }
        if let Some((failure, rank)) = failed
            && progress.phase == Phase::Running
        {
            progress.exit_code = Some(failure.exit_code());
            progress.hurry(failure.exit_code());
            // What the rank wrote last comes before what is said about it.
            self.output.drain();
            self.report(rank, &failure, progress);
            self.end_all(progress);
        }
    }

    fn report(&mut self, rank: usize, failure: &Failure, progress: &Progress) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        let process = &self.ranks[rank];
        let running = progress.ends.iter().filter(|end| end.is_none()).count();
        let others = match running {
            0 => String::new(),
            _ => format!("; ending the other {}", report::other_ranks(running)),
        };
        self.output.say(&format!(
            "rank {rank} of {} on {} (pid {}, {}) {}{others}",
            self.ranks.len(),
            self.host,
            process.process,
            self.programs[process.program].name,
            failure.describe(),
        ));
    }

    /// Asks every running rank to end; after the grace they are killed.
    fn end_all(&mut self, progress: &mut Progress) {
        if let Some(balancing) = &mut self.balancing {
            balancing.pause();
        }
        self.signal_running(Signal::SIGTERM, progress);
        self.signal_running(Signal::SIGCONT, progress);
        progress.phase = Phase::Ending {
            kill_at: Instant::now() + GRACE,
        };
    }

    fn signal_running(&self, signal: Signal, progress: &Progress) {
        for (process, end) in self.ranks.iter().zip(&progress.ends) {
            if end.is_none() {
                // The group: what a rank started goes with it.
                let _ = kill(Pid::from_raw(-process.process.as_raw()), signal);
            }
        }
    }

    fn forward(&mut self, signal: Signal, progress: &mut Progress) {
        let ends_jobs = matches!(signal, Signal::SIGINT | Signal::SIGTERM | Signal::SIGQUIT);
        progress.interrupts += usize::from(ends_jobs);
        if ends_jobs || signal == Signal::SIGHUP {
            progress.hurry(128 + signal as u8);
        }
        if ends_jobs && progress.interrupts > 1 {
            self.signal_running(Signal::SIGKILL, progress);
            return;
        }
        let running = progress.ends.iter().filter(|end| end.is_none()).count();
        if ends_jobs && running > 0 && self.verbosity > Verbosity::Quiet {
            self.output.say(&format!(
                "{signal} goes to {}; a second one kills",
                report::ranks(running)
            ));
        }
        self.signal_running(signal, progress);
    }

    /// The terminal's stop key: ranks are in groups of their own and would run on.
    fn stop_and_continue(&mut self, progress: &Progress) {
        if let Some(balancing) = &mut self.balancing {
            balancing.pause();
        }
        self.signal_running(Signal::SIGTSTP, progress);
        // Returns when somebody continues the launcher.
        let _ = raise(Signal::SIGSTOP);
        self.signal_running(Signal::SIGCONT, progress);
    }

    /// Does what is due by time.
    fn keep_time(&mut self, progress: &mut Progress) {
        let now = Instant::now();
        self.output.show_prompts(now);
        if let Some(status) = &mut self.status {
            status.server.tidy(now);
        }
        match progress.phase {
            Phase::Running => {
                if let Some(balancing) = &mut self.balancing {
                    balancing.look(self.nodes.job_of(0), &self.ranks, &mut self.output);
                }
                if let Some((at, limit)) = self.deadline
                    && now >= at
                {
                    progress.exit_code = Some(TIMEOUT_EXIT_CODE);
                    progress.hurry(TIMEOUT_EXIT_CODE);
                    let running = progress.ends.iter().filter(|end| end.is_none()).count();
                    if self.verbosity > Verbosity::Quiet {
                        self.output.say(&format!(
                            "time is up after {} s; ending {}",
                            limit.as_secs_f64(),
                            report::ranks(running)
                        ));
                    }
                    self.end_all(progress);
                }
            }
            Phase::Ending { kill_at } if now >= kill_at => {
                self.signal_running(Signal::SIGKILL, progress);
                progress.phase = Phase::Killed;
            }
            Phase::Closing { .. } | Phase::Emptying
                if self.reader_deadline(progress).is_some_and(|at| now >= at) =>
            {
                progress.hurry(TIMEOUT_EXIT_CODE);
            }
            _ => {}
        }
    }

    /// Whether nothing of the job is left; turns to closing when its last rank has ended.
    fn is_done(&mut self, progress: &mut Progress) -> bool {
        if progress.ends.iter().any(Option::is_none) {
            return false;
        }
        let now = Instant::now();
        if !matches!(progress.phase, Phase::Closing { .. }) {
            self.close(progress);
            progress.phase = Phase::Closing {
                give_up_at: now + GRACE,
            };
        }
        forget_ended(&mut progress.leftovers);
        if !self.output.is_open() && progress.leftovers.is_empty() {
            return true;
        }
        let Phase::Closing { give_up_at } = progress.phase else {
            return false;
        };
        let waits = self.output.is_waiting() && !self.gives_up_readers(progress);
        if now < give_up_at || waits {
            return false;
        }
        kill_groups(&mut progress.leftovers);
        // A process that left its group may hold the pipes for ever; what it wrote so far counts.
        self.output.drain();
        true
    }

    /// Every rank has ended: reaps them and asks what they left running to end.
    fn close(&mut self, progress: &mut Progress) {
        if let Some(guard) = self.guard.take() {
            guard.dismiss();
        }
        self.input = None;
        let balancing = self.balancing.as_mut();
        let job = self.nodes.job_of(0);
        let second = balancing.and_then(|balancing| balancing.end(job, &mut self.output));
        self.nodes.part();
        self.ranks.iter().for_each(|rank| child::reap(rank.process));
        // A killed rank cannot have given its part of the cache back.
        if let Ok(place) = cache_portion::place() {
            cache_portion::remove_abandoned(&place);
        }
        let leaders = self.ranks.iter().map(|rank| rank.process).chain(second);
        for leader in leaders {
            let group = Pid::from_raw(-leader.as_raw());
            if kill(group, Signal::SIGTERM).is_ok() {
                let _ = kill(group, Signal::SIGCONT);
                progress.leftovers.push(group);
            }
        }
        if self.verbosity == Verbosity::Verbose && progress.exit_code.is_none() {
            let count = report::ranks(self.ranks.len());
            self.output.say(&format!("{count} ended well"));
        }
    }
}

/// Kills the groups and waits until they are gone, so that nothing of a job outlives its launcher;
/// not for ever, since a process may be held in the kernel.
fn kill_groups(groups: &mut Vec<Pid>) {
    for group in groups.iter() {
        let _ = kill(*group, Signal::SIGKILL);
    }
    let give_up_at = Instant::now() + GONE_WITHIN;
    loop {
        forget_ended(groups);
        if groups.is_empty() || Instant::now() >= give_up_at {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Leaves the groups of which a process is left.
fn forget_ended(groups: &mut Vec<Pid>) {
    reap_orphans();
    groups.retain(|group| kill(*group, None).is_ok());
}

/// Removes processes whose parents, ranks, have ended before them.
fn reap_orphans() {
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        if status == WaitStatus::StillAlive {
            break;
        }
    }
}
