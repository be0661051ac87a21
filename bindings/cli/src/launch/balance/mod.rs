//! Balancing jobs that know nothing of it: `--balance`, `--balance-record`, `--fill-idle`.
//!
//! What: [`Balancing`] looks at the job now and then, from the launcher's loop. Ranks announce
//! their synchronisations in the job's memory; the launcher adds what they computed, moves ranks
//! between cores, records the cycles, and lets a second program run while ranks wait.
//!
//! ```text
//!           job's memory ─▶ gathering ─▶ cycles ─┬─▶ recorder ─▶ FILE
//! tick ─▶ look                                   ├─▶ window ─▶ share controller ─▶ seats
//!           ranks' ends, others' load, priorities ─▶ occasions ─▶┘
//!           processes' clocks ───────────────────┘         dead time, punctuality ─▶ filler
//! ```
//!
//! Why the launcher: it has the job's memory and may bind every rank, and it has time.
//! Step before: [`super::process::start`]. Step after: [`super::supervise`] asks when to look again.
//!
//! Invariants: what the kernel refuses is said once and costs nothing but itself; no decision
//! depends on anything but what was seen, which the record keeps; nothing here waits.

pub mod clocks;
pub mod filler;
pub mod occasions;
pub mod priority;
pub mod recorder;
pub mod seats;
pub mod window;

use std::time::{Duration, Instant};

use nix::sys::signal::SigSet;
use nix::unistd::Pid;
use pamir_driver::job::Job;
use pamir_transport::balance::history::Arrival;
use pamir_transport::balance::record::{Call, Deed};
use pamir_transport::balance::share::controller::{Decision, Settings, ShareController, Window};
use pamir_transport::balance::spare::dead_time::DeadTime;
use pamir_transport::balance::spare::gathering::Gathering;
use pamir_transport::balance::spare::punctuality::Punctuality;

use super::output::Output;
use super::placement::{Placement, Places};
use super::process::child;
use super::process::start::RankProcess;
use super::request::balance::{FillBy, Request};
use filler::Filler;
use occasions::{Occasion, Occasions};
use recorder::{Recorder, RecorderError};
use seats::{Seats, computing_process};
use window::OpenWindow;

/// Between two looks at most, and at least.
const TICKS_NS: (u64, u64) = (2_000_000, 20_000_000);

/// Why the job is not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalanceError {
    /// Ranks are not where they could be moved from.
    #[error(
        "--balance moves ranks between cores, and this job's are not each bound to one: leave --bind-to at core (the default), or use hwthread"
    )]
    NotBound,
    /// The record cannot be written.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
}

/// What is done for a job while it runs.
#[derive(Debug)]
pub struct Balancing {
    says: bool,
    fill: Option<(String, FillBy)>,
    recorder: Option<Recorder>,
    seats: Option<Seats>,
    sharing: Option<ShareController>,
    gathering: Gathering,
    dead_time: DeadTime,
    punctuality: Punctuality,
    filler: Option<Filler>,
    window: OpenWindow,
    occasions: Occasions,
    cycles: u64,
    /// Whether a cycle was seen that everybody ended.
    synchronizes: bool,
    moves: u64,
    /// Load balance of the first window and of the last.
    balance: Option<(f64, f64)>,
    next_ns: u64,
}

impl Balancing {
    /// Readies what is asked for; nothing if nothing is.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] if it cannot be done.
    pub fn prepare(
        request: &Request,
        verbose: bool,
        placement: &Placement,
        ranks: usize,
    ) -> Result<Option<Self>, BalanceError> {
        if !request.is_any() {
            return Ok(None);
        }
        let places = placement.places();
        if request.balance && places.is_none() {
            return Err(BalanceError::NotBound);
        }
        let sharing = places.as_ref().filter(|_| request.balance).map(controller);
        let recorder = request.record.as_ref();
        let recorder = recorder
            .map(|path| Recorder::begin(path, ranks))
            .transpose()?;
        Ok(Some(Self {
            says: request.report || verbose,
            fill: request.fill.clone().zip(Some(request.fill_by)),
            recorder,
            seats: places.map(Seats::new),
            sharing,
            gathering: Gathering::new(ranks),
            dead_time: DeadTime::default(),
            punctuality: Punctuality::default(),
            filler: None,
            window: OpenWindow::begin(&[], 0),
            occasions: Occasions::default(),
            cycles: 0,
            synchronizes: false,
            moves: 0,
            balance: None,
            next_ns: 0,
        }))
    }

