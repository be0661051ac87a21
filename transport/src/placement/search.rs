//! A search for a mapping: its limits, its progress, and the best answer so far.
//!
//! What: [`solve`] runs an algorithm on a problem. The algorithm asks the [`Search`] before each
//! step whether it may go on, and offers what it finds; the search keeps the best, so that there
//! is an answer at any time. Why the true cost is computed for every offer: gains are differences
//! that were updated millions of times, and of a wrong one nobody shall ever hear.
//!
//! Step before: [`super::problem`]. Step after: an algorithm of [`super::algorithm`].
//! Invariants: the answer never costs more than the default order (process i on place i), with
//! which every search begins; its cost is the true one; without a time limit, the same seed gives
//! the same answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use super::random::Random;
use super::{Mapping, PlacementError, Problem};

/// Steps between two looks at the clock.
const STEPS_A_LOOK: u64 = 64;

/// What a time limit is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The time that somebody waits.
    Wall,
    /// The processor's time that this thread has used: repeatable where others use the processor
    /// too.
    Processor,
}

impl Clock {
    /// The time since some moment in the past; nothing where the system does not tell.
    fn now(self) -> Duration {
        let clock = match self {
            Clock::Wall => ClockId::CLOCK_MONOTONIC,
            Clock::Processor => ClockId::CLOCK_THREAD_CPUTIME_ID,
        };
        clock_gettime(clock).map_or(Duration::ZERO, Duration::from)
    }
}

/// When a search ends, whichever comes first, and the seed of its random numbers.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time, by `clock`.
    pub time: Option<Duration>,
    /// The clock that measures `time`.
    pub clock: Clock,
    /// Swaps and other steps.
    pub steps: Option<u64>,
    /// Mappings to start from.
    pub starts: Option<u64>,
    /// A cost that is good enough.
    pub target: Option<f64>,
    /// Set by another thread when nobody wants to wait any longer: the best answer so far counts.
    pub stop: Option<&'static AtomicBool>,
    /// Seed.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: Some(Duration::from_secs(10)),
            clock: Clock::Wall,
            steps: None,
            starts: None,
            target: None,
            stop: None,
            seed: 1,
        }
    }
}

/// What a search has reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The best cost so far.
    pub cost: f64,
    /// Steps so far.
    pub steps: u64,
    /// Mappings started from.
    pub starts: u64,
    /// Time so far.
    pub elapsed: Duration,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The best mapping.
    pub mapping: Mapping,
    /// Its true cost.
    pub cost: f64,
    /// The true cost of the default order.
    pub cost_before: f64,
    /// How far the search went; `elapsed` is when it ended.
    pub progress: Progress,
}

/// A running search.
pub struct Search<'s> {
    problem: &'s Problem,
    limits: Limits,
    report: &'s mut dyn FnMut(&Progress),
    /// The random numbers of the algorithm.
    pub random: Random,
    begin: Duration,
    steps: u64,
    starts: u64,
    over: bool,
    best: Vec<u32>,
    best_cost: f64,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        problem: &'s Problem,
        limits: Limits,
        report: &'s mut dyn FnMut(&Progress),
    ) -> Self {
        let best = Mapping::identity(problem.size()).places().to_vec();
        let best_cost = problem.cost_of(&best);
        Search {
            problem,
            limits,
            report,
            random: Random::new(limits.seed),
            begin: limits.clock.now(),
            steps: 0,
            starts: 0,
            over: limits.target.is_some_and(|target| best_cost <= target),
            best,
            best_cost,
        }
    }

    /// Counts a step; false when the search is over.
    pub fn step(&mut self) -> bool {
        self.steps += 1;
        self.over |= self.limits.steps.is_some_and(|most| self.steps > most);
        if self.steps.is_multiple_of(STEPS_A_LOOK) {
            self.look();
        }
        !self.over
    }

    /// Counts a mapping to start from, which is a step too; false when the search is over.
    pub fn start(&mut self) -> bool {
        self.step();
        self.over |= self.limits.starts.is_some_and(|most| self.starts >= most);
        self.look();
        self.starts += u64::from(!self.over);
        !self.over
    }

    /// Whether the search is over, by the clock or otherwise; for steps that take long.
    pub fn look(&mut self) -> bool {
        let stop = self.limits.stop;
        // Relaxed: nothing else is read because of it.
        self.over |= stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let time = self.limits.time;
        self.over |= time.is_some_and(|most| self.elapsed() >= most);
        self.over
    }

    /// The part of its time that is used up, from 0 to 1; none without a time limit.
    pub fn used(&self) -> Option<f64> {
        let most = self.limits.time?.as_secs_f64();
        Some((self.elapsed().as_secs_f64() / most.max(1e-9)).min(1.0))
    }

    /// Whether anything but the algorithm ends the search.
    pub fn is_limited(&self) -> bool {
        let limits = &self.limits;
        limits.time.is_some() || limits.steps.is_some() || limits.starts.is_some()
    }

    /// The best cost so far.
    pub fn best_cost(&self) -> f64 {
        self.best_cost
    }

    /// The best places so far.
    pub fn best(&self) -> &[u32] {
        &self.best
    }

    /// Offers a mapping with the cost it is believed to have. Takes it, and says so, if its true
    /// cost is below all before.
    pub fn offer(&mut self, places: &[u32], believed_cost: f64) -> bool {
        if believed_cost >= self.best_cost {
            return false;
        }
        let cost = self.problem.cost_of(places);
        if cost >= self.best_cost {
            return false;
        }
        self.best_cost = cost;
        self.best.clear();
        self.best.extend_from_slice(places);
        self.over |= self.limits.target.is_some_and(|target| cost <= target);
        let progress = self.progress();
        (self.report)(&progress);
        true
    }

    /// Time since the begin, by the clock of the limits.
    fn elapsed(&self) -> Duration {
        self.limits.clock.now().saturating_sub(self.begin)
    }

    fn progress(&self) -> Progress {
        Progress {
            cost: self.best_cost,
            steps: self.steps,
            starts: self.starts,
            elapsed: self.elapsed(),
        }
    }
}

/// A way to look for mappings.
pub trait Algorithm: Sync {
    /// The name it is asked for by.
    fn name(&self) -> &'static str;

    /// What it does, in a few words.
    fn about(&self) -> &'static str;

    /// Searches until the search is over or nothing is left to try, offering what it finds.
    fn search(&self, problem: &Problem, search: &mut Search) -> Result<(), PlacementError>;
}

/// Looks for a good mapping; `report` hears of every better one.
pub fn solve(
    problem: &Problem,
    algorithm: &dyn Algorithm,
    limits: Limits,
    report: &mut dyn FnMut(&Progress),
) -> Result<Solution, PlacementError> {
    let mut search = Search::new(problem, limits, report);
    let cost_before = search.best_cost;
    if !search.over {
        algorithm.search(problem, &mut search)?;
    }
    Ok(Solution {
        cost: search.best_cost,
        cost_before,
        progress: search.progress(),
        mapping: Mapping::new(search.best)?,
    })
}
