//! A context: the messaging unit and all state of one threading point.
//!
//! Before: MPI or PAMI calls. After: whatever moves, moves in [`Context::advance`], in the
//! thread that calls it ("Parallel active messages", post and advance). A context is used
//! by one thread at a time; a program that shares it puts a lock around it.
//!
//! Invariant: advance is not entered again from a packet handler.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use pamir_driver::engine_thread::Activity;
use pamir_driver::injection::InjectionStatistics;
use pamir_driver::injection::descriptor::Descriptor;
use pamir_driver::job::{Job, RankState};
use pamir_driver::memory::kernel_copy::{self, KernelCopyError};
use pamir_driver::report;
use pamir_driver::unit::packet::PacketHandlerTable;
use pamir_driver::unit::{Doorbell, MessagingUnit, Owner, UnitError};
use pamir_shm::lane_room::LaneRoom;

use crate::active::operation::is_operation;
use crate::active::{self, ActiveMessages};
use crate::departure::Departures;
use crate::endpoint::{Endpoint, Place};
use crate::memory_region::MemoryRegions;
use crate::node_engine::Orders;
use crate::protocol::explain::SendLog;
use crate::protocol::table::{GetProtocol, PutProtocol, SendTable};
use crate::selection::{Choice, MOST_RANGES, Ranges, Situation};
use crate::striping::Striping;
use crate::tagged::arrival::{self, Unexpected};
use crate::tagged::early_offer::EarlyOffers;
use crate::tagged::incoming::IncomingMessages;
use crate::tagged::posted::PostedQueue;
use crate::tagged::request::{RequestId, Requests};
use crate::tagged::timed_message::TimedMessages;
use crate::tagged::traffic::TrafficCounter;
use crate::tagged::transfer::Transfers;
use crate::tagged::unexpected::UnexpectedQueue;
use crate::tagged::withdrawal::Withdrawals;
use crate::waiting::Waiting;
use crate::work_queue::WorkQueue;

/// An operation that goes on whenever its context is advanced.
pub trait Background {
    /// Goes on as far as it can without waiting; true when it is done.
    fn poll(&self) -> bool;
}

/// One threading point of a task.
pub struct Context {
    pub(crate) unit: MessagingUnit<Context>,
    pub(crate) requests: Requests,
    pub(crate) posted: PostedQueue,
    pub(crate) unexpected: UnexpectedQueue<Unexpected>,
    pub(crate) incoming: IncomingMessages,
    pub(crate) transfers: Transfers,
    pub(crate) timed_messages: TimedMessages,
    /// Routes of sends, where somebody asks for them.
    pub(crate) send_log: OnceCell<Box<SendLog>>,
    /// What is known of the processor settles ways without trials.
    pub(crate) trusts_processor: Cell<bool>,
    pub(crate) early_offers: EarlyOffers,
    pub(crate) withdrawals: Withdrawals,
    pub(crate) table: SendTable,
    pub(crate) put_table: &'static Ranges<PutProtocol, MOST_RANGES>,
    pub(crate) get_table: &'static Ranges<GetProtocol, MOST_RANGES>,
    /// The kernel has refused a copy: ask for packets from now on.
    pub(crate) kernel_refuses: Cell<bool>,
    pub(crate) active: ActiveMessages,
    pub(crate) striping: Striping,
    pub(crate) departures: Departures,
    /// What an engine of the node is to move, where this is the context that takes orders.
    pub(crate) orders: OnceCell<Orders>,
    pub(crate) place: Place,
    pub(crate) regions: Arc<MemoryRegions>,
    /// What has been sent to whom, where a profile is asked for.
    pub(crate) traffic: OnceCell<Box<TrafficCounter>>,
    /// Made when somebody first wants to post.
    work: OnceLock<Arc<WorkQueue>>,
    pub(crate) waiting: Waiting,
    /// No other rank shares the processor, and no other thread this context.
    pub(crate) alone: Cell<bool>,
    /// Operations in the background; taken out while they are polled.
    background: RefCell<Vec<Rc<dyn Background>>>,
    backgrounds: Cell<usize>,
}

