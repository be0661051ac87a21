//! Work that is divided into tasks, for data that must stay where it is.
//!
//! Before: the program has a function that does part p of P of the work, on any rank. After: all
//! parts are done, and ranks that wait get more and smaller parts in the next cycle.
//!
//! ```text
//! queues   2 1 1        rank 0: parts 0 and 1 at once, on two threads
//! parts    0 1 │ 2 │ 3  ranks 1 and 2: one part each
//! ```
//!
//! Or the program has a list of tasks, each with a weight and a function of its own: a member does
//! those that are its own at once, and the fastest gets several
//! ([`pamir_transport::balance::assignment`]).
//!
//! All members tell each other how long they were busy, and come to the same queues
//! ([`pamir_transport::balance::leveler`]), so no data moves but these times.
//!
//! Invariants: each part of a cycle is done once; the queues are the same at all members; a split
//! that is predicted to take longer is not made.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use pamir_driver::waiting::clock::Clock;
use pamir_shm::call_record::Call;
use pamir_transport::balance::assignment::Assignment;
use pamir_transport::balance::decision::law::Law;
use pamir_transport::balance::history::Arrival;
use pamir_transport::balance::leveler::Leveler;
use pamir_transport::balance::occasion::{Circumstances, Occasion, Occasions};
use pamir_transport::collective;
use pamir_transport::collective::geometry::Channel;

use super::error::BalanceError;
use crate::communicator::Communicator;
use crate::communicator::construct::duplicate;
use crate::process::Process;

/// At most so many parts run at once on a rank.
const MOST_THREADS: u64 = 64;

const TIME_BYTES: usize = size_of::<u64>();

/// Tasks of the ranks of a communicator.
#[derive(Debug)]
pub struct Tasks {
    communicator: Rc<Communicator>,
    clock: Clock,
    leveler: RefCell<Leveler>,
    assignment: RefCell<Assignment>,
    /// Every so many cycles the queues are levelled.
    period: u64,
    cycles: Cell<u64>,
    requested: Cell<bool>,
    /// What levels besides the period; nothing where that is not wanted.
    occasions: Option<RefCell<Occasions>>,
}

impl Tasks {
    /// One task a member of `parent`, levelled by `law` every `period` cycles (0: on request
    /// and on an [`Occasion`] only); all members call this with the same arguments.
    ///
    /// # Errors
    ///
    /// [`BalanceError`].
    pub fn new(
        process: &Process,
        parent: &Communicator,
        law: Law,
        period: u64,
    ) -> Result<Self, BalanceError> {
        if parent.is_inter() {
            return Err(BalanceError::TwoGroups);
        }
        process.announcer().use_announcements();
        let oversubscribed = process.context().is_job_oversubscribed();
        Ok(Self {
            communicator: duplicate(process, parent)?,
            clock: Clock::where_oversubscribed(oversubscribed),
            leveler: RefCell::new(Leveler::new(law, parent.size())),
            assignment: RefCell::new(Assignment::new(parent.size())),
            period,
            cycles: Cell::new(0),
            requested: Cell::new(false),
            occasions: occasions(process, period),
        })
    }

    /// How many parts each member does in the next cycle.
    pub fn queues(&self) -> Vec<u64> {
        self.leveler.borrow().queues().to_vec()
    }

    /// Asks for levelling after the next cycle, whatever the period; one member's request is
    /// enough.
    pub fn request(&self) {
        self.requested.set(true);
    }

