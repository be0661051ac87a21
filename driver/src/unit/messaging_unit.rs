//! The messaging unit's parts, and what is asked of them without an owner.
//!
//! Before: [`MessagingUnit::new`] has put it together. After: `send`, `receive`, `engine` and `idle` work on it.

use std::cell::Cell;

use pamir_shm::atomic::Ordering;
use pamir_shm::lane::mapped::LaneConsumer;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::shareable::LinePadded;
use pamir_shm::sleep::bells::Bells;

use super::packet::PacketHandlerTable;
use super::receive::rotation::Rotation;
use super::target::Target;
use crate::injection::counter::CounterGroup;
use crate::injection::touch_notification::TouchNotification;
use crate::injection::{Configuration, InjectionStatistics};
use crate::job::Job;

/// The messaging unit of one rank.
#[derive(Debug)]
pub struct MessagingUnit<O> {
    pub(super) job: Job,
    pub(super) rank: usize,
    pub(super) targets: Vec<Target>,
    pub(super) origins: Vec<LaneConsumer>,
    /// The bells of all lanes that lead here.
    pub(super) bells: Mapped<LinePadded<Bells>>,
    pub(super) rotation: Rotation,
    pub(super) handlers: PacketHandlerTable<O>,
    pub(super) counters: CounterGroup,
    /// The notification word that replenish descriptors put: the number of the target that they stand for.
    pub(super) notification: Cell<Option<u64>>,
    /// The memory that they touch instead, if that is configured.
    pub(super) touch_notification: Option<TouchNotification>,
    pub(super) backlog: Cell<usize>,
    pub(super) served: Cell<Served>,
    pub(super) job_oversubscribed: bool,
    pub(super) barrier_reaches_all: bool,
    pub(super) packet_bytes: usize,
    pub(super) longest_packet_bytes: usize,
}

/// What a service thread has moved while the program was elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Interrupts of the program that moved something.
    pub interrupts: u64,
    /// Descriptors that were done in them.
    pub descriptors: u64,
}

impl<O> MessagingUnit<O> {
    /// What a service thread has moved so far.
    pub fn served(&self) -> Served {
        self.served.get()
    }

    /// This unit's rank.
    #[inline(always)]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks of the job.
    #[inline(always)]
    pub fn ranks(&self) -> usize {
        self.targets.len()
    }

    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Whether this rank and `other` are on one node, so that each can reach the other's memory.
    pub fn shares_memory(&self, other: usize) -> bool {
        self.job.shares_memory(self.rank, other)
    }

    /// The unit's DMA counters.
    pub fn counters(&self) -> &CounterGroup {
        &self.counters
    }

    /// Whether other ranks share this one's processing unit; that changes where the launcher
    /// moves ranks.
    #[inline(always)]
    pub fn is_oversubscribed(&self) -> bool {
        let own = &self.targets[self.rank].block.status;
        own.sharers.load(Ordering::Relaxed) > 1
    }

    /// Whether any ranks of the job shared a processing unit when it began; the same for all of
    /// them, and always.
    #[inline(always)]
    pub fn is_job_oversubscribed(&self) -> bool {
        self.job_oversubscribed
    }

    /// The longest message that travels as one packet wherever it lies, metadata not counted.
    #[inline(always)]
    pub fn packet_bytes(&self) -> usize {
        self.packet_bytes
    }

    /// How its injection FIFOs are set up, all of them alike but while one is too full to shrink.
    pub fn injection(&self) -> Configuration {
        self.targets[self.rank].fifo.borrow().configuration()
    }

    /// What has happened in the injection FIFO towards `target`.
    pub fn injection_statistics(&self, target: usize) -> InjectionStatistics {
        self.targets[target].fifo.borrow().statistics()
    }
}