impl Context {
    /// The context of task `task`, which has attached to `job`.
    pub fn new(job: Job, task: usize) -> Result<Self, UnitError> {
        Self::of_client(job, task, Place::ALONE, Arc::default())
    }

    /// The context with messaging unit `unit` of the client at `place`.
    pub(crate) fn of_client(
        job: Job,
        unit: usize,
        place: Place,
        regions: Arc<MemoryRegions>,
    ) -> Result<Self, UnitError> {
        let handlers = PacketHandlerTable::new(arrival::unknown);
        arrival::register(&handlers);
        active::arrival::register(&handlers);
        let unit = MessagingUnit::new(job, unit, handlers)?;
        let situation = Situation::new(unit.ranks(), true).crowded(unit.is_job_crowded());
        Ok(Self {
            requests: Requests::default(),
            posted: PostedQueue::default(),
            unexpected: UnexpectedQueue::default(),
            incoming: IncomingMessages::new(unit.ranks()),
            transfers: Transfers::default(),
            timed_messages: TimedMessages::default(),
            send_log: OnceCell::new(),
            trusts_processor: Cell::new(!pamir_settings::MEASURE_ALL.value()),
            early_offers: EarlyOffers::default(),
            withdrawals: Withdrawals::default(),
            table: SendTable::new(unit.packet_bytes(), situation),
            put_table: table_of(situation),
            get_table: table_of(situation),
            kernel_refuses: Cell::new(refuses_kernel_copies()),
            active: ActiveMessages::new(place, unit.ranks()),
            striping: Striping::default(),
            departures: Departures::default(),
            orders: OnceCell::new(),
            place,
            regions,
            traffic: OnceCell::new(),
            work: OnceLock::new(),
            waiting: Waiting::default(),
            alone: Cell::new(!unit.is_crowded()),
            background: RefCell::default(),
            backgrounds: Cell::new(0),
            unit,
        })
    }

    /// This context's endpoint.
    pub fn endpoint(&self) -> Endpoint {
        self.place.endpoint(self.unit.rank())
    }

    /// The endpoint of the context with number `unit` among those of all tasks of the client.
    pub fn endpoint_of(&self, unit: usize) -> Endpoint {
        self.place.endpoint(unit)
    }

    /// Where any thread may post work for this context; advancing it then costs a little more.
    pub fn work_queue(&self) -> Result<&Arc<WorkQueue>, UnitError> {
        if self.work.get().is_none() {
            let queue = Arc::new(WorkQueue::new(self.unit.doorbell()?));
            let new = self.work.set(queue).is_ok();
            self.backgrounds
                .set(self.backgrounds.get() + usize::from(new));
        }
        Ok(self.work.get().expect("it was just made"))
    }

    /// A work queue that wakes this context, and that whoever advances it runs.
    pub fn detached_work_queue(&self) -> Result<WorkQueue, UnitError> {
        Ok(WorkQueue::new(self.unit.doorbell()?))
    }

    /// Active messages and one-sided transfers that have not ended, at either end.
    pub fn transfers_under_way(&self) -> usize {
        self.active.operations.len()
    }

    /// This task; in a client of several contexts, this context's number among those of all
    /// tasks, by which tagged messages find it.
    #[inline(always)]
    pub fn task(&self) -> usize {
        self.unit.rank()
    }

    /// Number of tasks.
    #[inline(always)]
    pub fn tasks(&self) -> usize {
        self.unit.ranks()
    }

    /// The job.
    pub fn job(&self) -> &Job {
        self.unit.job()
    }

