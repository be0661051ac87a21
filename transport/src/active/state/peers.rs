//! What a context remembers of each target of its active messages.
//!
//! Before: an instruction names a target. After: the target is marked as used, so that a
//! [`crate::active::fence`] knows whom to ask; or the instruction is refused, since the program has
//! closed the way there.
//!
//! | from   | to     | by |
//! |--------|--------|----|
//! | unused | used   | any instruction |
//! | used   | unused | a fence begins |
//! | any    | closed | `Context::close_endpoint` |
//! | closed | unused | `Context::reopen_endpoint` |
//!
//! The way of the last short message is remembered too, so that the next one along it looks up
//! nothing: a message of one line marks its target as used and remembers, and whatever marks a
//! target otherwise forgets.

use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Peer {
    Unused,
    Used,
    Closed,
}

/// What names the way of a short message: the endpoint, as whoever sends has it, and the dispatch
/// id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The endpoint: any number but the highest, and the same for the same endpoint.
    pub endpoint: u64,
    /// The dispatch id.
    pub dispatch: usize,
}

/// No message goes it.
const NO_WAY: Way = Way {
    endpoint: u64::MAX,
    dispatch: 0,
};

/// What is remembered of each target, by messaging unit, and of the last short message.
///
/// Invariant: the way that is remembered is good: its dispatch id is in range, and its target open
/// and marked as used.
pub(crate) struct Peers {
    states: Vec<Cell<Peer>>,
    way: Cell<Way>,
    /// The messaging unit at its end.
    end: Cell<usize>,
}

impl Peers {
    pub(crate) fn new(units: usize) -> Self {
        Self {
            states: (0..units).map(|_| Cell::new(Peer::Unused)).collect(),
            way: Cell::new(NO_WAY),
            end: Cell::new(0),
        }
    }

    /// A message has gone a way to a target that is marked.
    pub(crate) fn remember(&self, way: Way, unit: usize) {
        self.way.set(way);
        self.end.set(unit);
    }

    /// Where a way ends, if it is the one that the last message went.
    #[inline(always)]
    pub(crate) fn recall(&self, way: Way) -> Option<usize> {
        (self.way.get() == way).then(|| self.end.get())
    }

    /// The next message finds its way anew.
    pub(crate) fn forget(&self) {
        self.way.set(NO_WAY);
    }

    /// Marks a target as used; false if it is closed.
    #[inline(always)]
    pub(crate) fn mark(&self, unit: usize) -> bool {
        let peer = &self.states[unit];
        let open = peer.get() != Peer::Closed;
        if open {
            peer.set(Peer::Used);
        }
        open
    }

    /// Instructions to a target are refused from now on.
    pub(crate) fn close(&self, unit: usize) {
        self.states[unit].set(Peer::Closed);
        self.forget();
    }

    /// Instructions to a target are taken again.
    pub(crate) fn reopen(&self, unit: usize) {
        if self.states[unit].get() == Peer::Closed {
            self.states[unit].set(Peer::Unused);
        }
    }

    /// Whether a target was used since the last time this was asked.
    pub(crate) fn take_used(&self, unit: usize) -> bool {
        let used = self.states[unit].get() == Peer::Used;
        if used {
            self.states[unit].set(Peer::Unused);
            self.forget();
        }
        used
    }
}
