//! The rank's windows to the others: its injection FIFOs, grown and shrunk together.
//!
//! Before: a set-up operation. After: every FIFO has the size asked for, but for those that have
//! more descriptors in them than would fit.

use crate::unit::{MessagingUnit, Owner};

impl<O: Owner> MessagingUnit<O> {
    /// Gives the injection FIFO of each target so many slots; how many bytes of memory that made or
    /// gave back.
    pub fn resize_injection(&self, slots: usize) -> usize {
        let targets = self.targets.iter();
        targets.map(|to| to.fifo.borrow_mut().resize(slots)).sum()
    }
}
