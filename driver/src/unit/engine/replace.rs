//! A descriptor that waits gets its data from elsewhere.
//!
//! Before: the owner needs the memory of a transfer that waits in an injection FIFO. After: the transfer goes on from a
//! copy, where it was.

use crate::injection::counter::CounterId;
use crate::unit::{MessagingUnit, Owner};

impl<O: Owner> MessagingUnit<O> {
    /// The descriptor with the first cookie that waits for `target` gets the second one, and its data from `address` on;
    /// whether there is one. What the owner produces, it produces by the new cookie.
    ///
    /// # Safety
    ///
    /// There are as many bytes at `address` as the descriptor has, the same ones, until the owner is told that it is done.
    pub unsafe fn replace_source(
        &self,
        target: usize,
        (cookie, new): (u64, u64),
        address: *const u8,
    ) -> bool {
        let mut fifo = self.targets[target].fifo.borrow_mut();
        let Some(descriptor) = fifo.find(cookie) else {
            return false;
        };
        descriptor.cookie = new;
        if let Some(counter) = CounterId::from_field(descriptor.counter) {
            self.counters.rename(counter, new);
        }
        descriptor.buffer = address as u64;
        true
    }
}
