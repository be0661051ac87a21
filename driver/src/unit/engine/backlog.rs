//! Which targets something waits for.
//!
//! Before: descriptors that found no room. After: a task that leaves waits for those targets that
//! are still there.

use crate::unit::{MessagingUnit, Owner};

impl<O: Owner> MessagingUnit<O> {
    /// Descriptors that wait for `target`; 0 for a target that there is not.
    pub fn backlog_to(&self, target: usize) -> usize {
        self.targets.get(target).map_or(0, |to| to.backlog.get())
    }

    /// Nobody reads the lane towards `target` any more: what waits for room in it is taken for
    /// sent by the next step, so that nothing waits for ever.
    pub fn forget(&self, target: usize) {
        if let Some(to) = self.targets.get(target) {
            to.departed.set(true);
        }
    }
}
