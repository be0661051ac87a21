//! When to seat the ranks again: worth its moves, taken back where it did not help, and settling.
//!
//! Before: a window of time has passed, and the work of each rank in it is known. After: the
//! launcher binds the ranks that got another seat.
//!
//! | state | upon a window | becomes | and |
//! |---|---|---|---|
//! | settled | even enough, or no seating gains enough | settled | caution goes down |
//! | settled | a packing gains | trying | ranks move |
//! | settled | no packing is even | trying | ranks roam over all cores |
//! | roaming | a packing is even again | trying | ranks get seats |
//! | trying | a part of the gain has come, and it is not slower | settled or roaming | the move stays |
//! | trying | else | settled or roaming, as before | the move is taken back, caution doubles |
//!
//! *Caution* is the gain that a seating must promise. Work that changes faster than windows pass
//! promises gains that never come; so caution rises until nothing moves, and comes down slowly.
//!
//! Ranks roam where work cannot be divided, as with three equal ranks on two cores: the kernel
//! then gives each of them two thirds of a core, with shares by [`super::priority`].
//!
//! Invariants: what is decided depends on the windows alone; every rank has a seat always, which
//! is where it goes back to when it has roamed.

use super::packing::{self, Seats};

/// How a controller decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// From which load balance (average/maximum of the cores' work) on nothing is done.
    pub enough: f64,
    /// By which share the fullest core must get emptier for ranks to move.
    pub least_gain: f64,
    /// Below which load balance of the best seating ranks roam.
    pub roam_below: f64,
    /// Down to which share of the speed before a move may slow the job, as others disturb it too.
    pub tolerated_speed: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enough: 0.97,
            least_gain: 0.03,
            roam_below: 0.88,
            tolerated_speed: 0.8,
        }
    }
}

/// What happened in some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// How long it lasted, in nanoseconds.
    pub wall_ns: u64,
    /// Processor time of each rank, in nanoseconds.
    pub work_ns: Vec<u64>,
    /// How many cycles ended in it, if that is known.
    pub cycles: Option<u64>,
}

impl Window {
    fn speed(&self) -> Speed {
        let wall_ns = self.wall_ns.max(1) as f64;
        match self.cycles {
            Some(cycles) => Speed::Cycles(cycles as f64 / wall_ns),
            None => Speed::Work(self.work_ns.iter().sum::<u64>() as f64 / wall_ns),
        }
    }
}

/// How fast a job was.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Speed {
    /// Cycles in a nanosecond.
    Cycles(f64),
    /// Processor time in a nanosecond.
    Work(f64),
}

impl Speed {
    /// Whether it is at least this share of another; what cannot be compared is not slower.
    fn is_at_least(self, share: f64, other: Self) -> bool {
        match (self, other) {
            (Self::Cycles(one), Self::Cycles(other)) | (Self::Work(one), Self::Work(other)) => {
                one >= other * share
            }
            _ => true,
        }
    }
}

/// Where the ranks may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seating {
    /// Each on its core.
    Seated(Seats),
    /// Each on all cores.
    Roaming,
}

/// What to do after a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing: it is even enough.
    Even,
    /// Nothing: no other seating gains enough.
    NoGain,
    /// Nothing: a rank has not computed yet, or nobody has.
    Unknown,
    /// The last move stays.
    Confirmed,
    /// Ranks get other seats.
    Moved,
    /// Ranks may run everywhere.
    Roams,
    /// The last move is undone.
    TakenBack,
}

impl Decision {
    /// Whether ranks are to be bound anew.
    pub fn changes(self) -> bool {
        matches!(self, Self::Moved | Self::Roams | Self::TakenBack)
    }
}

/// How it was before a move that is being tried.
#[derive(Clone, Debug)]
struct Before {
    seating: Seating,
    balance: f64,
    promised: f64,
    speed: Speed,
}

/// The controller of a job's seats.
#[derive(Clone, Debug)]
pub struct ShareController {
    settings: Settings,
    cores: usize,
    /// Each rank's part of all work, smoothed over windows; empty before the first.
    work: Vec<f64>,
    seats: Seats,
    roaming: bool,
    trying: Option<Before>,
    caution: f64,
}

