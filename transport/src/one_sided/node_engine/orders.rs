//! Orders: what an engine of the node is to move.
//!
//! Before: an initiator has told the engine. After: the order waits at the context that takes orders, for
//! `transmit.rs`.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::one_sided::memory_region::words;

/// One transfer between two contexts' memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Whose memory is read, and where.
    pub(super) from: (usize, u64),
    /// Whose memory is written, and where.
    pub(super) to: (usize, u64),
    pub(super) bytes: u64,
    pub(super) initiator: usize,
    /// The initiator's operation.
    pub(super) word: u64,
    /// One more than the dispatch id that hears of it at the target, and its word; or 0.
    pub(super) notify: (u64, u64),
}

impl Order {
    pub(super) fn words(&self) -> [u64; 8] {
        let (from, to) = (self.from, self.to);
        let ends = [from.0 as u64, from.1, to.0 as u64, to.1];
        let rest = [self.bytes, self.word, self.notify.0, self.notify.1];
        std::array::from_fn(|at| if at < 4 { ends[at] } else { rest[at - 4] })
    }

    /// What `initiator` has ordered, if it is one end of it.
    pub(super) fn read(header: &[u8], initiator: usize, units: usize) -> Option<Self> {
        let [from, source, to, target, bytes, word, dispatch, notify] = words(header);
        let (from, to) = (from as usize, to as usize);
        let own = initiator == from || initiator == to;
        (own && from < units && to < units).then_some(Self {
            from: (from, source),
            to: (to, target),
            bytes,
            initiator,
            word,
            notify: (dispatch, notify),
        })
    }
}

/// Orders that wait for the transmit thread, at its context.
#[derive(Debug, Default)]
pub(crate) struct Orders(pub(super) RefCell<VecDeque<Order>>);
