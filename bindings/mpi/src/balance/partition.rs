//! A partition: which items are whose, from cycle to cycle.
//!
//! Before: the program divides its items. After: each member knows its range, and the ranges
//! follow how long each was busy.
//!
//! | from      | to        | by |
//! |-----------|-----------|----|
//! | computing | computing | [`Partition::begin`]: the clock of this cycle starts again |
//! | computing | ended     | [`Partition::end`]: announced, and all others have called as well |
//! | ended     | decided   | the slowest member's message |
//! | decided   | computing | what is new was fetched, and what is gone was given back |
//!
//! Which member decides is agreed on by the greatest busy time, in the same operation in which all
//! wait for each other; or one member decides for the group, if the policy says so. None of them
//! leaves before the decision has come, so who decides finds all calls in the shared history.
//!
//! Invariants: all members have the same ranges between two calls of [`Partition::end`]; their
//! union is the whole; a call that is missing or whose clock jumped moves nothing.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::Path;
use std::pin::pin;
use std::rc::Rc;

use pamir_driver::waiting::clock::Clock;
use pamir_shm::call_record::{Call, CallId};
use pamir_transport::balance::decision::controller::Controller;
use pamir_transport::balance::decision::policy::Policy;
use pamir_transport::balance::history::{Arrival, Cycle, Directive};
use pamir_transport::balance::partition::Transfer;
use pamir_transport::balance::partition::division::ends;
use pamir_transport::balance::partition::items::Items;
use pamir_transport::balance::partition::rounding::as_cut_exactly;
use pamir_transport::collective;
use pamir_transport::collective::geometry::{Channel, block_on};
use pamir_transport::one_sided::memory_region::DESCRIPTION_BYTES;

use super::agreement::{self, Either, Greatest, Watched};
use super::array::Array;
use super::decision::{Decision, message_bytes};
use super::error::BalanceError;
use super::resources::Resources;
use super::source::Source;
use super::statistics::Statistics;
use super::watch::Watch;
use crate::communicator::Communicator;
use crate::communicator::construct::duplicate;
use crate::group::Group;
use crate::process::Process;

/// What is told what its member does in the next cycle, and with which items.
pub type Direct = Rc<dyn Fn(Directive, Range<u64>)>;

/// Items that are divided among the members of a communicator.
pub struct Partition {
    communicator: Rc<Communicator>,
    tasks: Vec<usize>,
    items: RefCell<Items>,
    clock: Clock,
    moves: bool,
    /// Who decides for the group, if that is not the slowest.
    decider: Option<usize>,
    controller: RefCell<Controller>,
    directed: RefCell<Vec<Direct>>,
    /// Where each member's items end, as the controller and the items have it.
    ends: RefCell<Vec<u64>>,
    watch: Watch,
    resources: Rc<Resources>,
    cycle: Cell<CallId>,
    began_ns: Cell<u64>,
    /// How long moving takes, in nanoseconds.
    moving_ns: Cell<u64>,
    statistics: Cell<Statistics>,
}

impl std::fmt::Debug for Partition {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Partition");
        text.field("tasks", &self.tasks)
            .field("ends", &self.ends)
            .finish_non_exhaustive()
    }
}

