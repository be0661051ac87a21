//! The state of a context's active messages and one-sided transfers.
//!
//! Before: a context is made. After: [`crate::active::send`], [`crate::active::arrival`] and [`crate::one_sided`] start and end what is
//! under way; a function of the program's is called with the context `C` that has it.

pub(crate) mod early;
pub(crate) mod memory;
pub(crate) mod operation;
pub(crate) mod peers;
pub(crate) mod transfer;
pub(crate) mod waits;

use std::cell::{Cell, RefCell};

use crate::active::dispatch::DispatchTable;
use crate::active::state::early::EarlyMessages;
use crate::active::state::operation::Operations;
use crate::active::state::peers::Peers;
use crate::active::state::waits::{Fence, PeerFailures};
use crate::context::endpoint::{Endpoint, Place};

/// The active messages of a context.
pub(crate) struct ActiveMessages<C> {
    pub(crate) table: DispatchTable<C>,
    pub(crate) early: EarlyMessages<C>,
    pub(crate) operations: Operations<C>,
    pub(crate) peers: Peers,
    /// Fences that wait.
    pub(crate) fences: RefCell<Vec<Fence<C>>>,
    pub(crate) peer_failures: PeerFailures,
    /// The endpoint of each messaging unit.
    pub(in crate::active) endpoints: Vec<Endpoint>,
    /// For each origin, the operation whose packets are still coming; 0 for none.
    pub(in crate::active) incoming: Vec<Cell<u64>>,
    /// The most bytes of an immediate message.
    pub(in crate::active) most_immediate: Cell<usize>,
    /// Room for the header and data of a short message, out of its origin's reach.
    pub(in crate::active) scratch: Cell<Vec<u8>>,
}

impl<C> ActiveMessages<C> {
    pub(crate) fn new(place: Place, units: usize, packet_bytes: usize) -> Self {
        Self {
            endpoints: (0..units).map(|unit| place.endpoint(unit)).collect(),
            table: DispatchTable(RefCell::default()),
            early: EarlyMessages::default(),
            operations: Operations::default(),
            peers: Peers::new(units),
            fences: RefCell::default(),
            peer_failures: PeerFailures::default(),
            incoming: (0..units).map(|_| Cell::new(0)).collect(),
            most_immediate: Cell::new(packet_bytes),
            scratch: Cell::default(),
        }
    }

    /// Operation `word` is over before all packets have come from `origin`.
    pub(crate) fn interrupted(&self, origin: usize, word: u64) {
        if self.incoming[origin].get() == word {
            self.incoming[origin].set(0);
            drop(self.early.end(origin as u32));
        }
    }

    /// The endpoint of a message's origin.
    #[inline(always)]
    pub(in crate::active) fn endpoint(&self, origin: u32) -> Endpoint {
        self.endpoints[origin as usize]
    }
}
