//! Watching a cycle: every notification is evaluated, and set-up operations run upon it.
//!
//! Before: members announce their calls in shared memory. After: the fastest has prepared for a
//! larger portion, and the slowest for a smaller one, while others were still computing.
//!
//! | from     | to       | when |
//! |----------|----------|------|
//! | idle     | watching | [`Watch::begin`] |
//! | watching | prepared | a notification says that this member is fastest, or alone is missing |
//! | either   | idle     | the next [`Watch::begin`], in a new cycle |
//!
//! Invariant: a set-up operation runs at most once a cycle, and never while anything is borrowed,
//! since it may be the program's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use pamir_driver::job::{Job, JobError};
use pamir_driver::waiting::clock::Clock;
use pamir_transport::balance::announcement::SharedHistory;
use pamir_transport::balance::decision::evaluation::{Reaction, react};
use pamir_transport::balance::history::{Cycle, Notice};

/// What is run upon a reaction: the library's own set-up, and the program's.
pub type SetUp = Rc<dyn Fn(Reaction)>;

/// When a set-up operation ran, on the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// What it prepared for.
    pub reaction: Reaction,
    /// Its start, in nanoseconds.
    pub start_ns: u64,
    /// Its end.
    pub end_ns: u64,
}

impl Ran {
    /// For how long others still computed meanwhile, where the last of them called at
    /// `last_ns`.
    pub fn hidden_ns(&self, last_ns: u64) -> u64 {
        self.end_ns.min(last_ns).saturating_sub(self.start_ns)
    }
}

/// One member's view of its group's cycles.
pub struct Watch {
    history: SharedHistory,
    own: usize,
    number: Cell<u32>,
    cycle: RefCell<Cycle>,
    set_ups: RefCell<Vec<SetUp>>,
    ran: RefCell<Vec<Ran>>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Watch");
        text.field("own", &self.own)
            .field("cycle", &self.cycle)
            .finish_non_exhaustive()
    }
}

impl Watch {
    /// A view of group `group`, whose member m is rank `ranks[m]` of the job, for member `own`.
    ///
    /// # Errors
    ///
    /// [`JobError`] if a rank is not in the job.
    pub fn new(job: &Job, group: u32, ranks: &[usize], own: usize) -> Result<Self, JobError> {
        Ok(Self {
            history: SharedHistory::new(job, group, ranks.iter().copied())?,
            own,
            number: Cell::new(0),
            cycle: RefCell::new(Cycle::new(0, ranks.len())),
            set_ups: RefCell::default(),
            ran: RefCell::default(),
        })
    }

    /// Runs `set_up` upon every reaction from now on.
    pub fn add(&self, set_up: SetUp) {
        self.set_ups.borrow_mut().push(set_up);
    }

    /// A new cycle starts.
    pub fn begin(&self, number: u32) {
        let members = self.cycle.borrow().members();
        self.number.set(number);
        self.cycle.replace(Cycle::new(number.into(), members));
        self.ran.borrow_mut().clear();
    }

    /// Looks for calls that were announced since the last look, and reacts upon each.
    pub fn look(&self) {
        let mut missing: Vec<usize> = self.cycle.borrow().missing().collect();
        // The own call first: of two that are announced at once, each finds itself the fastest
        // rather than neither.
        missing.sort_by_key(|member| *member != self.own);
        for member in missing {
            let Some(call) = self.history.arrival(member, self.number.get()) else {
                continue;
            };
            let mut cycle = self.cycle.borrow_mut();
            let noted = cycle.note(call) == Notice::Noted;
            let reaction = react(&cycle, self.own, member);
            drop(cycle);
            if noted && reaction != Reaction::None {
                self.run(reaction);
            }
        }
    }

    /// Whether this member alone is missing.
    pub fn is_slowest(&self) -> bool {
        let cycle = self.cycle.borrow();
        cycle.members() > 1 && cycle.missing().eq([self.own])
    }

    /// All calls of the cycle that are known.
    pub fn cycle(&self) -> Cycle {
        self.cycle.borrow().clone()
    }

    /// What has been run in this cycle.
    pub fn ran(&self) -> Vec<Ran> {
        self.ran.borrow().clone()
    }

    fn run(&self, reaction: Reaction) {
        let set_ups = self.set_ups.borrow().clone();
        let start_ns = Clock::Monotonic.now_ns();
        set_ups.iter().for_each(|set_up| set_up(reaction));
        let end_ns = Clock::Monotonic.now_ns();
        self.ran.borrow_mut().push(Ran {
            reaction,
            start_ns,
            end_ns,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_driver::job::JobSpecification;
    use pamir_shm::call_record::{Call, CallId};
    use pamir_transport::balance::announcement::{Announced, Announcer};

    const GROUP: u32 = 6;

    fn job(ranks: usize) -> Job {
        let processing_units = vec![None; ranks];
        let specification = JobSpecification {
            ranks,
            processing_units,
        };
        Job::create(&specification).unwrap()
    }

    fn announce(job: &Job, rank: usize, cycle: u32, arrived_ns: u64) {
        let announcer = Announcer::new(job, rank, Announced::default()).unwrap();
        let id = CallId {
            group: GROUP,
            cycle,
        };
        announcer.announce(Call {
            id,
            started_ns: 0,
            arrived_ns,
            load: 1,
        });
    }

    fn watch(job: &Job, own: usize) -> (Watch, Rc<RefCell<Vec<Reaction>>>) {
        let watch = Watch::new(job, GROUP, &[0, 1, 2], own).unwrap();
        let heard = Rc::new(RefCell::new(Vec::new()));
        let hears = heard.clone();
        watch.add(Rc::new(move |reaction| hears.borrow_mut().push(reaction)));
        watch.begin(1);
        (watch, heard)
    }

    #[test]
    fn the_fastest_prepares_upon_its_own_call_and_the_slowest_upon_the_last_but_one() {
        let job = job(3);
        let views = [0, 1, 2].map(|own| watch(&job, own));
        for rank in [1, 0, 2] {
            announce(&job, rank, 1, 10);
            for (view, _) in &views {
                view.look();
                view.look();
            }
        }
        let heard = views.each_ref().map(|(_, heard)| heard.borrow().clone());
        assert_eq!(heard[0], []);
        assert_eq!(heard[1], [Reaction::PrepareLarger]);
        assert_eq!(heard[2], [Reaction::PrepareSmaller]);
        assert!(views.iter().all(|(view, _)| view.cycle().is_complete()));
        let ran = views[1].0.ran();
        assert!(ran.len() == 1 && ran[0].start_ns <= ran[0].end_ns);
        views[1].0.begin(2);
        assert!(views[1].0.ran().is_empty() && !views[1].0.is_slowest());
    }

    #[test]
    fn only_what_ran_before_the_last_call_was_hidden() {
        let (start_ns, end_ns) = (100, 180);
        let reaction = Reaction::PrepareLarger;
        let ran = Ran {
            reaction,
            start_ns,
            end_ns,
        };
        assert_eq!([50, 150, 900].map(|last| ran.hidden_ns(last)), [0, 50, 80]);
    }
}