impl Partition {
    /// Divides `items` evenly among the members of `parent`, all of which call this with the same
    /// arguments.
    ///
    /// # Errors
    ///
    /// [`BalanceError`].
    pub fn new(
        process: &Process,
        parent: &Communicator,
        items: Items,
        policy: Policy,
    ) -> Result<Self, BalanceError> {
        if parent.is_inter() {
            return Err(BalanceError::TwoGroups);
        }
        let (decider, members) = (policy.controller, parent.size());
        if let Some(member) = decider.filter(|member| *member >= members) {
            return Err(BalanceError::NoController { member, members });
        }
        process.announcer().use_announcements();
        let moves = policy.settings.is_some();
        let settings = policy.settings.unwrap_or_default();
        let controller = Controller::new(settings, items.load(), parent.size())?;
        let communicator = duplicate(process, parent)?;
        let context = process.context();
        let tasks: Vec<usize> = communicator
            .group()
            .tasks()
            .map(|task| task as usize)
            .collect();
        let (group, own) = (communicator.context_id(), communicator.rank());
        let watch = Watch::new(context.job(), group, &tasks, own)?;
        let resources = Rc::new(Resources::new(context.clone(), policy.set_up));
        let prepares = resources.clone();
        watch.add(Rc::new(move |reaction| prepares.set_up(reaction)));
        let oversubscribed = context.is_job_oversubscribed();
        let automatic = Clock::where_oversubscribed(oversubscribed);
        let partition = Self {
            cycle: Cell::new(communicator.last_synchronization()),
            communicator,
            tasks,
            items: RefCell::new(items),
            clock: policy.clock.unwrap_or(automatic),
            moves,
            decider,
            directed: RefCell::default(),
            controller: RefCell::new(controller),
            ends: RefCell::default(),
            watch,
            resources,
            began_ns: Cell::new(0),
            moving_ns: Cell::new(0),
            statistics: Cell::default(),
        };
        partition.divide();
        partition.next_cycle();
        Ok(partition)
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.tasks.len()
    }

    /// Which of them this process is.
    pub fn own_member(&self) -> usize {
        self.communicator.rank()
    }

    /// The items of `member`; none for one that is not there.
    pub fn range(&self, member: usize) -> Range<u64> {
        let ends = self.ends.borrow();
        let Some(&end) = ends.get(member) else {
            return 0..0;
        };
        let before = member.checked_sub(1);
        before.map_or(0, |before| ends[before])..end
    }

    /// Finds the items that are the members' loads.
    fn divide(&self) {
        let shares = self.controller.borrow().partition().sizes();
        self.ends.replace(ends(&self.items.borrow(), &shares));
    }

    /// The own items.
    pub fn own_range(&self) -> Range<u64> {
        self.range(self.communicator.rank())
    }

    /// What has happened so far, as this member sees it.
    pub fn statistics(&self, process: &Process) -> Statistics {
        let mut statistics = self.statistics.get();
        statistics.count_ran(&self.watch.ran());
        statistics.prepared_bytes = self.resources.prepared_bytes();
        statistics.read_bytes = self.resources.read_bytes();
        statistics.window_slots = self.resources.window_slots() as u64;
        statistics.cache = self.resources.cache();
        statistics.housekeeping_ns = process.housekeeping().spent_ns();
        statistics
    }

    /// The clock of busy times.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// What notifications are evaluated by: further set-up operations join in there.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Calls `direct` at the end of every cycle from now on.
    pub fn add_directed(&self, direct: Direct) {
        self.directed.borrow_mut().push(direct);
    }

    /// What the last decision but `back` told `member`; nothing where that is forgotten.
    pub fn directive(&self, back: usize, member: usize) -> Option<Directive> {
        self.controller.borrow().directive(back, member)
    }

    /// Tells what this member does in the next cycle.
    fn direct(&self) {
        let directed = self.directed.borrow().clone();
        let told = self.directive(0, self.communicator.rank());
        let (directive, range) = (told.unwrap_or_default(), self.own_range());
        directed
            .iter()
            .for_each(|direct| direct(directive, range.clone()));
    }

    /// Adds an array whose items move with the ranges; every member does.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] if members cannot talk to each other.
    pub fn add_array(&self, process: &Process, mut array: Array) -> Result<(), BalanceError> {
        let own = self.communicator.rank() * DESCRIPTION_BYTES;
        let mut all = vec![0; self.members() * DESCRIPTION_BYTES];
        all[own..own + DESCRIPTION_BYTES].copy_from_slice(&array.description());
        let channel = self.channel(process);
        block_on(process.context(), collective::allgather(&channel, &mut all))??;
        array.meet(&all);
        self.resources.set_range(self.own_range());
        self.resources.add(array);
        Ok(())
    }

