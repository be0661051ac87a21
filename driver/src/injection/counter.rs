//! DMA counters: how the engine says that a transfer is complete.
//!
//! Before: the transport gives a descriptor a counter. After: it polls the status
//! register, or is told by the engine's completion call.
//!
//! A group has 64 counters. A dedicated counter is set to the size of its one
//! transfer, counts down as bytes move, and sets its bit in the counter status
//! register at zero. The group belongs to a context, which one thread has at a time: the
//! application's, or the engine thread under the context's lock. So nothing here is atomic. When all 64 are taken, a transfer gets the shared counter: it
//! never blocks, but its value and bit mean nothing.
//!
//! | state     | by        | to        |
//! |-----------|-----------|-----------|
//! | free      | `dedicate`| dedicated |
//! | dedicated | `count`   | dedicated, or at zero: hit (bit set) |
//! | hit       | `release` | free      |

use std::cell::Cell;

/// Counters of a group.
pub const COUNTERS: usize = 64;

/// A counter of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterId {
    /// For one transfer alone.
    Dedicated(u8),
    /// For any number of transfers at once; never reports.
    Shared,
}

impl CounterId {
    /// As a descriptor carries it: 0 is none.
    pub fn to_field(self) -> u16 {
        match self {
            Self::Dedicated(index) => u16::from(index) + 1,
            Self::Shared => COUNTERS as u16 + 1,
        }
    }

    /// The counter that a descriptor's field names.
    pub fn from_field(field: u16) -> Option<Self> {
        match usize::from(field) {
            0 => None,
            index if index <= COUNTERS => Some(Self::Dedicated(index as u8 - 1)),
            _ => Some(Self::Shared),
        }
    }
}

/// The counters of one context, and their status register.
#[derive(Debug)]
pub struct CounterGroup {
    values: [Cell<u64>; COUNTERS],
    free: Cell<u64>,
    status: Cell<u64>,
}

impl Default for CounterGroup {
    fn default() -> Self {
        let values = std::array::from_fn(|_| Cell::new(0));
        Self {
            values,
            free: Cell::new(u64::MAX),
            status: Cell::new(0),
        }
    }
}

impl CounterGroup {
    /// A counter for a transfer of `bytes` bytes: a dedicated one while there is one.
    pub fn dedicate(&self, bytes: u64) -> CounterId {
        let free = self.free.get();
        if free == 0 {
            return CounterId::Shared;
        }
        let index = free.trailing_zeros() as u8;
        self.free.set(free & !(1 << index));
        self.values[usize::from(index)].set(bytes);
        if bytes == 0 {
            self.status.set(self.status.get() | 1 << index);
        }
        CounterId::Dedicated(index)
    }

    /// Counts `bytes` moved bytes; true when that was the last one (hit zero).
    pub fn count(&self, counter: CounterId, bytes: u64) -> bool {
        let CounterId::Dedicated(index) = counter else {
            return false;
        };
        let value = &self.values[usize::from(index)];
        let left = value.get().saturating_sub(bytes);
        let hit = value.replace(left) != 0 && left == 0;
        if hit {
            self.status.set(self.status.get() | 1 << index);
        }
        hit
    }

    /// Bytes that are still to move; 0 for the shared counter.
    pub fn value(&self, counter: CounterId) -> u64 {
        match counter {
            CounterId::Dedicated(index) => self.values[usize::from(index)].get(),
            CounterId::Shared => 0,
        }
    }

    /// The counter status register: bit i is set when counter i has hit zero.
    pub fn status(&self) -> u64 {
        self.status.get()
    }

    /// Whether a counter's bit is set in the status register; never for the shared one.
    pub fn has_hit(&self, counter: CounterId) -> bool {
        matches!(counter, CounterId::Dedicated(index) if self.status.get() & 1 << index != 0)
    }

    /// Gives a dedicated counter back and clears its bit.
    pub fn release(&self, counter: CounterId) {
        if let CounterId::Dedicated(index) = counter {
            self.status.set(self.status.get() & !(1 << index));
            self.free.set(self.free.get() | 1 << index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dedicated_counter_hits_zero_once() {
        let group = CounterGroup::default();
        let counter = group.dedicate(100);
        assert!(!group.count(counter, 60));
        assert_eq!((group.value(counter), group.status()), (40, 0));
        assert!(group.count(counter, 40));
        assert_eq!(group.status(), 1);
        assert!(!group.count(counter, 1));
        group.release(counter);
        assert_eq!(group.status(), 0);
    }

    #[test]
    fn the_65th_transfer_shares() {
        let group = CounterGroup::default();
        let taken: Vec<_> = (0..COUNTERS).map(|_| group.dedicate(8)).collect();
        assert!(taken.iter().all(|counter| *counter != CounterId::Shared));
        let shared = group.dedicate(8);
        assert_eq!(shared, CounterId::Shared);
        assert!(!group.count(shared, 8));
        assert_eq!(group.status(), 0);
        group.release(taken[5]);
        assert_eq!(group.dedicate(8), taken[5]);
    }

    #[test]
    fn fields_come_back() {
        for counter in [
            CounterId::Dedicated(0),
            CounterId::Dedicated(63),
            CounterId::Shared,
        ] {
            assert_eq!(CounterId::from_field(counter.to_field()), Some(counter));
        }
        assert_eq!(CounterId::from_field(0), None);
    }
}