    /// The ranks run: begins to measure, and starts the second program. Returns its group, if any.
    pub fn begin(
        &mut self,
        job: &Job,
        ranks: &[RankProcess],
        mask: &SigSet,
        output: &mut Output,
    ) -> Option<Pid> {
        self.reopen(job, ranks);
        if self.says
            && let (Some(_), Some(seats)) = (&self.sharing, &self.seats)
            && ranks.len() <= seats.cores()
        {
            output.say(&format!(
                "balance: each rank has a core of its own, so no share can be moved: start more ranks than the {} cores (-n, --cpu-set), or let the program divide its work by pamir_partition_create (man pamir.h)",
                seats.cores()
            ));
        }
        let (command, by) = self.fill.take()?;
        let units = self.seats.as_ref().map(Seats::all_units);
        match Filler::start(&command, by, units.as_deref(), mask, output) {
            Ok(filler) => self.filler = Some(filler),
            Err(error) => output.say(&error.to_string()),
        }
        self.filler.as_ref().map(Filler::process)
    }

    /// When to look again.
    pub fn due(&self) -> Instant {
        let wait_ns = self.next_ns.saturating_sub(clocks::monotonic_ns());
        Instant::now() + Duration::from_nanos(wait_ns)
    }

    /// Looks at the job, if that is due, and acts.
    pub fn look(&mut self, job: &Job, ranks: &[RankProcess], output: &mut Output) {
        let now_ns = clocks::monotonic_ns();
        if now_ns < self.next_ns {
            return;
        }
        self.gather(job, output);
        self.seize_occasions(job, ranks, now_ns, output);
        self.decide(job, ranks, now_ns, output);
        let (least_ns, most_ns) = TICKS_NS;
        let tick_ns = match self.window.last_cycle_ns() {
            0 => most_ns,
            cycle_ns => (cycle_ns / 2).clamp(least_ns, most_ns),
        };
        let trusted = self.punctuality.is_trusted();
        let change_ns = self.filler.as_mut();
        let change_ns =
            change_ns.and_then(|filler| filler.attend(&self.dead_time, trusted, now_ns));
        let change_ns = change_ns.filter(|at| *at > now_ns).unwrap_or(u64::MAX);
        self.next_ns = change_ns.min(now_ns + tick_ns);
    }

    /// The launcher is stopped, or the job ends: the second program stops with it.
    pub fn pause(&mut self) {
        if let Some(filler) = &mut self.filler {
            filler.stop();
        }
    }

    /// The job has ended: what came of it. Returns the second program's group, which outlasts its
    /// leader until that is reaped.
    pub fn end(&mut self, job: &Job, output: &mut Output) -> Option<Pid> {
        self.gather(job, output);
        let outcome = self.recorder.as_mut().map_or(Ok(()), Recorder::flush);
        say_failure(outcome, output);
        if self.says {
            output.say(&self.summary());
        }
        self.filler.as_ref().map(Filler::process)
    }

    fn summary(&self) -> String {
        let mut text = format!("balance: {} cycles seen, {} moves", self.cycles, self.moves);
        if let Some((first, last)) = self.balance {
            text += &format!(", load balance {first:.3} at first and {last:.3} at last");
        }
        if let Some(filler) = &self.filler {
            text += &filler.summary(self.punctuality.late_ns());
        }
        text
    }