    /// Adds a file of which every member reads its own items, now and when ranges have changed; every
    /// member does. Item 0's address.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] at all members if one of them cannot read it.
    pub fn add_source(
        &self,
        process: &Process,
        path: &Path,
        opened: Result<Source, BalanceError>,
    ) -> Result<*const u8, BalanceError> {
        let mut failed = [u8::from(opened.is_err())];
        let channel = self.channel(process);
        let agreed = collective::allreduce(&channel, &Either, &mut failed);
        block_on(process.context(), agreed)??;
        let source = opened?;
        if failed != [0] {
            let path = path.to_owned();
            return Err(BalanceError::FileElsewhere { path });
        }
        let base = source.base();
        self.resources.set_range(self.own_range());
        self.resources.add_source(source);
        Ok(base)
    }

    /// How many items an array of this partition has.
    pub fn items(&self) -> u64 {
        self.items.borrow().count()
    }

    /// The computation of this cycle starts now, rather than when the last cycle ended.
    pub fn begin(&self) {
        self.began_ns.set(self.clock.now_ns());
    }

    /// Evaluates what was announced so far, while this member still computes; whether it alone is
    /// missing, so that it is the slowest. Then all wait for it, and its set-up comes later.
    pub fn look(&self) -> bool {
        self.watch.look();
        self.watch.is_slowest()
    }

    /// The computation of this cycle is done: waits for all members, and moves ranges and data as
    /// the slowest decides, or who decides for all. Whether any range has changed.
    ///
    /// # Errors
    ///
    /// [`BalanceError`].
    pub fn end(&self, process: &Process) -> Result<bool, BalanceError> {
        let busy_ns = self.clock.now_ns().saturating_sub(self.began_ns.get());
        // The calls of the others come first: who is not the first to call is not the fastest.
        self.watch.look();
        let arrived_ns = self.announce(process, busy_ns);
        self.watch.look();
        let slowest = self.wait(process, busy_ns)?;
        self.watch.look();
        let all_ns = Clock::Monotonic.now_ns();
        let before = self.ranges();
        let decision = self.decide(process, slowest)?;
        if !decision.transfers.is_empty() {
            self.divide();
        }
        self.count(&decision, busy_ns, arrived_ns, all_ns);
        let decided_ns = Clock::Monotonic.now_ns();
        let changed = self.move_data(process, &before)?;
        if changed {
            self.count_moving(Clock::Monotonic.now_ns().saturating_sub(decided_ns));
        }
        self.resources.count_cycle(changed);
        process.announcer().leave();
        self.direct();
        self.next_cycle();
        Ok(changed)
    }

    /// Takes what each item costs from now on, of which every member tells its own range's, and
    /// divides anew: each member keeps its share of the whole load. Whether any range has changed.
    ///
    /// # Errors
    ///
    /// [`BalanceError`].
    pub fn weigh(&self, process: &Process, own: &[u64]) -> Result<bool, BalanceError> {
        let (before, range) = (self.ranges(), self.own_range());
        let mut bytes = vec![0; self.items() as usize * size_of::<u64>()];
        let start = range.start as usize * size_of::<u64>();
        for (place, weight) in bytes[start..].chunks_exact_mut(8).zip(own) {
            place.copy_from_slice(&weight.to_ne_bytes());
        }
        let channel = self.channel(process);
        let gathered = collective::allreduce(&channel, &Either, &mut bytes);
        block_on(process.context(), gathered)??;
        let (weights, _) = bytes.as_chunks::<8>();
        let weights: Vec<u64> = weights.iter().map(|one| u64::from_ne_bytes(*one)).collect();
        let items = Items::weighted(&weights, self.items.borrow().block())?;
        self.controller.borrow_mut().scale(items.load())?;
        self.items.replace(items);
        self.divide();
        let changed = self.move_data(process, &before)?;
        self.resources.set_range(self.own_range());
        self.begin();
        Ok(changed)
    }

