//! Making a context: a unit, the handlers of its packets, and the first state of each room.
//!
//! Before: a job is attached to, or a client has a free context. After: the context can be advanced.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::{Arc, OnceLock};

use pamir_driver::job::Job;
use pamir_driver::memory::kernel_copy;
use pamir_driver::unit::packet::PacketHandlerTable;
use pamir_driver::unit::{MessagingUnit, UnitError};

use super::Context;
use crate::active;
use crate::active::state::ActiveMessages;
use crate::context::endpoint::Place;
use crate::one_sided::memory_region::MemoryRegions;
use crate::protocol::table::SendTable;
use crate::selection::{Choice, MOST_RANGES, Ranges, Situation};
use crate::striping::state::Striping;
use crate::tagged::receive::arrival;
use crate::tagged::state::incoming::IncomingMessages;
use crate::tagged::state::posted::PostedQueue;
use crate::tagged::state::request::Requests;
use crate::tagged::state::timed_state::TimedMessages;
use crate::tagged::state::unexpected::UnexpectedQueue;
use crate::tagged::state::unexpected_message::EarlyOffers;
use crate::tagged::state::withdrawn::Withdrawals;
use crate::tagged::transfer::under_way::Transfers;
use crate::waiting::state::Waiting;

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
