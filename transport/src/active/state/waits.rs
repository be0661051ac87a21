//! What a context keeps of those that wait: fences, and when it looked last whether their targets are still there.
//!
//! Before: [`crate::active::fence`] begins one; an advance has found nothing. After: an advance goes on with them, and with what
//! [`crate::active::peer_failure`] ends.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::active::completion::{Completion, TransferError};

/// How often peers are looked after, at most: a look takes a few microseconds.
const INTERVAL: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Draining,
    Asked,
    Ended(Result<(), TransferError>),
}

/// What a fence waits for at one target.
pub(crate) struct Part {
    pub(crate) target: usize,
    /// Transfers that were under way.
    pub(crate) words: Vec<u64>,
    pub(crate) stage: Rc<Cell<Stage>>,
}

/// A fence that waits.
pub(crate) struct Fence<C> {
    pub(crate) parts: Vec<Part>,
    pub(crate) done: Option<Completion<C>>,
}

impl<C> Fence<C> {
    pub(crate) fn outcome(&self) -> Option<Result<(), TransferError>> {
        let mut all = Ok(());
        for part in &self.parts {
            match part.stage.get() {
                Stage::Ended(how) => all = all.and(how),
                _ => return None,
            }
        }
        Some(all)
    }

    pub(crate) fn concerns(&self, target: usize) -> bool {
        self.parts.iter().any(|part| part.target == target)
    }
}

/// When peers were looked after last.
#[derive(Debug, Default)]
pub(crate) struct PeerFailures {
    next: Cell<Option<Instant>>,
}

impl PeerFailures {
    /// Whether it is time to look again.
    pub(crate) fn is_due(&self) -> bool {
        let now = Instant::now();
        let due = self.next.get().is_none_or(|next| now >= next);
        if due {
            self.next.set(Some(now + INTERVAL));
        }
        due
    }
}