/// How much of what was known a window leaves.
const MEMORY: f64 = 0.5;

/// What is left of caution after a quiet window, but never less than the least gain.
const CALM: f64 = 0.97;

/// Whose work is less than this part of the most is not counted as computing.
const COMPUTING: f64 = 0.1;

/// Which part of the gain that a seating promised has to come, at least.
const REALISED: f64 = 0.25;

impl ShareController {
    /// A controller of ranks with these seats on `cores` cores.
    pub fn new(settings: Settings, seats: Seats, cores: usize) -> Self {
        Self {
            settings,
            cores,
            work: Vec::new(),
            seats,
            roaming: false,
            trying: None,
            caution: settings.least_gain,
        }
    }

    /// The core of each rank, whether it roams at present or not.
    pub fn seats(&self) -> &[usize] {
        &self.seats
    }

    /// Where the ranks may run now.
    pub fn seating(&self) -> Seating {
        if self.roaming {
            Seating::Roaming
        } else {
            Seating::Seated(self.seats.clone())
        }
    }

    /// Each rank's part of all work, as far as it is known.
    pub fn work(&self) -> &[f64] {
        &self.work
    }

    /// Load balance of a window: average over maximum of the cores' work; of ranks that roam, how
    /// much of the cores they used.
    pub fn balance(&self, window: &Window) -> f64 {
        let work: Vec<f64> = window.work_ns.iter().map(|ns| *ns as f64).collect();
        if self.roaming {
            let all = self.cores as f64 * window.wall_ns.max(1) as f64;
            return (work.iter().sum::<f64>() / all).min(1.0);
        }
        packing::balance(&packing::loads(&work, &self.seats, self.cores))
    }

    /// Decides after a window.
    pub fn decide(&mut self, window: &Window) -> Decision {
        let sum: u64 = window.work_ns.iter().sum();
        if sum == 0 || window.work_ns.len() != self.seats.len() {
            return Decision::Unknown;
        }
        self.smooth(window, sum);
        if let Some(before) = self.trying.take() {
            return self.judge(before, window);
        }
        self.caution = (self.caution * CALM).max(self.settings.least_gain);
        self.look_for_better(window)
    }

    /// Something has changed besides the work: what did not help before may help now.
    pub fn encourage(&mut self) {
        self.caution = self.settings.least_gain;
    }

    /// A rank has ended: those that are left are seated anew at once, by what is known of them.
    /// There is nothing to judge that by, as the job is another one now.
    pub fn release(&mut self, rank: usize) -> Decision {
        if rank >= self.work.len() {
            return Decision::Unknown;
        }
        self.encourage();
        self.trying = None;
        self.work[rank] = 0.0;
        let sum: f64 = self.work.iter().sum();
        if sum <= 0.0 {
            return Decision::Unknown;
        }
        self.work.iter_mut().for_each(|work| *work /= sum);
        let seats = packing::pack(&self.work, &self.seats, self.cores);
        let packed = packing::balance(&packing::loads(&self.work, &seats, self.cores));
        let now = packing::balance(&packing::loads(&self.work, &self.seats, self.cores));
        if packed <= 0.0 || 1.0 - now / packed < self.caution {
            return Decision::NoGain;
        }
        self.take(Seating::Seated(seats));
        Decision::Moved
    }

    /// Takes a window into what is known of the work.
    fn smooth(&mut self, window: &Window, sum: u64) {
        let part = window.work_ns.iter().map(|ns| *ns as f64 / sum as f64);
        if self.work.is_empty() {
            self.work = part.collect();
            return;
        }
        for (known, part) in self.work.iter_mut().zip(part) {
            *known = *known * MEMORY + part * (1.0 - MEMORY);
        }
    }

    /// Keeps the move that was tried, or takes it back.
    fn judge(&mut self, before: Before, window: &Window) -> Decision {
        // Roaming is judged by speed alone, what its balance means is another thing; and strictly,
        // as it is a last resort.
        let comparable = !self.roaming && matches!(before.seating, Seating::Seated(_));
        let gain = (before.promised - before.balance).max(0.0);
        let uneven = comparable && self.balance(window) < before.balance + gain * REALISED;
        let least = if self.roaming {
            1.0
        } else {
            self.settings.tolerated_speed
        };
        if !uneven && window.speed().is_at_least(least, before.speed) {
            return Decision::Confirmed;
        }
        self.caution = (self.caution * 2.0).min(1.0);
        self.take(before.seating);
        Decision::TakenBack
    }

