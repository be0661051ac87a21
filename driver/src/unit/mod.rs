//! The messaging unit of one rank: injection, engine and reception together.
//!
//! Before: the transport hands over a descriptor, or the few bytes of an immediate
//! message. After: at the target, the handler that the packet names.
//!
//! The engine here is the inline one: a caller of [`MessagingUnit::step`] or
//! [`MessagingUnit::poll`] drives it. When nothing waits in the FIFO of a target, a
//! descriptor is processed where it stands, without being stored; what does not fit
//! into the lane is stored with its progress and goes on later. So messages to one
//! target never overtake each other.
//!
//! ```text
//! inject_immediate ──(nothing waits, lane has room)──▶ lane        one line, no detour
//! submit ──process──▶ lane | kernel copy
//!           └─(lane full)─▶ injection FIFO ─▶ step ─▶ lane | kernel copy
//! ```
//!
//! Invariants: packet handlers never poll; a descriptor's packets follow each other in the lane.

use std::cell::Cell;

use pamir_shm::lane::longest_payload_bytes;
use pamir_shm::lane::mapped::LaneConsumer;
use pamir_shm::sleep::membarrier;

use crate::injection::Configuration;
use crate::injection::counter::CounterGroup;
use crate::job::Job;
use crate::memory::{kernel_copy, peer_heap};

mod engine;
mod error;
mod idle;
mod messaging_unit;
mod owner;
pub mod packet;
pub mod receive;
mod send;
mod target;

use engine::replenish;
pub use error::UnitError;
pub use idle::sleep::Doorbell;
pub use messaging_unit::{MessagingUnit, Served};
pub use owner::Owner;
use packet::{ALIGNED_AT, PacketHandlerTable, REPLENISH};
pub use receive::next_record::Next;
use receive::rotation::Rotation;
pub use send::exclusive_buffer::PART_BYTES;
pub use send::line::LINE_DATA_BYTES;
use send::packet_length;
use target::Target;

/// The longest message that is always one packet. Those of 16 KiB are longer, since targets may ask for them instead.
const PACKET_BYTES: usize = 15 * 1024;

impl<O: Owner> MessagingUnit<O> {
    /// The unit of `rank`, which has attached to `job`.
    pub fn new(job: Job, rank: usize, handlers: PacketHandlerTable<O>) -> Result<Self, UnitError> {
        Self::with_injection(job, rank, handlers, Configuration::from_environment()?)
    }

    /// As [`Self::new`], with injection FIFOs that are set up as given.
    pub fn with_injection(
        job: Job,
        rank: usize,
        handlers: PacketHandlerTable<O>,
        injection: Configuration,
    ) -> Result<Self, UnitError> {
        kernel_copy::allow_peers();
        peer_heap::know(&job);
        handlers.set(REPLENISH, replenish::packet_arrived);
        let ranks = 0..job.ranks();
        let targets = ranks
            .clone()
            .map(|target| Target::new(&job, rank, target, injection));
        let origins = ranks.map(|origin| Ok(LaneConsumer::new(job.lane(origin, rank)?)));
        let room = longest_payload_bytes(job.layout().ring_lines) - ALIGNED_AT;
        let longest_power = 1 << room.ilog2();
        Ok(Self {
            rank,
            targets: targets.collect::<Result<_, UnitError>>()?,
            origins: origins.collect::<Result<_, UnitError>>()?,
            handlers,
            counters: CounterGroup::default(),
            notification: Cell::new(None),
            touch_notification: replenish::touch_notification(injection.criterion())?,
            backlog: Cell::new(0),
            served: Cell::default(),
            bells: job.bells(rank)?,
            rotation: Rotation::new(job.ranks()),
            job_oversubscribed: job.is_oversubscribed()?,
            barrier_reaches_all: membarrier::register(),
            packet_bytes: PACKET_BYTES.min(longest_power),
            longest_packet_bytes: packet_length::LONGEST_BYTES.min(longest_power),
            job,
        })
    }
}

#[cfg(test)]
mod tests;
