//! The injection FIFO, and the pending descriptor queue behind it.
//!
//! Before: a [`Descriptor`] that could not be processed where it stood. After: the
//! engine takes descriptors from the front, in order.
//!
//! A descriptor goes into the next free slot unless the number in the FIFO exceeds
//! the threshold; then it, and everything after it, goes into the pending descriptor
//! queue, from where whole batches move into freed slots. Nothing overtakes.
//!
//! ```text
//! inject ─▶ number > threshold or pending? ──no──▶ ┌slot┬slot┬slot┐ ─▶ engine
//!                    │yes                           └────┴────┴────┘
//!                    └──▶ pending ▷▷▷▷▷▷▷ replenish ───▲
//! ```
//!
//! Invariant: while a descriptor is pending, no later one is in a slot. The threshold
//! leaves one slot free for a replenish descriptor.

use std::collections::VecDeque;

use crate::descriptor::Descriptor;

/// Slots of an injection FIFO unless configured otherwise.
pub const DEFAULT_SLOTS: usize = 64;

/// Why an injection FIFO was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InjectionError {
    /// With this threshold the slot for the replenish descriptor could be taken.
    #[error("a threshold of {threshold} descriptors in a FIFO of {slots} slots leaves no slot for the replenish descriptor: it may be at most {} (slots - 2)", slots.saturating_sub(2))]
    Threshold {
        /// Threshold asked for.
        threshold: usize,
        /// Slots asked for.
        slots: usize,
    },
}

/// What has happened in a FIFO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InjectionStatistics {
    /// Descriptors that went straight into a slot.
    pub direct: u64,
    /// Descriptors that went into the pending queue.
    pub pended: u64,
    /// Batches moved from the pending queue into slots.
    pub replenishments: u64,
}

/// Descriptors in the order in which they are to be processed.
#[derive(Debug)]
pub struct InjectionFifo {
    slots: VecDeque<Descriptor>,
    slot_count: usize,
    threshold: usize,
    pending: VecDeque<Descriptor>,
    statistics: InjectionStatistics,
}

impl InjectionFifo {
    /// A FIFO of `slots` slots that fills until its number exceeds `threshold`.
    ///
    /// # Errors
    ///
    /// [`InjectionError::Threshold`] if that could fill the last slot.
    pub fn new(slots: usize, threshold: usize) -> Result<Self, InjectionError> {
        if threshold + 2 > slots {
            return Err(InjectionError::Threshold { threshold, slots });
        }
        Ok(Self {
            slots: VecDeque::with_capacity(slots),
            slot_count: slots,
            threshold,
            pending: VecDeque::new(),
            statistics: InjectionStatistics::default(),
        })
    }

    /// Takes a descriptor behind all that are already here.
    pub fn inject(&mut self, descriptor: Descriptor) {
        if self.pending.is_empty() && self.slots.len() <= self.threshold {
            self.slots.push_back(descriptor);
            self.statistics.direct += 1;
        } else {
            self.pending.push_back(descriptor);
            self.statistics.pended += 1;
        }
    }

    /// The descriptor that the engine works on.
    pub fn front(&mut self) -> Option<&mut Descriptor> {
        self.slots.front_mut()
    }

    /// Frees the slot of the descriptor that is done.
    pub fn retire(&mut self) -> Option<Descriptor> {
        let done = self.slots.pop_front();
        if self.slots.is_empty() && !self.pending.is_empty() {
            self.replenish();
        }
        done
    }

    /// Moves as many pending descriptors as there are free slots, but one.
    pub fn replenish(&mut self) {
        let free = (self.slot_count - 1).saturating_sub(self.slots.len());
        let batch = free.min(self.pending.len());
        self.slots.extend(self.pending.drain(..batch));
        self.statistics.replenishments += u64::from(batch > 0);
    }

    /// Descriptors in slots and pending.
    pub fn len(&self) -> usize {
        self.slots.len() + self.pending.len()
    }

    /// Whether nothing is left to process.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// What has happened so far.
    pub fn statistics(&self) -> InjectionStatistics {
        self.statistics
    }
}

impl Default for InjectionFifo {
    fn default() -> Self {
        Self::new(DEFAULT_SLOTS, DEFAULT_SLOTS - 2).expect("the default threshold leaves a slot")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbered(number: u64) -> Descriptor {
        Descriptor::memory_fifo(0, 1, number, std::ptr::null(), 8)
    }

    #[test]
    fn the_threshold_keeps_a_slot_free() {
        assert!(matches!(
            InjectionFifo::new(8, 7),
            Err(InjectionError::Threshold { .. })
        ));
        let mut fifo = InjectionFifo::new(8, 6).unwrap();
        (0..100).for_each(|number| fifo.inject(numbered(number)));
        let statistics = fifo.statistics();
        assert_eq!((statistics.direct, statistics.pended), (7, 93));
        let mut retired = 0;
        while fifo.retire().is_some() {
            retired += 1;
        }
        assert_eq!((retired, fifo.statistics().replenishments), (100, 14));
    }

    proptest! {
        #[test]
        fn nothing_overtakes(
            slots in 2usize..9,
            steps in prop::collection::vec(any::<bool>(), 1..500),
        ) {
            let mut fifo = InjectionFifo::new(slots, slots - 2).unwrap();
            let (mut injected, mut retired) = (0, 0);
            for inject in steps {
                if inject {
                    fifo.inject(numbered(injected));
                    injected += 1;
                } else if let Some(done) = fifo.retire() {
                    prop_assert_eq!(done.metadata, retired);
                    retired += 1;
                } else {
                    prop_assert_eq!(retired, injected);
                }
                prop_assert_eq!(fifo.len() as u64, injected - retired);
            }
        }
    }
}