    /// Reads what ranks have announced, and takes in the cycles that are complete.
    fn gather(&mut self, job: &Job, output: &mut Output) {
        for member in 0..job.ranks() {
            let place = self.seats.as_ref().and_then(|seats| seats.place(member));
            let Ok(record) = job.call_record(member) else {
                continue;
            };
            for seen in record.calls() {
                let arrival = Arrival {
                    member,
                    started_ns: seen.started_ns,
                    arrived_ns: seen.arrived_ns,
                    load: 1,
                };
                let call = Call {
                    arrival,
                    // More than has passed would be another clock's.
                    busy_ns: seen.load.min(arrival.busy_ns()),
                    place,
                };
                self.gathering.note((seen.id.group, seen.id.cycle), call);
            }
        }
        for calls in self.gathering.complete() {
            self.cycles += 1;
            self.synchronizes = true;
            self.window.add(&calls);
            self.dead_time.learn(&calls);
            self.punctuality.learn(&calls);
            if let Some(recorder) = &mut self.recorder {
                say_failure(recorder.cycle(self.cycles, calls), output);
            }
        }
    }

    /// Levels because of what has changed besides the work.
    fn seize_occasions(
        &mut self,
        job: &Job,
        ranks: &[RankProcess],
        now_ns: u64,
        output: &mut Output,
    ) {
        if self.sharing.is_none() || !self.occasions.is_due(now_ns) {
            return;
        }
        let gone = |rank: usize| child::peek(ranks[rank].process).is_some();
        for rank in self.occasions.ended(ranks.len(), gone) {
            self.release(rank, job, ranks, output);
        }
        let processes = processes(job, ranks);
        let mut changes = self.occasions.priorities(&processes);
        match (&self.filler, &self.seats) {
            // What it runs is not to be told from what others run.
            (Some(filler), _) if !filler.has_ended() => {}
            (Some(_), _) => changes.extend(self.occasions.filler_ended()),
            (None, Some(seats)) => {
                let others = seats.seated();
                let others = others.map(|cores| self.occasions.others(&processes, cores, now_ns));
                changes.extend(others.unwrap_or_default());
            }
            (None, None) => {}
        }
        for change in changes {
            if let Some(sharing) = &mut self.sharing {
                sharing.encourage();
            }
            self.say(&change.to_string(), output);
        }
    }

    /// A rank has ended, and others have not: they get what it leaves.
    fn release(&mut self, rank: usize, job: &Job, ranks: &[RankProcess], output: &mut Output) {
        let Some(mut sharing) = self.sharing.take() else {
            return;
        };
        if let Some(Err(error)) = self.seats.as_mut().map(|seats| seats.leave(rank, job)) {
            output.say(&format!("balance: {error}"));
        }
        let text = Occasion::RankEnded(rank).to_string();
        let decision = sharing.release(rank);
        if decision.changes() {
            self.act(decision, &text, &sharing, job, ranks, output);
            self.reopen(job, ranks);
        } else {
            self.say(&text, output);
        }
        self.sharing = Some(sharing);
    }

    /// Closes the window if it is over, and moves ranks where that promises to help.
    fn decide(&mut self, job: &Job, ranks: &[RankProcess], now_ns: u64, output: &mut Output) {
        let processes = processes(job, ranks);
        let Some(window) = self.window.close(&processes, now_ns) else {
            return;
        };
        self.record_period(&window, now_ns, output);
        if let Some(mut sharing) = self.sharing.take() {
            let balance = sharing.balance(&window);
            let decision = sharing.decide(&window);
            if decision != Decision::Unknown {
                let first = self.balance.map_or(balance, |(first, _)| first);
                self.balance = Some((first, balance));
            }
            let text = format!("load balance {balance:.3}");
            self.act(decision, &text, &sharing, job, ranks, output);
            self.sharing = Some(sharing);
        }
        self.reopen(job, ranks);
    }