    /// Operations under way.
    #[inline(always)]
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Whether nothing of this task's own waits to be moved on, and it has its processor and
    /// its context for itself.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        !self.unit.has_backlog() && self.backgrounds.get() == 0 && self.alone.get()
    }

    /// Whether this task had its processor for itself when it began, and has its context.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone.get()
    }

    /// Whether nothing of this task's own waits to be moved on, and it has its context for itself.
    #[inline(always)]
    pub(crate) fn is_quiet(&self) -> bool {
        !self.unit.has_backlog() && self.backgrounds.get() == 0 && !self.is_shared()
    }

    /// Moves what can be moved; whether anything came.
    #[inline(always)]
    pub fn advance(&self) -> Result<bool, UnitError> {
        let handled = self.unit.poll(self)?;
        self.unit.step(self)?;
        let mut moved = handled > 0;
        if self.backgrounds.get() != 0 {
            moved |= self.poll_background()?;
        }
        if !moved && self.early_offers.any() {
            moved = self.take_early_offer()?;
        }
        Ok(moved)
    }

    /// Lets an operation go on whenever the context is advanced, until it is done.
    pub fn add_background(&self, operation: Rc<dyn Background>) {
        self.background.borrow_mut().push(operation);
        self.backgrounds.set(self.backgrounds.get() + 1);
    }

    #[cold]
    #[inline(never)]
    fn poll_background(&self) -> Result<bool, UnitError> {
        let mut worked = self.work.get().map_or(0, |work| work.run(self));
        worked += self.poll_fences()?;
        worked += self.poll_stripes()?;
        worked += self.poll_transfers()?;
        worked += self.poll_operations();
        Ok(worked > 0)
    }

    /// Lets the operations in the background go on; how many have ended.
    fn poll_operations(&self) -> usize {
        if self.backgrounds.get() == 0 {
            return 0;
        }
        let mut operations = self.background.take();
        let mut ended = operations.len();
        operations.retain(|operation| !operation.poll());
        ended -= operations.len();
        let mut background = self.background.borrow_mut();
        // What was added meanwhile comes behind what was there before.
        operations.append(&mut background);
        let others = usize::from(self.work.get().is_some())
            + self.active.fences.borrow().len()
            + self.stripes_under_way()
            + self.transfers.under_way();
        self.backgrounds.set(operations.len() + others);
        *background = operations;
        ended
    }

    /// Whether the kernel copies between this task's memory and that of `peer`, as far as is known:
    /// they are on one node and in one PID namespace, and it has not refused.
    pub(crate) fn copies_with(&self, peer: usize) -> bool {
        !self.kernel_refuses.get()
            && self.unit.shares_memory(peer)
            && !self.unit.job().is_nameless(peer)
    }

    /// Wakes another task if it sleeps, after something was written that it may wait for and that
    /// is no packet.
    #[inline(always)]
    pub(crate) fn wake(&self, task: usize) {
        self.unit.wake(task);
    }

    /// A fence, a divided message or a transfer waits: advance goes on with it.
    pub(crate) fn add_to_background(&self) {
        self.backgrounds.set(self.backgrounds.get() + 1);
    }

    /// What was added is over already.
    pub(crate) fn remove_from_background(&self) {
        self.backgrounds.set(self.backgrounds.get() - 1);
    }

    /// What an engine thread does each time: `attended` says whether the application has
    /// advanced the context itself meanwhile.
    pub fn advance_for_engine(&self, attended: bool) -> Result<Activity, UnitError> {
        let moved = self.advance()?;
        Ok(if attended {
            Activity::Attended
        } else if moved {
            Activity::Moved
        } else if self.unit.has_backlog() {
            let timer = self.unit.waits_until();
            timer.map_or(Activity::Blocked, Activity::Timed)
        } else {
            Activity::Quiet
        })
    }

    /// Announces that nobody advances this context until its doorbell rings; see
    /// [`MessagingUnit::announce_rest`].
    pub fn announce_rest(&self) -> Result<Option<bool>, UnitError> {
        self.unit.announce_rest(|| self.has_work())
    }

    /// What rings when something comes for this context.
    pub fn doorbell(&self) -> Result<Doorbell, UnitError> {
        self.unit.doorbell()
    }

    /// Whether work waits that was posted, other threads have moved all of a message, or an
    /// operation in the background has ended, which may wait for a post on a board. One that goes
    /// on without ending looks for its next post here, behind the announcement too.
    pub(crate) fn has_work(&self) -> bool {
        self.work.get().is_some_and(|work| !work.is_empty())
            || self.stripes_have_ended()
            || self.poll_operations() > 0
    }

    /// Whether any tasks of the job share a processor; the same for all of them.
    #[inline(always)]
    pub fn is_job_crowded(&self) -> bool {
        self.unit.is_job_crowded()
    }

    /// Whether other ranks share this one's processor.
    pub fn is_crowded(&self) -> bool {
        self.unit.is_crowded()
    }

    /// Sleeps until something may have come for this context, at most `limit_ns` nanoseconds, or
    /// not at all if `look` sees something.
    pub fn rest(&self, limit_ns: u64, look: impl FnOnce() -> bool) -> Result<(), UnitError> {
        self.unit
            .sleep(Some(limit_ns), || look() || self.has_work())
    }

    /// Whether the context with messaging unit `task` has left, and all that it has sent here was
    /// received: nothing will come from it any more.
    pub fn has_left(&self, task: usize) -> Result<bool, UnitError> {
        // The state first: what was sent before it changed is seen by the look behind it.
        let left = self.job().rank_state(task) == RankState::Finalized;
        Ok(left && !self.unit.has_arrived(task)?)
    }

    /// Advances until nothing waits for a target that is still there, and tells the others that
    /// this context is gone.
    pub fn leave(&self) -> Result<(), UnitError> {
        let waits = |unit| self.unit.backlog_to(unit) > 0 && !self.job().has_departed(unit);
        self.advance_until(|| !(0..self.unit.ranks()).any(waits))?;
        self.print_driver_report();
        self.job()
            .set_rank_state(self.unit.rank(), RankState::Finalized);
        Ok(())
    }

    /// What has happened in the injection FIFO towards the context that has `unit` as its number
    /// among those of all tasks; nothing for one that there is not.
    pub fn injection_statistics(&self, unit: usize) -> InjectionStatistics {
        if unit < self.unit.ranks() {
            self.unit.injection_statistics(unit)
        } else {
            InjectionStatistics::default()
        }
    }

    /// How many slots its injection FIFOs have.
    pub fn injection_slots(&self) -> usize {
        self.unit.injection().slots()
    }

    /// Gives its injection FIFOs so many slots; how many bytes of memory that made or gave back.
    pub fn resize_injection(&self, slots: usize) -> usize {
        self.unit.resize_injection(slots)
    }

    /// What the driver has done for this context, on standard error, if `PAMIR_DRIVER_REPORT` asks
    /// for it.
    pub fn print_driver_report(&self) {
        report::print(&self.unit);
    }

    /// Advances until nothing waits in the injection FIFOs.
    pub fn flush(&self) -> Result<(), UnitError> {
        self.advance_until(|| !self.unit.has_backlog())
    }
}

