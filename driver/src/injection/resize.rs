//! The size of an injection FIFO, while it is in use.
//!
//! Before: a rank prepares for a larger portion of a job's data, or for a smaller one. After: more
//! descriptors go straight into slots, or memory of slots and of the pending queue is given back.
//!
//! The threshold keeps its distance from the last slot. Invariant: a FIFO never has more
//! descriptors in its slots than it has slots, so one that is too full keeps its size.

use super::{Configuration, InjectionFifo, PENDING_BYTES};

impl Configuration {
    /// The same with another number of slots; none if that leaves no room for a descriptor and the
    /// replenish descriptor.
    pub fn resized(self, slots: usize) -> Option<Self> {
        let kept_free = self.slots - self.threshold;
        let threshold = slots.checked_sub(kept_free)?;
        Some(Self {
            slots,
            threshold,
            ..self
        })
    }
}

impl InjectionFifo {
    /// Gives the FIFO so many slots, and the memory for them, or gives memory back; how many bytes.
    /// Nothing changes where the slots cannot be that few, or more descriptors are in them.
    pub fn resize(&mut self, slots: usize) -> usize {
        let Some(configuration) = self.configuration.resized(slots) else {
            return 0;
        };
        if self.slots_taken() > configuration.threshold {
            return 0;
        }
        let before = self.row.capacity();
        let used = self.configuration.slots;
        self.timer.resize(used, slots);
        self.configuration = configuration;
        if slots > used {
            self.row.reserve_exact(slots.saturating_sub(self.row.len()));
        } else {
            self.row.shrink_to(slots);
        }
        self.row.capacity().abs_diff(before) * PENDING_BYTES
    }
}
