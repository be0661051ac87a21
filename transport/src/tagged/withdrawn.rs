//! The sends whose callers have taken their buffers back.
//!
//! Before: [`super::withdrawal`] sends a copy instead. After: the target answers, and the message is forgotten.

use std::cell::RefCell;

use crate::tagged::request::RequestId;

/// A send that its target still knows by a request that is complete, and the request of the copy that goes in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Withdrawn {
    pub(super) known: RequestId,
    pub(super) copy: RequestId,
}

/// The withdrawn messages of one context whose targets have not answered.
#[derive(Debug, Default)]
pub(crate) struct Withdrawals(pub(super) RefCell<Vec<Withdrawn>>);
