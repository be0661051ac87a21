//! Why a messaging unit cannot go on.
//!
//! Before: a peer's bytes made no sense, or something that the unit stands on could not be had.
//! After: the transport ends the operation, or the job.

use pamir_shm::lane::LaneError;

use crate::injection::InjectionError;
use crate::injection::touch_notification::TouchNotificationError;
use crate::interrupt::InterruptError;
use crate::job::JobError;

/// Why the unit cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// A peer's part of the shared memory makes no sense.
    #[error("between rank {rank} and this one: {source}")]
    Lane {
        /// The peer.
        rank: u32,
        /// What is wrong.
        source: LaneError,
    },
    /// A packet names a handler that does not exist, or contradicts itself.
    #[error(
        "rank {rank} sent a packet that makes no sense: {reason}; its memory is corrupt, or it runs another version of Pamir"
    )]
    Packet {
        /// The origin.
        rank: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// A packet cannot be taken yet: it stays in its lane, and those behind it wait. Only a packet's handler says so,
    /// and only [`crate::unit::MessagingUnit::poll`] is told.
    #[error("a packet waits in its lane until this rank can take it")]
    Held,
    /// The unit's memory could not be mapped.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The injection FIFOs cannot be as they are configured.
    #[error(transparent)]
    Injection(#[from] InjectionError),
    /// The memory that replenish descriptors are to touch cannot be had.
    #[error(transparent)]
    Touch(#[from] TouchNotificationError),
    /// The thread that drives the engine cannot sleep.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// The unit's lanes could not be mapped.
    #[error(transparent)]
    Segment(#[from] pamir_shm::segment::SegmentError),
}