    /// Does this member's parts with `work`, which is called with (part, parts) and from several
    /// threads at once, waits for all members, and levels the queues. Whether these have changed.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] if the members cannot talk to each other.
    pub fn run(
        &self,
        process: &Process,
        work: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<bool, BalanceError> {
        let queues = self.queues();
        let own = self.communicator.rank();
        let first: u64 = queues[..own].iter().sum();
        let parts = queues.iter().sum();
        let numbers = first..first + queues[own];
        let (calls, due) = self.cycle(process, &queues, numbers, &|part| work(part, parts))?;
        Ok(due && self.leveler.borrow_mut().level(&calls))
    }

    /// The member that does each task of the last list.
    pub fn owners(&self) -> Vec<usize> {
        self.assignment.borrow().owners().to_vec()
    }

    /// Does this member's tasks of a list of such `weights` with `work`, which is called with the
    /// task's place in it and from several threads at once, waits for all members, and levels who does
    /// which. Whether that has changed.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`].
    pub fn run_list(
        &self,
        process: &Process,
        weights: &[u64],
        work: &(dyn Fn(usize) + Sync),
    ) -> Result<bool, BalanceError> {
        self.assignment.borrow_mut().take(weights);
        let (owners, loads) = (self.owners(), self.assignment.borrow().loads());
        let member = self.communicator.rank();
        let own = owners.iter().enumerate();
        let own = own.filter(|(_, owner)| **owner == member);
        let own: Vec<usize> = own.map(|(task, _)| task).collect();
        let do_one = |part: u64| work(own[part as usize]);
        let (calls, due) = self.cycle(process, &loads, 0..own.len() as u64, &do_one)?;
        Ok(due && self.assignment.borrow_mut().learn(&calls))
    }

    /// Does `numbers`, several at once, and waits for all members, each of which has its load; all
    /// calls, and whether work is to be levelled.
    fn cycle(
        &self,
        process: &Process,
        loads: &[u64],
        numbers: std::ops::Range<u64>,
        work: &(dyn Fn(u64) + Sync),
    ) -> Result<(Vec<Arrival>, bool), BalanceError> {
        let started_ns = Clock::Monotonic.now_ns();
        let busy_ns = do_parts(self.clock, numbers, work);
        if self.look_for_occasion(process).is_some() {
            self.requested.set(true);
        }
        process.announcer().announce(Call {
            id: self.communicator.next_synchronization(),
            started_ns,
            arrived_ns: Clock::Monotonic.now_ns(),
            load: loads[self.communicator.rank()],
        });
        let (calls, requested) = self.exchange(process, busy_ns, loads)?;
        process.announcer().leave();
        self.requested.set(false);
        self.cycles.set(self.cycles.get() + 1);
        let due = self.period != 0 && self.cycles.get().is_multiple_of(self.period);
        Ok((calls, due || requested))
    }

    /// Whether resources of this rank were freed or taken since work was levelled last.
    fn look_for_occasion(&self, process: &Process) -> Option<Occasion> {
        let occasions = self.occasions.as_ref()?;
        occasions.borrow_mut().look(circumstances(process))
    }

    /// All members' calls, and whether any of them asks for levelling.
    fn exchange(
        &self,
        process: &Process,
        busy_ns: u64,
        queues: &[u64],
    ) -> Result<(Vec<Arrival>, bool), BalanceError> {
        // The lowest bit says whether this member asks.
        let word = busy_ns & !1 | u64::from(self.requested.get());
        let mut bytes = vec![0; queues.len() * TIME_BYTES];
        let own = self.communicator.rank() * TIME_BYTES;
        bytes[own..own + TIME_BYTES].copy_from_slice(&word.to_ne_bytes());
        let channel: Channel<_, _> = Channel {
            context: &**process.context(),
            members: self.communicator.group(),
            rank: self.communicator.rank(),
            context_id: self.communicator.collective_context_id(),
            tag: self.communicator.next_operation(),
            board: None,
            blocking: true,
        };
        let gathered = collective::allgather(&channel, &mut bytes);
        process.wait_announced(gathered)??;
        let (words, _) = bytes.as_chunks::<TIME_BYTES>();
        let words = words.iter().map(|word| u64::from_ne_bytes(*word));
        let requested = words.clone().any(|word| word & 1 == 1);
        let calls = words.zip(queues).enumerate();
        let calls = calls.map(|(member, (word, load))| Arrival {
            member,
            started_ns: 0,
            arrived_ns: word & !1,
            load: *load,
        });
        Ok((calls.collect(), requested))
    }
}

fn circumstances(process: &Process) -> Circumstances {
    let context = process.context();
    let sharers = context.job().sharers(context.task());
    Circumstances::now(sharers.unwrap_or(1))
}

/// What levels besides a period; who levels after every cycle needs no further reason.
fn occasions(process: &Process, period: u64) -> Option<RefCell<Occasions>> {
    if period == 1 || !pamir_settings::BALANCE_OCCASIONS.value() {
        return None;
    }
    let mut occasions = Occasions::default();
    occasions.look(circumstances(process));
    Some(RefCell::new(occasions))
}

/// Does some parts of the work, several at once; how long that took, by the clock.
fn do_parts(clock: Clock, own: std::ops::Range<u64>, work: &(dyn Fn(u64) + Sync)) -> u64 {
    let next = AtomicU64::new(own.start);
    let run = || {
        let clocks = [clock, Clock::Processor];
        let began_ns = clocks.map(Clock::now_ns);
        loop {
            // Relaxed: a part's number is all that threads tell each other.
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= own.end {
                let ended_ns = clocks.map(Clock::now_ns);
                return std::array::from_fn(|one| ended_ns[one].saturating_sub(began_ns[one]));
            }
            work(part);
        }
    };
    let helpers = (own.end - own.start).clamp(1, MOST_THREADS) - 1;
    let times: Vec<[u64; 2]> = std::thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(run)).collect();
        let here = run();
        let there = helpers
            .into_iter()
            .map(|helper| helper.join().unwrap_or_default());
        there.chain([here]).collect()
    });
    let longest_ns = times.iter().map(|[own_ns, _]| *own_ns).max().unwrap_or(0);
    let computed_ns = times.iter().map(|[_, computed_ns]| *computed_ns).sum();
    match clock {
        Clock::Monotonic => longest_ns,
        // Threads that compute take turns on the processor that is this rank's; those that sleep
        // do so at once.
        Clock::Undelayed => longest_ns.max(computed_ns),
        Clock::Processor => computed_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn each_part_is_done_once_and_several_at_once() {
        let done = Mutex::new(Vec::new());
        let barrier = std::sync::Barrier::new(3);
        let work = |part| {
            // Nobody passes unless three parts run at once.
            barrier.wait();
            done.lock().unwrap().push(part);
        };
        do_parts(Clock::Monotonic, 4..7, &work);
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, [4, 5, 6]);
    }
}