    fn ranges(&self) -> Vec<Range<u64>> {
        (0..self.members())
            .map(|member| self.range(member))
            .collect()
    }

    /// Leaves the partition; every member does.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] if members cannot talk to each other.
    pub fn leave(&self, process: &Process) -> Result<(), BalanceError> {
        let arrays = self.resources.leave();
        if !arrays.is_empty() {
            self.barrier(process)?;
        }
        arrays
            .iter()
            .for_each(|array| array.leave(process.context()));
        Ok(())
    }

    fn next_cycle(&self) {
        self.cycle.set(self.communicator.next_synchronization());
        self.watch.begin(self.cycle.get().cycle);
        self.resources.set_range(self.own_range());
        self.watch.set_up();
        self.begin();
    }

    /// Announces the own call; when it was made.
    fn announce(&self, process: &Process, busy_ns: u64) -> u64 {
        let arrived_ns = Clock::Monotonic.now_ns();
        let (own, items) = (self.own_range(), self.items.borrow());
        process.announcer().announce(Call {
            id: self.cycle.get(),
            // By another clock the rank may have started later than it did by the clock on the
            // wall: what counts is for how long it was busy.
            started_ns: arrived_ns.saturating_sub(busy_ns),
            arrived_ns,
            load: items.before(own.end) - items.before(own.start),
        });
        arrived_ns
    }

