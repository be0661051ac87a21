//! A context: the messaging unit and the state of each room, of one threading point.
//!
//! Before: [`assembly`] makes it. After: MPI's and PAMI's calls are methods of it, which stand in the room whose state they
//! work on; whatever moves, moves in [`Context::advance`] (`advance.rs`), in the thread that calls it ("Parallel active
//! messages", post and advance). A context is used by one thread at a time; whoever shares it puts a lock around it.
//!
//! ```text
//! state of a room ─▶ context ─▶ operations of that room ─▶ advance, assembly ─▶ client
//! ```
//!
//! Invariant: nothing here moves a byte, and no room's state knows a context: functions of the program's see it as a type
//! parameter.

mod advance;
pub mod assembly;
mod background;
pub mod endpoint;
pub mod shared;
pub mod work_queue;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::sync::Arc;

use pamir_driver::injection::InjectionStatistics;
use pamir_driver::job::{Job, RankState};
use pamir_driver::report;
use pamir_driver::unit::{Doorbell, MessagingUnit, UnitError};

pub use background::Background;
use background::BackgroundWork;
use endpoint::{Endpoint, Place};

use crate::active::state::ActiveMessages;
use crate::one_sided::state::OneSided;
use crate::protocol::table::SendTable;
use crate::striping::state::Striping;
use crate::tagged::profile::traffic::TrafficCounter;
use crate::tagged::state::TaggedMessages;
use crate::tagged::state::request::Requests;
use crate::waiting::state::Waiting;

/// Where any thread may post work for a context.
pub type WorkQueue = work_queue::WorkQueue<Context>;

/// One threading point of a task.
pub struct Context {
    pub(crate) unit: MessagingUnit<Context>,
    pub(crate) place: Place,
    /// By which protocols messages go, tagged and active ones.
    pub(crate) table: SendTable,
    /// The kernel has refused a copy: ask for packets from now on.
    pub(crate) kernel_refuses: Cell<bool>,
    /// No other rank shares the processor, and no other thread this context.
    pub(crate) alone: Cell<bool>,
    pub(crate) waiting: Waiting,
    /// Told when sends stay behind.
    pends: Cell<Option<fn()>>,
    background: BackgroundWork<Self>,
    pub(crate) tagged: TaggedMessages,
    pub(crate) active: ActiveMessages<Self>,
    pub(crate) one_sided: OneSided,
    pub(crate) striping: Striping<Self>,
    /// What has been sent to whom, where a profile is asked for.
    pub(crate) traffic: OnceCell<Box<TrafficCounter>>,
}

impl Context {
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
        self.background.work_queue(|| self.unit.doorbell())
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
        &self.tagged.requests
    }

    /// Whether nothing of this task's own waits to be moved on, and it has its processor and
    /// its context for itself.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        !self.unit.has_backlog() && self.background.is_empty() && self.alone.get()
    }

    /// Whether this task had its processor for itself when it began, and has its context.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone.get()
    }

    /// Whether nothing of this task's own waits to be moved on, and it has its context for itself.
    #[inline(always)]
    pub(crate) fn is_quiet(&self) -> bool {
        !self.unit.has_backlog() && self.background.is_empty() && !self.is_shared()
    }

    /// Lets an operation go on whenever the context is advanced, until it is done.
    pub fn add_background(&self, operation: Rc<dyn Background>) {
        self.background.add(operation);
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
        self.background.begin();
    }

    /// What was added is over already.
    pub(crate) fn remove_from_background(&self) {
        self.background.end();
    }

    /// Has `tell` called when the first of some sends finds no room and waits for a later advance.
    pub fn tell_when_pending(&self, tell: fn()) {
        self.pends.set(Some(tell));
    }

    /// Whether sends wait for a later advance.
    pub fn has_pending(&self) -> bool {
        self.unit.has_backlog()
    }

    /// What rings when something comes for this context.
    pub fn doorbell(&self) -> Result<Doorbell, UnitError> {
        self.unit.doorbell()
    }

    /// Whether any tasks of the job share a processor; the same for all of them.
    #[inline(always)]
    pub fn is_job_oversubscribed(&self) -> bool {
        self.unit.is_job_oversubscribed()
    }

    /// Whether other ranks share this one's processor.
    pub fn is_oversubscribed(&self) -> bool {
        self.unit.is_oversubscribed()
    }

    /// Whether the context with messaging unit `task` has left, and all that it has sent here was
    /// received: nothing will come from it any more.
    pub fn has_left(&self, task: usize) -> Result<bool, UnitError> {
        // The state first: what was sent before it changed is seen by the look behind it.
        let left = self.job().rank_state(task) == RankState::Finalized;
        Ok(left && !self.unit.has_arrived(task)?)
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
        let operations = self.background.ended_by_engine();
        if operations > 0 && pamir_settings::DRIVER_REPORT.value() {
            let task = self.task();
            eprintln!("pamir: rank {task}: {operations} collectives ended in the engine thread");
        }
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Context");
        text.field("task", &self.task())
            .field("tasks", &self.tasks())
            .finish_non_exhaustive()
    }
}