    fn take(&mut self, seating: Seating) {
        match seating {
            Seating::Seated(seats) => {
                self.seats = seats;
                self.roaming = false;
            }
            Seating::Roaming => self.roaming = true,
        }
    }

    fn look_for_better(&mut self, window: &Window) -> Decision {
        let balance = self.balance(window);
        let seats = packing::pack(&self.work, &self.seats, self.cores);
        let packed = packing::balance(&packing::loads(&self.work, &seats, self.cores));
        let now = packing::balance(&packing::loads(&self.work, &self.seats, self.cores));
        let decision = if self.roaming {
            if packed < self.settings.enough || self.is_cautious() {
                return Decision::NoGain;
            }
            Decision::Moved
        } else if balance >= self.settings.enough {
            return Decision::Even;
        } else if packed < self.settings.roam_below && self.may_roam() {
            Decision::Roams
        } else if 1.0 - now / packed >= self.caution {
            Decision::Moved
        } else {
            return Decision::NoGain;
        };
        self.trying = Some(Before {
            seating: self.seating(),
            balance,
            promised: packed,
            speed: window.speed(),
        });
        self.take(if decision == Decision::Roams {
            Seating::Roaming
        } else {
            Seating::Seated(seats)
        });
        decision
    }

    /// Roaming needs more ranks that compute than cores, and is not tried soon after it did not
    /// help.
    fn may_roam(&self) -> bool {
        let most = self.work.iter().copied().fold(0.0, f64::max);
        let computing = self.work.iter().filter(|work| **work >= most * COMPUTING);
        computing.count() > self.cores && !self.is_cautious()
    }

    /// Whether a change was taken back not long ago.
    fn is_cautious(&self) -> bool {
        self.caution > self.settings.least_gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::random::Random;
    use proptest::prelude::*;

    /// A job whose cycle ends with its fullest core; roaming ranks use all cores evenly.
    fn window(controller: &ShareController, work: &[f64]) -> Window {
        let loads = packing::loads(work, controller.seats(), controller.cores);
        let fullest = loads.into_iter().fold(0.0, f64::max);
        let longest = work.iter().copied().fold(0.0, f64::max);
        let even = work.iter().sum::<f64>() / controller.cores as f64;
        let wall = match controller.seating() {
            Seating::Seated(_) => fullest,
            Seating::Roaming => even.max(longest),
        };
        Window {
            wall_ns: (wall * 1e6) as u64,
            work_ns: work.iter().map(|work| (work * 1e6) as u64).collect(),
            cycles: Some(1),
        }
    }

    fn dealt(ranks: usize, cores: usize) -> ShareController {
        let seats = (0..ranks).map(|rank| rank % cores).collect();
        ShareController::new(Settings::default(), seats, cores)
    }

    fn decide(controller: &mut ShareController, work: &[f64]) -> Decision {
        let window = window(controller, work);
        controller.decide(&window)
    }

    #[test]
    fn uneven_ranks_are_even_after_the_first_window() {
        let work = [3.0, 1.0, 1.0, 1.0];
        let mut controller = dealt(4, 2);
        assert_eq!(decide(&mut controller, &work), Decision::Moved);
        assert_eq!(controller.seats(), [0, 1, 1, 1]);
        assert_eq!(decide(&mut controller, &work), Decision::Confirmed);
        assert_eq!(decide(&mut controller, &work), Decision::Even);
        assert_eq!(controller.balance(&window(&controller, &work)), 1.0);
    }

    #[test]
    fn even_ranks_stay_where_they_are() {
        let mut controller = dealt(8, 4);
        for _ in 0..5 {
            assert_eq!(decide(&mut controller, &[1.0; 8]), Decision::Even);
        }
        assert_eq!(decide(&mut controller, &[0.0; 8]), Decision::Unknown);
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::Unknown);
    }