    /// Of a job that never synchronises, a period is recorded as if it were a cycle: what each rank
    /// computed is known, and nobody waited for anybody.
    fn record_period(&mut self, window: &Window, now_ns: u64, output: &mut Output) {
        if window.cycles.is_some() || self.synchronizes {
            return;
        }
        let call = |(member, busy_ns): (usize, &u64)| Call {
            arrival: Arrival {
                member,
                started_ns: now_ns.saturating_sub(window.wall_ns),
                arrived_ns: now_ns,
                load: 1,
            },
            busy_ns: *busy_ns,
            place: self.seats.as_ref().and_then(|seats| seats.place(member)),
        };
        let calls = window.work_ns.iter().enumerate().map(call).collect();
        self.cycles += 1;
        if let Some(recorder) = &mut self.recorder {
            say_failure(recorder.cycle(self.cycles, calls), output);
            let text = "no synchronisation was seen: this is a period of time".to_string();
            say_failure(recorder.deed(self.cycles, &Deed::Said(text)), output);
        }
    }

    /// Carries a decision out, and says so.
    fn act(
        &mut self,
        decision: Decision,
        text: &str,
        sharing: &ShareController,
        job: &Job,
        ranks: &[RankProcess],
        output: &mut Output,
    ) {
        let Some(seats) = &mut self.seats else {
            return;
        };
        if decision == Decision::Confirmed {
            self.say(&format!("{text}: the last change stays"), output);
            return;
        }
        if !decision.changes() {
            return;
        }
        let before: Vec<_> = (0..ranks.len()).map(|rank| seats.place(rank)).collect();
        let outcome = seats.take(&sharing.seating(), sharing.work(), job, ranks);
        self.occasions.forget();
        let after: Vec<_> = (0..ranks.len()).map(|rank| seats.place(rank)).collect();
        let names = |place: Option<usize>| place.map(|core| seats.name(core));
        let mut moves = Vec::new();
        let changed = before.iter().zip(&after).enumerate();
        for (rank, (from, to)) in changed.filter(|(_, (from, to))| from != to) {
            moves.push(moved(rank, names(*from), names(*to)));
            let deed = Deed::Sat {
                rank,
                from: *from,
                to: *to,
            };
            if let Some(recorder) = &mut self.recorder {
                say_failure(recorder.deed(self.cycles, &deed), output);
            }
        }
        self.moves += moves.len() as u64;
        let priorities = if seats.has_priorities() {
            ", with priorities by their work"
        } else {
            ""
        };
        let why = match decision {
            Decision::Roams => {
                format!("no seating is even, so ranks may run everywhere{priorities}")
            }
            Decision::TakenBack => format!("the last change did not help: {}", moves.join(", ")),
            _ => moves.join(", "),
        };
        if let Err(error) = outcome {
            output.say(&format!("balance: {error}"));
        }
        self.say(&format!("{text}: {why}"), output);
    }

    /// Says what was decided, where that is asked for, and records it.
    fn say(&mut self, text: &str, output: &mut Output) {
        if self.says {
            output.say(&format!("balance: after cycle {}: {text}", self.cycles));
        }
        if let Some(recorder) = &mut self.recorder {
            let deed = Deed::Said(text.to_string());
            say_failure(recorder.deed(self.cycles, &deed), output);
        }
    }

    fn reopen(&mut self, job: &Job, ranks: &[RankProcess]) {
        let processes = processes(job, ranks);
        self.window = OpenWindow::begin(&processes, self.window.last_cycle_ns());
    }
}

/// The controller of a job's seats; roaming and moving need more ranks than cores.
fn controller(places: &Places) -> ShareController {
    let cores = places.units.len();
    ShareController::new(Settings::default(), places.seats.clone(), cores)
}

fn processes(job: &Job, ranks: &[RankProcess]) -> Vec<Pid> {
    let ranks = ranks.iter().enumerate();
    ranks
        .map(|(rank, process)| computing_process(job, rank, process.process))
        .collect()
}

fn moved(rank: usize, from: Option<u32>, to: Option<u32>) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!("rank {rank} goes from processor {from} to {to}"),
        (None, Some(to)) => format!("rank {rank} keeps to processor {to}"),
        (_, None) => format!("rank {rank} may run everywhere"),
    }
}

fn say_failure(outcome: Result<(), RecorderError>, output: &mut Output) {
    if let Err(error) = outcome {
        output.say_loss(&error.to_string());
    }
}
