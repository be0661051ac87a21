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

use std::rc::Rc;

use pamir_driver::unit::LINE_DATA_BYTES;

use crate::context::Context;
use crate::context::endpoint::Endpoint;

pub mod completion;
pub mod dispatch;
pub mod error;

pub(crate) mod arrival;
pub mod fence;
mod line;
pub(super) mod peer_failure;
pub mod send;
pub mod shortcut;
pub(crate) mod state;
#[cfg(test)]
mod tests;

pub use completion::TransferError;
use dispatch::{Arrival, DISPATCH_IDS};
pub use error::ActiveError;
pub use state::peers::Way;

/// What is called when a transfer has ended; see [`completion::Completion`].
pub type Completion = completion::Completion<Context>;

/// Where the data of a message goes; see [`dispatch::Receive`].
pub type Receive = dispatch::Receive<Context>;

/// Something under way in a context.
pub(crate) type Operation = state::operation::Operation<Context>;

/// A put or a get under way in a context.
pub(crate) type Transfer = state::transfer::Transfer<Context>;

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
        self.active.most_immediate.get()
    }

    /// Refuses to send immediate messages of more than `bytes` bytes from now on, and
    /// [`Self::take_active_packet`] takes none that is longer. One line and one packet are the least and the
    /// most that this can be.
    pub fn limit_immediate(&self, bytes: usize) {
        let most = bytes.clamp(LINE_DATA_BYTES, self.unit.packet_bytes());
        self.active.most_immediate.set(most);
    }

    /// The longest message whose data may come with the call of its handler, header and data together, in bytes.
    pub fn longest_packet_bytes(&self) -> usize {
        self.unit.packet_bytes()
    }

    pub(crate) fn complete(&self, completion: Option<Completion>, how: Result<(), TransferError>) {
        if let Some(completion) = completion {
            completion(self, how);
        }
    }

    /// Sets the handler for messages with dispatch id `dispatch`, below [`DISPATCH_IDS`]. It
    /// runs in the thread that advances this context; it may send, and may not advance. What has come
    /// for the id before is kept (`arrival::early`), and the next advance gives it to the handler.
    pub fn set_dispatch(
        &self,
        dispatch: u16,
        handler: impl Fn(&Context, Arrival<'_>) -> Receive + 'static,
    ) -> Result<(), ActiveError> {
        if dispatch >= DISPATCH_IDS {
            return Err(ActiveError::Dispatch { dispatch });
        }
        if self.active.early.has(dispatch) {
            self.postpone_dispatch(dispatch, Rc::new(handler));
        } else {
            self.active.table.set(dispatch, Rc::new(handler));
        }
        Ok(())
    }

    /// Whether messages have come for a dispatch id that no handler has taken: the next advance after
    /// [`Self::set_dispatch`] gives them to the handler.
    pub fn has_early_messages(&self, dispatch: u16) -> bool {
        self.active.early.has(dispatch)
    }

    /// The messaging unit behind an endpoint that an instruction goes to.
    #[inline(always)]
    pub(crate) fn target_of(&self, endpoint: Endpoint) -> Result<usize, ActiveError> {
        let unit = self.unit_of(endpoint)?;
        if !self.active.peers.mark(unit) {
            return Err(ActiveError::Closed { endpoint });
        }
        Ok(unit)
    }

    /// Refuses instructions to `endpoint` from now on.
    ///
    /// # Errors
    ///
    /// [`ActiveError::Busy`] while something to it is under way.
    pub fn close_endpoint(&self, endpoint: Endpoint) -> Result<(), ActiveError> {
        let unit = self.unit_of(endpoint)?;
        let transfers = self.active.operations.towards(unit).len() + self.unit.backlog_to(unit);
        if transfers > 0 {
            return Err(ActiveError::Busy {
                endpoint,
                transfers,
            });
        }
        self.active.peers.close(unit);
        Ok(())
    }

    /// Takes instructions to `endpoint` again.
    pub fn reopen_endpoint(&self, endpoint: Endpoint) -> Result<(), ActiveError> {
        let unit = self.unit_of(endpoint)?;
        self.active.peers.reopen(unit);
        Ok(())
    }
}
