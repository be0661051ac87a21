//! What a context remembers of each target of its active messages.
//!
//! Before: an instruction names a target. After: the target is marked as used, so that a
//! [`crate::fence`] knows whom to ask; or the instruction is refused, since the program has
//! closed the way there.
//!
//! | from   | to     | by |
//! |--------|--------|----|
//! | unused | used   | any instruction |
//! | used   | unused | a fence begins |
//! | any    | closed | [`Context::close_endpoint`] |
//! | closed | unused | [`Context::reopen_endpoint`] |

use std::cell::Cell;

use crate::active::ActiveError;
use crate::context::Context;
use crate::endpoint::Endpoint;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Peer {
    Unused,
    Used,
    Closed,
}

/// What is remembered of each target, by messaging unit.
pub(crate) struct Peers(Vec<Cell<Peer>>);

impl Peers {
    pub(crate) fn new(units: usize) -> Self {
        Self((0..units).map(|_| Cell::new(Peer::Unused)).collect())
    }

    /// Marks a target as used; false if it is closed.
    #[inline(always)]
    pub(crate) fn mark(&self, unit: usize) -> bool {
        let peer = &self.0[unit];
        let open = peer.get() != Peer::Closed;
        if open {
            peer.set(Peer::Used);
        }
        open
    }

    /// Whether a target was used since the last time this was asked.
    pub(crate) fn take_used(&self, unit: usize) -> bool {
        let used = self.0[unit].get() == Peer::Used;
        if used {
            self.0[unit].set(Peer::Unused);
        }
        used
    }
}

impl Context {
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
        self.active.peers.0[unit].set(Peer::Closed);
        Ok(())
    }

    /// Takes instructions to `endpoint` again.
    pub fn reopen_endpoint(&self, endpoint: Endpoint) -> Result<(), ActiveError> {
        let unit = self.unit_of(endpoint)?;
        if self.active.peers.0[unit].get() == Peer::Closed {
            self.active.peers.0[unit].set(Peer::Unused);
        }
        Ok(())
    }
}
