//! Making a context: a unit, the handlers of its packets, and the first state of each room.
//!
//! Before: a job is attached to, or a client has a free context. After: the context can be advanced.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use pamir_driver::injection::Configuration;
use pamir_driver::job::Job;
use pamir_driver::memory::kernel_copy;
use pamir_driver::unit::packet::PacketHandlerTable;
use pamir_driver::unit::{MessagingUnit, UnitError};

use super::Context;
use super::background::BackgroundWork;
use super::endpoint::Place;
use crate::active;
use crate::active::state::ActiveMessages;
use crate::one_sided::memory_region::MemoryRegions;
use crate::one_sided::state::OneSided;
use crate::protocol::table::SendTable;
use crate::selection::Situation;
use crate::striping::state::Striping;
use crate::tagged::receive::arrival;
use crate::tagged::state::TaggedMessages;
use crate::waiting::state::Waiting;

impl Context {
    /// The context of task `task`, which has attached to `job`.
    pub fn new(job: Job, task: usize) -> Result<Self, UnitError> {
        let injection = Configuration::from_environment()?;
        Self::of_client(job, task, Place::ALONE, injection, Arc::default())
    }

    /// The context with messaging unit `unit` of the client at `place`.
    pub(crate) fn of_client(
        job: Job,
        unit: usize,
        place: Place,
        injection: Configuration,
        regions: Arc<MemoryRegions>,
    ) -> Result<Self, UnitError> {
        let handlers = PacketHandlerTable::new(arrival::unknown);
        arrival::register(&handlers);
        active::arrival::register(&handlers);
        let unit = MessagingUnit::with_injection(job, unit, handlers, injection)?;
        let situation =
            Situation::new(unit.ranks(), true).oversubscribed(unit.is_job_oversubscribed());
        Ok(Self {
            place,
            table: SendTable::new(unit.packet_bytes(), situation),
            kernel_refuses: Cell::new(refuses_kernel_copies()),
            alone: Cell::new(!unit.is_oversubscribed()),
            waiting: Waiting::default(),
            pends: Cell::new(None),
            background: BackgroundWork::default(),
            tagged: TaggedMessages::new(unit.ranks()),
            active: ActiveMessages::new(place, unit.ranks(), unit.packet_bytes()),
            one_sided: OneSided::new(situation, regions),
            striping: Striping::default(),
            traffic: OnceCell::new(),
            unit,
        })
    }
}

/// Whether the user or the kernel refuses copies between processes from the start.
fn refuses_kernel_copies() -> bool {
    pamir_settings::NO_KERNEL_COPY.value() || !kernel_copy::is_allowed()
}
