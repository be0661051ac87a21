//! Messages that have come before their dispatch id has a handler.
//!
//! Before: an arrival finds no handler. After: [`crate::active::arrival::early`] gives them to the handler that is set later,
//! in the order in which they came.
//!
//! | a message        | is kept with |
//! |------------------|--------------|
//! | of one packet    | header and data |
//! | of several       | header and data, once its last packet is here |
//! | that asks first  | header; its data stays at its origin |
//!
//! Invariant: what is kept takes at most [`MOST_BYTES`]. What comes then stays in its lane, and so its origin waits. Only
//! the notification of a put, which has no data, is kept beyond that: its data is in memory already.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::active::dispatch::DispatchHandler;

/// The most bytes that a context keeps.
pub(in crate::active) const MOST_BYTES: usize = 4 << 20;

/// A message that nobody has taken yet.
#[derive(Debug)]
pub(in crate::active) struct Early {
    pub(in crate::active) origin: u32,
    pub(in crate::active) dispatch: u16,
    pub(in crate::active) header: Vec<u8>,
    pub(in crate::active) body: Body,
    /// The origin's operation, if it waits for `ACTIVE_DONE`.
    pub(in crate::active) acknowledge: Option<u64>,
}

/// Its data.
#[derive(Debug)]
pub(in crate::active) enum Body {
    /// It came in one packet.
    Short(Vec<u8>),
    /// It came in several.
    Long(Vec<u8>),
    /// It is still at its origin.
    Asked {
        /// The origin's operation.
        word: u64,
        bytes: usize,
        address: u64,
        metadata: u64,
    },
}

impl Early {
    /// What it takes of [`MOST_BYTES`].
    fn cost(&self) -> usize {
        let data = match &self.body {
            Body::Short(data) | Body::Long(data) => data.len(),
            Body::Asked { .. } => 0,
        };
        cost_of(self.header.len(), data)
    }
}

fn cost_of(header_bytes: usize, data_bytes: usize) -> usize {
    size_of::<Early>()
        .saturating_add(header_bytes)
        .saturating_add(data_bytes)
}

/// The early messages of a context `C`.
pub(crate) struct EarlyMessages<C> {
    kept: RefCell<VecDeque<Early>>,
    /// Those whose packets are still coming, by origin.
    coming: RefCell<BTreeMap<u32, Early>>,
    bytes: Cell<usize>,
    /// Handlers that are set, and get what was kept for them before anything else.
    handlers: RefCell<Vec<(u16, Rc<DispatchHandler<C>>)>>,
}

impl<C> Default for EarlyMessages<C> {
    fn default() -> Self {
        Self {
            kept: RefCell::default(),
            coming: RefCell::default(),
            bytes: Cell::new(0),
            handlers: RefCell::default(),
        }
    }
}

impl<C> EarlyMessages<C> {
    /// Whether a message with so many bytes can be kept.
    pub(in crate::active) fn has_room(&self, header_bytes: usize, data_bytes: usize) -> bool {
        cost_of(header_bytes, data_bytes) <= MOST_BYTES.saturating_sub(self.bytes.get())
    }

    /// Keeps a message.
    pub(in crate::active) fn keep(&self, early: Early) {
        self.bytes.set(self.bytes.get() + early.cost());
        self.kept.borrow_mut().push_back(early);
    }

    /// Keeps a message, for which there is room, whose packets are still coming.
    pub(in crate::active) fn begin(&self, early: Early) {
        self.bytes.set(self.bytes.get() + early.cost());
        let before = self.coming.borrow_mut().insert(early.origin, early);
        self.give_back(before.as_ref());
    }

    /// All packets from `origin` have come: the message is the caller's.
    pub(in crate::active) fn end(&self, origin: u32) -> Option<Early> {
        let early = self.coming.borrow_mut().remove(&origin);
        self.give_back(early.as_ref());
        early
    }

    /// Whether any message is kept for a dispatch id.
    pub(in crate::active) fn has(&self, dispatch: u16) -> bool {
        let kept = self.kept.borrow();
        kept.iter().any(|early| early.dispatch == dispatch)
    }

    /// The messages that are kept for a dispatch id, which are the caller's then.
    pub(in crate::active) fn take(&self, dispatch: u16) -> VecDeque<Early> {
        let all = self.kept.take();
        let (taken, rest) = all
            .into_iter()
            .partition(|early| early.dispatch == dispatch);
        *self.kept.borrow_mut() = rest;
        let taken: VecDeque<Early> = taken;
        taken.iter().for_each(|early| self.give_back(Some(early)));
        taken
    }

    fn give_back(&self, early: Option<&Early>) {
        self.bytes
            .set(self.bytes.get() - early.map_or(0, Early::cost));
    }

    /// A handler gets what is kept for its dispatch id with the next advance; it takes the place of one that waits.
    pub(in crate::active) fn postpone(&self, dispatch: u16, handler: Rc<DispatchHandler<C>>) {
        let mut handlers = self.handlers.borrow_mut();
        handlers.retain(|(waiting, _)| *waiting != dispatch);
        handlers.push((dispatch, handler));
    }

    /// Handlers that wait for an advance, which are the caller's then.
    pub(in crate::active) fn postponed(&self) -> Vec<(u16, Rc<DispatchHandler<C>>)> {
        self.handlers.take()
    }

    /// How many handlers wait for an advance.
    pub(crate) fn waiting(&self) -> usize {
        self.handlers.borrow().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn early(origin: u32, dispatch: u16, bytes: usize) -> Early {
        Early {
            origin,
            dispatch,
            header: vec![0; 8],
            body: Body::Long(vec![0; bytes]),
            acknowledge: None,
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_given_back() {
        let messages = EarlyMessages::<()>::default();
        let data = MOST_BYTES / 2;
        for dispatch in [1, 2] {
            let fits = messages.has_room(8, data);
            assert_eq!(fits, dispatch == 1);
            if fits {
                messages.keep(early(0, dispatch, data));
            }
        }
        assert!(!messages.has_room(8, usize::MAX));
        messages.begin(early(3, 2, 100));
        // A message that never ended makes room for the next one of its origin.
        messages.begin(early(3, 2, 200));
        assert!(messages.end(3).is_some() && messages.end(3).is_none());
        assert!(messages.has(1) && !messages.has(2));
        assert_eq!(messages.take(1).len(), 1);
        assert_eq!(messages.bytes.get(), 0);
    }
}
