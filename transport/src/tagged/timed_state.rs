//! What a context knows of its targets and its origins whose messages are timed.
//!
//! Before: the first message whose route is left to the chooser. After: [`super::timed_message`] asks it for the way of the
//! next one, and notes how long a run took.

use std::cell::RefCell;

use crate::protocol::trials::{OriginTrials, TargetTrials, Timed};
use crate::tagged::request::RequestId;

/// What one context knows of its targets and its origins.
#[derive(Debug, Default)]
pub(crate) struct TimedMessages {
    /// For each target; made with the first message.
    pub(super) targets: RefCell<Vec<Target>>,
    /// For each origin; made with the first message.
    pub(super) origins: RefCell<Vec<Origin>>,
}

/// What is known of one target.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    pub(super) trials: TargetTrials,
    /// The last message whose sender did not wait for it at once,
    pub(super) last: Option<RequestId>,
    /// and whether another one was under way when that began.
    pub(super) in_row: bool,
}

/// What is known of one origin.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    pub(super) trials: OriginTrials,
    /// The one whose packets are coming.
    pub(super) in_packets: Option<(RequestId, Timed)>,
}