/// Whether the user or the kernel refuses copies between processes from the start.
fn refuses_kernel_copies() -> bool {
    pamir_settings::NO_KERNEL_COPY.value() || !kernel_copy::is_allowed()
}

/// The table in force for transfers in a situation.
fn table_of<A: Choice>(situation: Situation) -> &'static Ranges<A, MOST_RANGES> {
    let ranges = A::table().ranges(situation);
    ranges.expect("the default rows serve every transfer")
}

impl std::fmt::Debug for Context {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Context");
        text.field("task", &self.task())
            .field("tasks", &self.tasks())
            .finish_non_exhaustive()
    }
}

impl Owner for Context {
    fn unit(&self) -> &MessagingUnit<Self> {
        &self.unit
    }

    #[inline(always)]
    fn under_way(&self) -> usize {
        self.requests.under_way()
    }

    #[inline(always)]
    fn receives(&self) -> usize {
        self.posted.waiting()
    }

    fn fill(&self, cookie: u64, at: u64, room: LaneRoom<'_>, bytes: usize) {
        if is_operation(cookie) {
            return self.fill_active(cookie, at as usize, room, bytes);
        }
        self.pack_fragment(RequestId::from_word(cookie), at as usize, room, bytes);
    }

    fn injected(&self, descriptor: &Descriptor) {
        if is_operation(descriptor.cookie) {
            return self.injected_active(descriptor);
        }
        self.sent(RequestId::from_word(descriptor.cookie));
    }

    fn refused(&self, descriptor: &Descriptor, error: KernelCopyError) {
        if is_operation(descriptor.cookie) {
            return self.refused_active(descriptor, error);
        }
        self.kernel_refuses.set(true);
        self.sent(RequestId::from_word(descriptor.cookie));
    }
}
