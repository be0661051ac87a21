//! Watching a cycle: every notification is evaluated, and set-up operations run upon it.
//!
//! Before: members announce their calls in shared memory. After: the fastest has prepared for a
//! larger portion, and the slowest for a smaller one.
//!
//! | from     | to       | when |
//! |----------|----------|------|
//! | idle     | watching | [`Watch::begin`] |
//! | watching | due      | a notification says that this member is fastest, or alone is missing |
//! | due      | prepared | [`Watch::set_up_in_wait`] at the fastest, which waits for others; [`Watch::set_up`] at the slowest, once nobody waits for it any more |
//! | any      | idle     | the next [`Watch::begin`], in a new cycle |
//!
//! While a member is the only one missing, all others wait for whatever it does. So its set-up
//! operations come after the decision, in its own next cycle.
//!
//! Invariants: set-up operations run at most once a cycle, never before the own call is announced
//! and told to the others, and never while anything is borrowed, since they may be the program's.

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
    /// How long that took.
    pub fn took_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// For how much of it nobody waited, in a cycle in which the own call came at `own_ns`, and the
    /// last call of another member at `others_ns`. What ran before the own call made that later.
    pub fn hidden_ns(&self, own_ns: u64, others_ns: u64) -> u64 {
        if self.start_ns < own_ns {
            self.took_ns()
                .saturating_sub(own_ns.saturating_sub(others_ns))
        } else {
            self.end_ns.min(others_ns).saturating_sub(self.start_ns)
        }
    }
}

/// One member's view of its group's cycles.
pub struct Watch {
    history: SharedHistory,
    own: usize,
    number: Cell<u32>,
    cycle: RefCell<Cycle>,
    set_ups: RefCell<Vec<SetUp>>,
    due: Cell<Reaction>,
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
            due: Cell::new(Reaction::None),
            ran: RefCell::default(),
        })
    }

    /// Runs `set_up` upon every reaction from now on.
    pub fn add(&self, set_up: SetUp) {
        self.set_ups.borrow_mut().push(set_up);
    }

    /// A new cycle starts; set-up operations that are due remain so.
    pub fn begin(&self, number: u32) {
        let members = self.cycle.borrow().members();
        self.number.set(number);
        self.cycle.replace(Cycle::new(number.into(), members));
        self.ran.borrow_mut().clear();
    }

    /// Looks for calls that were announced since the last look, and evaluates each.
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
                self.due.set(reaction);
            }
        }
    }

    /// Runs what is due for a larger portion: this member waits for others, and they do not yet
    /// wait for it.
    pub fn set_up_in_wait(&self) {
        if self.due.get() == Reaction::PrepareLarger {
            self.set_up();
        }
    }

    /// Runs what is due.
    pub fn set_up(&self) {
        let due = self.due.replace(Reaction::None);
        if due != Reaction::None {
            self.run(due);
        }
    }

    /// When the last call of another member came in this cycle, as far as it is known.
    pub fn others_last_ns(&self) -> u64 {
        let cycle = self.cycle.borrow();
        let others = cycle.arrivals().iter();
        let others = others.filter(|call| call.member != self.own);
        others.map(|call| call.arrived_ns).max().unwrap_or(0)
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
                view.set_up_in_wait();
            }
        }
        let heard = views.each_ref().map(|(_, heard)| heard.borrow().clone());
        assert_eq!(heard[2], [], "others wait for it");
        views.iter().for_each(|(view, _)| view.set_up());
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
    fn only_what_nobody_waited_for_was_hidden() {
        let (start_ns, end_ns) = (100, 180);
        let reaction = Reaction::PrepareLarger;
        let ran = Ran {
            reaction,
            start_ns,
            end_ns,
        };
        let in_wait = [50, 150, 900].map(|others| ran.hidden_ns(90, others));
        assert_eq!(in_wait, [0, 50, 80]);
        let before_the_call = [50, 250, 300].map(|others| ran.hidden_ns(300, others));
        assert_eq!(before_the_call, [0, 30, 80]);
    }
}
