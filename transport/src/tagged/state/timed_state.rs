//! What a context knows of its targets and its origins whose messages are timed.
//!
//! Before: the first message whose route is left to the chooser. After: [`crate::tagged::send::timed_message`] asks it for the way of the
//! next one, and notes how long a run took.

use std::cell::RefCell;

#[cfg(test)]
use crate::protocol::pace::{Pace, Way};
use crate::protocol::trials::{OriginTrials, TargetTrials, Timed};
use crate::tagged::state::request::RequestId;

/// What one context knows of its targets and its origins.
#[derive(Debug, Default)]
pub(crate) struct TimedMessages {
    /// For each target; made with the first message.
    pub(in crate::tagged) targets: RefCell<Vec<Target>>,
    /// For each origin; made with the first message.
    pub(in crate::tagged) origins: RefCell<Vec<Origin>>,
}

/// What is known of one target.
#[derive(Clone, Debug, Default)]
pub(in crate::tagged) struct Target {
    pub(in crate::tagged) trials: TargetTrials,
    /// The last message whose sender did not wait for it at once,
    pub(in crate::tagged) last: Option<RequestId>,
    /// and whether another one was under way when that began.
    pub(in crate::tagged) in_row: bool,
}

/// What is known of one origin.
#[derive(Clone, Debug, Default)]
pub(in crate::tagged) struct Origin {
    pub(in crate::tagged) trials: OriginTrials,
    /// The one whose packets are coming.
    pub(in crate::tagged) in_packets: Option<(RequestId, Timed)>,
}

#[cfg(test)]
impl TimedMessages {
    /// Whether messages of `bytes` bytes from `origin` have been timed by each way.
    pub(crate) fn have_timed(&self, origin: usize, pace: Pace, bytes: usize) -> [bool; 3] {
        let origins = self.origins.borrow();
        let known = origins.get(origin);
        known.map_or([false; 3], |of| of.trials.have_timed(pace, bytes))
    }

    /// The way that messages of `bytes` bytes to `target` are to go.
    pub(crate) fn preferred(&self, target: usize, pace: Pace, bytes: usize) -> Way {
        let targets = self.targets.borrow();
        targets[target].trials.preferred(pace, bytes).0
    }
}
