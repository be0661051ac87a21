//! The sends whose callers have taken their buffers back.
//!
//! Before: [`crate::tagged::send::withdrawal`] sends a copy instead. After: the target answers, and the message is forgotten.

use std::cell::RefCell;

use crate::tagged::state::request::RequestId;

/// A send that its target still knows by a request that is complete, and the request of the copy that goes in its place.
#[derive(Clone, Copy, Debug)]
pub(in crate::tagged) struct Withdrawn {
    pub(in crate::tagged) known: RequestId,
    pub(in crate::tagged) copy: RequestId,
}

/// The withdrawn messages of one context whose targets have not answered.
#[derive(Debug, Default)]
pub(crate) struct Withdrawals(pub(in crate::tagged) RefCell<Vec<Withdrawn>>);