    /// Waits for all members, evaluating what they announce; who was busy for longest.
    fn wait(&self, process: &Process, busy_ns: u64) -> Result<usize, BalanceError> {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&busy_ns.to_ne_bytes());
        bytes[8..].copy_from_slice(&(self.communicator.rank() as u64).to_ne_bytes());
        let channel = self.channel(process);
        {
            let agreed = collective::allreduce(&channel, &Greatest, &mut bytes);
            let watched = Watched {
                future: pin!(agreed),
                watch: &self.watch,
            };
            process.wait_announced(watched)??;
        }
        let member = agreement::words(&bytes)[1] as usize;
        Ok(member.min(self.members() - 1))
    }

    /// The decision of member `slowest`, or of the one that decides for all, made here or received.
    fn decide(&self, process: &Process, slowest: usize) -> Result<Decision, BalanceError> {
        let number = u64::from(self.cycle.get().cycle);
        let decider = self.decider.unwrap_or(slowest);
        let decides = decider == self.communicator.rank();
        let mut bytes = vec![0; message_bytes(self.members())];
        if decides {
            let calls = calls(&self.watch.cycle());
            let transfers = self.transfers(number, &calls);
            bytes = Decision { calls, transfers }.to_bytes();
        }
        let channel = self.channel(process);
        let told = collective::broadcast(&channel, decider, &mut bytes);
        block_on(process.context(), told)??;
        let decision = Decision::from_bytes(&bytes, self.members());
        if !decides {
            let mut controller = self.controller.borrow_mut();
            let shares = controller.partition().sizes();
            let calls = as_cut_exactly(&decision.calls, &shares);
            if self.decider.is_some() {
                controller.obey(number, &calls, &decision.transfers)?;
            } else {
                controller.follow(number, &calls, &decision.transfers)?;
            }
        }
        let mut statistics = self.statistics.get();
        statistics.decided += u64::from(decides);
        self.statistics.set(statistics);
        Ok(decision)
    }

    /// What this member decides.
    fn transfers(&self, number: u64, calls: &[Arrival]) -> Vec<Transfer> {
        let mut controller = self.controller.borrow_mut();
        let shares = controller.partition().sizes();
        for call in as_cut_exactly(calls, &shares) {
            controller.note(number, call, self.communicator.rank());
        }
        if !self.moves {
            return Vec::new();
        }
        // What cannot be moved is not: the others wait for an answer in any case.
        controller.decide(number).unwrap_or_default()
    }

    /// Fetches what is new since `before`, and gives back what is gone once all have fetched;
    /// whether any range has changed.
    fn move_data(&self, process: &Process, before: &[Range<u64>]) -> Result<bool, BalanceError> {
        if self.ranges() == before {
            return Ok(false);
        }
        let (own, after) = (self.communicator.rank(), self.own_range());
        let arrays = self.resources.arrays();
        let mut fetched = 0;
        for array in arrays.iter() {
            fetched += array.fetch(process.context(), &self.tasks, own, before, &after)?;
        }
        if !arrays.is_empty() {
            self.barrier(process)?;
        }
        let released: usize = arrays
            .iter()
            .map(|array| array.release(&before[own], 0, &after))
            .sum();
        let mut statistics = self.statistics.get();
        statistics.fetched_bytes += fetched as u64;
        statistics.released_bytes += released as u64;
        self.statistics.set(statistics);
        Ok(true)
    }

    fn count(&self, decision: &Decision, busy_ns: u64, arrived_ns: u64, all_ns: u64) {
        let wait_ns = all_ns.saturating_sub(arrived_ns);
        let mut statistics = self.statistics.get();
        statistics.count(decision, busy_ns, wait_ns, self.communicator.rank());
        let others_ns = self.watch.others_last_ns();
        statistics.count_set_up(&self.watch.ran(), arrived_ns, others_ns);
        self.statistics.set(statistics);
    }

    /// Moving took so long in this cycle: differences are weighed against the mean of this and
    /// what was known. Only who decides asks, so members need not agree.
    fn count_moving(&self, took_ns: u64) {
        let known_ns = self.moving_ns.get();
        let mean_ns = if known_ns == 0 {
            took_ns
        } else {
            known_ns.midpoint(took_ns)
        };
        self.moving_ns.set(mean_ns);
        self.controller.borrow_mut().expect_moving(mean_ns);
    }

    fn barrier(&self, process: &Process) -> Result<(), BalanceError> {
        let channel = self.channel(process);
        block_on(process.context(), collective::barrier(&channel))??;
        Ok(())
    }

    fn channel<'c>(
        &'c self,
        process: &'c Process,
    ) -> Channel<&'c pamir_transport::context::Context, &'c Group> {
        Channel {
            context: process.context(),
            members: self.communicator.group(),
            rank: self.communicator.rank(),
            context_id: self.communicator.collective_context_id(),
            tag: self.communicator.next_operation(),
            board: None,
            blocking: true,
        }
    }
}

/// The calls of a cycle by member, as decisions take them: for how long each was busy. One that is
/// missing, or whose clock jumped, has a clock that went backwards.
fn calls(cycle: &Cycle) -> Vec<Arrival> {
    let unsound = |member| Arrival {
        member,
        started_ns: 1,
        arrived_ns: 0,
        load: 0,
    };
    let mut calls: Vec<Arrival> = (0..cycle.members()).map(unsound).collect();
    for call in cycle.arrivals().iter().filter(|call| call.is_sound()) {
        calls[call.member] = Arrival {
            started_ns: 0,
            arrived_ns: call.busy_ns(),
            ..*call
        };
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_call_or_a_clock_that_jumped_moves_nothing() {
        let mut cycle = Cycle::new(1, 3);
        for (member, started_ns) in [(0, 100), (2, 900)] {
            cycle.note(Arrival {
                member,
                started_ns,
                arrived_ns: 150,
                load: 4,
            });
        }
        let calls = calls(&cycle);
        assert_eq!(
            (calls[0].started_ns, calls[0].arrived_ns, calls[0].load),
            (0, 50, 4)
        );
        assert!(!calls[1].is_sound() && !calls[2].is_sound());
        let mut controller = Controller::new(Default::default(), 90, 3).unwrap();
        for call in calls {
            controller.note(1, call, 0);
        }
        assert_eq!(controller.decide(1).unwrap(), []);
    }
}
