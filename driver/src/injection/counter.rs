//! DMA counters: how the engine says that descriptors in its FIFOs are complete.
//!
//! Before: a descriptor with a completion goes into an injection FIFO, and gets a counter. After:
//! the engine's step, also that of an interrupt, has one look at the status register, and tells
//! the owner of every transfer whose bit is set.
//!
//! A group has 64 counters. A dedicated counter is set to the bytes that its one transfer has
//! still to move, counts down as they move, and sets its bit in the counter status register at
//! zero. The group belongs to a context, which one thread has at a time: the application's, or
//! the engine thread under the context's lock. So nothing here is atomic. When all 64 are taken,
//! a transfer gets the shared counter: it never blocks, but its value and bit mean nothing, and
//! its completion is told as it is done.
//!
//! | state     | by        | to        |
//! |-----------|-----------|-----------|
//! | free      | `dedicate`| dedicated |
//! | dedicated | `count`   | dedicated, or at zero: hit (bit set) |
//! | hit       | `release`, `take_hits` | free |

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

/// What the counters of a group have told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterStatistics {
    /// Looks at a status register that had a bit set.
    pub looks: u64,
    /// Transfers that those looks found complete.
    pub hits: u64,
    /// Transfers that found no dedicated counter.
    pub shared: u64,
}

/// The counters of one context, and their status register.
#[derive(Debug)]
pub struct CounterGroup {
    values: [Cell<u64>; COUNTERS],
    /// What the owner knows each counter's transfer by.
    cookies: [Cell<u64>; COUNTERS],
    free: Cell<u64>,
    status: Cell<u64>,
    statistics: Cell<CounterStatistics>,
}

impl Default for CounterGroup {
    fn default() -> Self {
        let zeros = || std::array::from_fn(|_| Cell::new(0));
        Self {
            values: zeros(),
            cookies: zeros(),
            free: Cell::new(u64::MAX),
            status: Cell::new(0),
            statistics: Cell::default(),
        }
    }
}

impl CounterGroup {
    /// A counter for a transfer of `bytes` bytes, which the owner knows by `cookie`: a dedicated
    /// one while there is one.
    pub fn dedicate(&self, bytes: u64, cookie: u64) -> CounterId {
        let free = self.free.get();
        if free == 0 {
            let of = self.statistics.get();
            let shared = of.shared + 1;
            self.statistics.set(CounterStatistics { shared, ..of });
            return CounterId::Shared;
        }
        let index = free.trailing_zeros() as u8;
        self.free.set(free & !(1 << index));
        self.values[usize::from(index)].set(bytes);
        self.cookies[usize::from(index)].set(cookie);
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

    /// The transfer has moved all that it ever will; true for a dedicated counter.
    pub fn complete(&self, counter: CounterId) -> bool {
        self.count(counter, self.value(counter));
        self.has_hit(counter)
    }

    /// The owner knows a transfer by another cookie from now on.
    pub fn rename(&self, counter: CounterId, cookie: u64) {
        if let CounterId::Dedicated(index) = counter {
            self.cookies[usize::from(index)].set(cookie);
        }
    }

    /// One look at the status register: each transfer whose bit is set is told to `tell` by its
    /// cookie, and its counter is free again before that.
    pub fn take_hits(&self, mut tell: impl FnMut(u64)) {
        let hits = self.status.get();
        if hits == 0 {
            return;
        }
        let of = self.statistics.get();
        self.statistics.set(CounterStatistics {
            looks: of.looks + 1,
            hits: of.hits + u64::from(hits.count_ones()),
            ..of
        });
        // By themselves first: the owner may start transfers that take counters, or look again.
        let mut cookies = [0; COUNTERS];
        let indices = (0..COUNTERS as u8).filter(|index| hits & 1 << index != 0);
        let mut told = 0;
        for index in indices {
            cookies[told] = self.cookies[usize::from(index)].get();
            self.release(CounterId::Dedicated(index));
            told += 1;
        }
        cookies[..told].iter().for_each(|cookie| tell(*cookie));
    }

    /// What the counters have told so far.
    pub fn statistics(&self) -> CounterStatistics {
        self.statistics.get()
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
        let counter = group.dedicate(100, 1);
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
        let taken: Vec<_> = (0..COUNTERS).map(|_| group.dedicate(8, 1)).collect();
        assert!(taken.iter().all(|counter| *counter != CounterId::Shared));
        let shared = group.dedicate(8, 1);
        assert_eq!(shared, CounterId::Shared);
        assert!(!group.count(shared, 8));
        assert_eq!(group.status(), 0);
        group.release(taken[5]);
        assert_eq!(group.dedicate(8, 1), taken[5]);
    }

    #[test]
    fn one_look_tells_of_all_that_hit() {
        let group = CounterGroup::default();
        let counters: Vec<_> = (0..5).map(|at| group.dedicate(at + 1, 10 + at)).collect();
        group.rename(counters[3], 99);
        for counter in [1, 3, 4].map(|at: usize| counters[at]) {
            group.complete(counter);
        }
        let mut told = Vec::new();
        group.take_hits(|cookie| {
            // Its counter is free again when the owner hears of it.
            assert_eq!(group.dedicate(0, 0), counters[1]);
            group.release(counters[1]);
            told.push(cookie);
        });
        assert_eq!(told, [11, 99, 14]);
        group.take_hits(|cookie| panic!("{cookie} is told twice"));
        let statistics = group.statistics();
        assert_eq!((statistics.looks, statistics.hits), (1, 3));
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
