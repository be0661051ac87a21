//! What one context knows of its waits.
//!
//! Before: a context is made, and shared or not. After: [`crate::waiting`] waits by it.

use std::cell::Cell;
use std::time::Duration;

use pamir_driver::waiting::brief_spins::BriefSpins;
use pamir_driver::waiting::ladder::{Expected, Rung};

use crate::waiting::exposed_time::ExposedTime;
use crate::waiting::vain_polls::VainPolls;

/// Lets other threads have a context that several share; the time is for [`Rung::Sleep`].
pub type SharedPause = fn(Rung, Duration);

/// What one context knows of its waits.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// What lets other threads have the context, where several share it.
    pub(crate) shared_pause: Cell<Option<SharedPause>>,
    /// What is known of the waits that begin now.
    pub(crate) expected: Cell<Expected>,
    /// The task that is waited for, if that is known.
    pub(crate) awaited: Cell<Option<usize>>,
    pub(crate) brief_spins: BriefSpins,
    pub(crate) vain_polls: VainPolls,
    /// Whether the caller waits for what goes on in the background.
    pub(crate) exposed_time: ExposedTime,
}
