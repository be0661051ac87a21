//! What a unit keeps of each target: the lane to it, the memory of the pair, and what waits.
//!
//! Before: a unit is made. After: sends reserve room here.

use std::cell::{Cell, RefCell};

use pamir_shm::exclusive_buffer::mapped::ExclusiveBuffers;
use pamir_shm::lane::Reserved;
use pamir_shm::lane::mapped::LaneProducer;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::sleep;

use super::error::UnitError;
use crate::injection::{Configuration, InjectionFifo};
use crate::job::Job;
use crate::job::layout::RankBlock;

/// What this rank keeps of each target.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) lane: LaneProducer,
    /// Memory that this rank and the target write in turn, if they have any.
    pub(super) exclusive_buffers: Option<ExclusiveBuffers>,
    pub(super) block: Mapped<RankBlock>,
    /// How far the lane from this target was read when the last record of several lines went to it.
    pub(super) heard: Cell<u64>,
    /// Descriptors that wait for this target; 0 lets immediate messages pass.
    pub(super) backlog: Cell<usize>,
    /// Nobody reads the lane any more: what finds no room in it vanishes.
    pub(super) departed: Cell<bool>,
    pub(super) fifo: RefCell<InjectionFifo>,
}

impl Target {
    pub(super) fn new(
        job: &Job,
        origin: usize,
        target: usize,
        injection: Configuration,
    ) -> Result<Self, UnitError> {
        Ok(Self {
            lane: LaneProducer::new(job.lane(origin, target)?),
            exclusive_buffers: exclusive_buffers_of(job, origin, target)?,
            block: Mapped::new(job.segment(), job.layout().rank_block(target))?,
            heard: Cell::new(0),
            backlog: Cell::new(0),
            departed: Cell::new(false),
            fifo: RefCell::new(InjectionFifo::new(injection, target as u32)),
        })
    }

    /// After a commit.
    #[inline(always)]
    pub(super) fn wake_if_asleep(&self) {
        sleep::wake_if_asleep(&self.block.sleep);
    }
}

/// The exclusive buffers that ranks `one` and `other` share, if they do, as `one` sees them.
fn exclusive_buffers_of(
    job: &Job,
    one: usize,
    other: usize,
) -> Result<Option<ExclusiveBuffers>, UnitError> {
    let layout = job.layout();
    if one == other || layout.exclusive_buffer_bytes() == 0 || !job.shares_memory(one, other) {
        return Ok(None);
    }
    let start = layout.exclusive_buffers(one, other);
    let buffers = ExclusiveBuffers::new(
        job.segment(),
        start,
        layout.exclusive_buffer_bytes(),
        one < other,
    )?;
    Ok(Some(buffers))
}

#[inline(always)]
pub(super) fn reserve(
    to: &Target,
    rank: usize,
    payload_bytes: usize,
) -> Result<Option<Reserved>, UnitError> {
    let rank = rank as u32;
    to.lane
        .try_reserve(payload_bytes)
        .map_err(|source| UnitError::Lane { rank, source })
}