    #[test]
    fn what_cannot_be_divided_roams_and_comes_back() {
        let mut controller = dealt(3, 2);
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::Roams);
        assert_eq!(controller.seating(), Seating::Roaming);
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::Confirmed);
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::NoGain);
        // Two of them get as much together as the third: windows until that is known.
        let moved = (0..10).find(|_| decide(&mut controller, &[2.0, 1.0, 1.0]) == Decision::Moved);
        assert!(moved.is_some());
        assert_eq!(
            controller.balance(&window(&controller, &[2.0, 1.0, 1.0])),
            1.0
        );
    }

    #[test]
    fn who_computes_alone_does_not_roam() {
        let mut controller = dealt(4, 2);
        let mut alone = window(&controller, &[1.0, 0.01, 0.0, 0.0]);
        alone.cycles = None;
        assert_eq!(controller.decide(&alone), Decision::NoGain);
    }

    #[test]
    fn roaming_that_slows_the_job_is_taken_back_and_not_tried_again_soon() {
        let mut controller = dealt(3, 2);
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::Roams);
        let mut slow = window(&controller, &[1.0; 3]);
        slow.wall_ns *= 2;
        assert_eq!(controller.decide(&slow), Decision::TakenBack);
        assert_eq!(controller.seating(), Seating::Seated(vec![0, 1, 0]));
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::NoGain);
    }

    #[test]
    fn a_rank_that_ends_leaves_its_core_to_the_others() {
        let mut controller = dealt(4, 2);
        assert_eq!(controller.release(0), Decision::Unknown);
        assert_eq!(decide(&mut controller, &[1.0; 4]), Decision::Even);
        assert_eq!(controller.release(0), Decision::NoGain);
        assert_eq!(controller.release(2), Decision::Moved);
        let seats = controller.seats();
        assert_ne!(seats[1], seats[3], "{seats:?}");
        assert_eq!(controller.release(1), Decision::NoGain);
        assert_eq!(controller.release(3), Decision::Unknown);
    }

    #[test]
    fn what_did_not_help_is_tried_again_when_something_has_changed() {
        let mut controller = dealt(3, 2);
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::Roams);
        let mut slow = window(&controller, &[1.0; 3]);
        slow.wall_ns *= 2;
        assert_eq!(controller.decide(&slow), Decision::TakenBack);
        controller.encourage();
        assert_eq!(decide(&mut controller, &[1.0; 3]), Decision::Roams);
    }

    #[test]
    fn a_move_that_slows_the_job_is_taken_back() {
        let work = [3.0, 1.0, 1.0, 1.0];
        let mut controller = dealt(4, 2);
        assert_eq!(decide(&mut controller, &work), Decision::Moved);
        let mut slow = window(&controller, &work);
        slow.wall_ns *= 3;
        assert_eq!(controller.decide(&slow), Decision::TakenBack);
        assert_eq!(controller.seats(), [0, 1, 0, 1]);
    }

    #[test]
    fn work_that_jumps_about_makes_it_hold_still() {
        let mut controller = dealt(8, 4);
        let mut random = Random::new(5);
        let mut late = 0;
        for number in 0..200 {
            let work: Vec<f64> = (0..8).map(|_| 0.1 + random.fraction()).collect();
            late += usize::from(decide(&mut controller, &work).changes() && number >= 100);
        }
        // Each change is taken back or confirmed in the next window: 50 would be the most.
        assert!(late <= 25, "{late} changes in the last hundred windows");
    }

    proptest! {
        #[test]
        fn it_settles_as_even_as_packing_can_make_it(
            work in proptest::collection::vec(1u32..100, 2..24),
            cores in 1usize..6,
        ) {
            let work: Vec<f64> = work.into_iter().map(f64::from).collect();
            let mut controller = dealt(work.len(), cores);
            let decisions: Vec<_> = (0..12).map(|_| decide(&mut controller, &work)).collect();
            prop_assert!(decisions[6..].iter().all(|decision| !decision.changes()), "{:?}", decisions);
            if let Seating::Seated(seats) = controller.seating() {
                let best = packing::pack(&work, &seats, cores);
                let best = packing::balance(&packing::loads(&work, &best, cores));
                let now = packing::balance(&packing::loads(&work, &seats, cores));
                prop_assert!(now >= best * 0.96, "{} {}", now, best);
            }
        }
    }
}
