//! Active messages: a header and data that a handler at the target receives.
//!
//! Before: a client's program sends to an endpoint under a dispatch id. After: at the target,
//! the handler that was set for that id sees the header, says where the data goes, and is told
//! when it is there. Puts and gets without the kernel travel the same way.
//!
//! ```text
//! ACTIVE           │ metadata │ [acknowledge] header data │
//! ACTIVE_LONG      │ metadata │ bytes │ [acknowledge] header data... │, then continuations
//! ACTIVE_REQUEST   │ metadata │ operation  bytes  address  header │
//! ACTIVE_CLEAR     │ origin's operation │ target's operation │
//! ACTIVE_DATA      │ target's operation │ data │
//! ACTIVE_DATA_LONG │ target's operation │ bytes │ data... │, then continuations
//! ACTIVE_DONE      │ origin's operation │, auxiliary: how it ended
//! ```
//!
//! The auxiliary number of the first three is the dispatch id; metadata holds the header's
//! length in its low 16 bits, and whether the origin waits for `ACTIVE_DONE` in bit 16.
//!
//! Invariants: all packets of one message follow each other in their lane, so each origin has
//! at most one message that is coming. No table is borrowed while a handler or a completion
//! runs: both may send, and neither may advance.

use std::cell::{Cell, RefCell};

use pamir_driver::unit::UnitError;

use crate::context::Context;
use crate::endpoint::{Endpoint, Place};
use crate::fence::Fence;

pub mod dispatch;

pub(crate) mod arrival;
mod line;
pub(crate) mod memory;
pub(crate) mod operation;
pub(crate) mod peers;
pub mod send;
pub mod shortcut;
#[cfg(test)]
mod tests;

use dispatch::DispatchTable;
use operation::Operations;
use peers::Peers;
pub use peers::Way;

/// Why an instruction was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActiveError {
    /// The endpoint belongs to another client, or does not exist.
    #[error(
        "{endpoint:?} is no endpoint of this context's client: make it with Client::endpoint of the same client"
    )]
    Endpoint {
        /// The endpoint.
        endpoint: Endpoint,
    },
    /// The header does not fit.
    #[error("a header of {bytes} bytes was given; it may have {most}: send the rest as data")]
    Header {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// An immediate message does not fit one packet.
    #[error(
        "an immediate message of {bytes} bytes, header and data, was given; one packet holds {most}: use send_active"
    )]
    Immediate {
        /// Its length.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// The dispatch id is not one that a program may use.
    #[error("dispatch id {dispatch} is out of range: it may be 0 to {}", dispatch::DISPATCH_IDS - 1)]
    Dispatch {
        /// The id.
        dispatch: u16,
    },
    /// The way to the endpoint was closed.
    #[error("the way to {endpoint:?} was closed: open it again with Context::reopen_endpoint")]
    Closed {
        /// The endpoint.
        endpoint: Endpoint,
    },
    /// The way to an endpoint cannot be closed yet.
    #[error("{transfers} transfers to {endpoint:?} are under way: wait for them, with a fence")]
    Busy {
        /// The endpoint.
        endpoint: Endpoint,
        /// How many transfers.
        transfers: usize,
    },
    /// The messaging unit cannot go on.
    #[error(transparent)]
    Unit(#[from] UnitError),
}

/// How a transfer failed, as its completion is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The target has no handler for the dispatch id.
    #[error("the target has set no handler for the message's dispatch id")]
    NoHandler,
    /// A put or get reaches out of the memory region, or that is not registered (any more).
    #[error(
        "the transfer does not lie in a registered memory region: check its offset and length, and that the target has not deregistered it"
    )]
    OutsideRegion,
    /// The receiver gave less room than the message has bytes; what fits is there.
    #[error("the message has {bytes} bytes, its handler gave room for {room}")]
    Truncated {
        /// Bytes of the message.
        bytes: usize,
        /// Room that there was.
        room: usize,
    },
    /// The memory at one end is not there.
    #[error("no memory is mapped at one end of the transfer: check both addresses and the length")]
    NotMapped,
    /// The target has left, or was killed.
    #[error("the target has left the job")]
    Left,
    /// The messaging unit failed in the middle.
    #[error("the messaging unit failed during the transfer; advance tells why")]
    Unit,
}

/// What is called when a transfer has ended, in the thread that advances the context (or that
/// sends, if it ends at once). It may send, and may not advance.
pub type Completion = Box<dyn FnOnce(&Context, Result<(), TransferError>)>;

/// The active messages of a context.
pub(crate) struct ActiveMessages {
    pub(crate) table: DispatchTable,
    pub(crate) operations: Operations,
    pub(crate) peers: Peers,
    /// Fences that wait.
    pub(crate) fences: RefCell<Vec<Fence>>,
    /// The endpoint of each messaging unit.
    endpoints: Vec<Endpoint>,
    /// For each origin, the operation whose packets are still coming; 0 for none.
    incoming: Vec<Cell<u64>>,
    /// Room for the header and data of a short message, out of its origin's reach.
    scratch: Cell<Vec<u8>>,
}

impl ActiveMessages {
    pub(crate) fn new(place: Place, units: usize) -> Self {
        Self {
            endpoints: (0..units).map(|unit| place.endpoint(unit)).collect(),
            table: DispatchTable(RefCell::default()),
            operations: Operations::default(),
            peers: Peers::new(units),
            fences: RefCell::default(),
            incoming: (0..units).map(|_| Cell::new(0)).collect(),
            scratch: Cell::default(),
        }
    }
}

impl ActiveMessages {
    /// Operation `word` is over before all packets have come from `origin`.
    pub(crate) fn interrupted(&self, origin: usize, word: u64) {
        if self.incoming[origin].get() == word {
            self.incoming[origin].set(0);
        }
    }

    /// The endpoint of a message's origin.
    #[inline(always)]
    fn endpoint(&self, origin: u32) -> Endpoint {
        self.endpoints[origin as usize]
    }
}

impl Context {
    /// The messaging unit behind an endpoint of this client.
    pub(crate) fn unit_of(&self, endpoint: Endpoint) -> Result<usize, ActiveError> {
        self.place
            .unit(endpoint, self.unit.ranks())
            .ok_or(ActiveError::Endpoint { endpoint })
    }

    /// The longest header of an active message, in bytes.
    pub fn longest_header_bytes(&self) -> usize {
        self.unit.packet_bytes() / 2
    }

    /// The longest immediate message, header and data together, in bytes.
    pub fn longest_immediate_bytes(&self) -> usize {
        self.unit.packet_bytes()
    }

    pub(crate) fn complete(&self, completion: Option<Completion>, how: Result<(), TransferError>) {
        if let Some(completion) = completion {
            completion(self, how);
        }
    }
}
