//! What memory a member of a dynamic window has attached, for all to see.
//!
//! Before: `MPI_Win_attach` and `MPI_Win_detach` at the owner. After: whoever accesses an address looks whether it is attached, and the
//! owner need not know.
//!
//! ```text
//! version   odd while the owner changes the table
//! count     how many entries there are
//! entries   first address and bytes of each, in the order of addresses; they do not overlap
//! ```
//!
//! | version | by | becomes |
//! |---|---|---|
//! | even | the owner, before a change | odd |
//! | odd | the owner, after it | even, 2 more than before |
//!
//! A reader looks again where the version was odd or has changed meanwhile.
//!
//! Invariant: one writer; entries are sorted and do not overlap whenever the version is even.

use std::sync::atomic::{Ordering, fence};

use crate::atomic::{AtomicU64, spin_loop};
use crate::shareable::Shareable;

/// Entries of a table: with the two words before them, as many as fill a mebibyte.
const MOST: usize = (1 << 16) - 1;

#[repr(C)]
#[derive(Debug)]
struct Entry {
    start: AtomicU64,
    bytes: AtomicU64,
}

/// The attached memory of one member. What is not used of it is never touched.
#[repr(C)]
#[derive(Debug)]
pub struct AttachedTable {
    version: AtomicU64,
    count: AtomicU64,
    entries: [Entry; MOST],
}

// SAFETY: repr(C), nothing but 64-bit atomics.
unsafe impl Shareable for AttachedTable {}

const _: () = assert!(size_of::<AttachedTable>() == 1 << 20);

/// Why memory could not be attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// Some of it is attached already.
    #[error("some of it is attached already: detach it first")]
    Overlaps,
    /// The table is full.
    #[error(
        "{MOST} pieces of memory are attached, the most that a rank may have: detach one first, or attach longer pieces"
    )]
    Full,
}

impl AttachedTable {
    fn entry(&self, index: usize) -> (u64, u64) {
        let entry = &self.entries[index];
        (
            entry.start.load(Ordering::Relaxed),
            entry.bytes.load(Ordering::Relaxed),
        )
    }

    fn set(&self, index: usize, (start, bytes): (u64, u64)) {
        let entry = &self.entries[index];
        entry.start.store(start, Ordering::Relaxed);
        entry.bytes.store(bytes, Ordering::Relaxed);
    }

    fn count(&self) -> usize {
        (self.count.load(Ordering::Relaxed) as usize).min(MOST)
    }

    /// The last entry that begins at an address or below, if there is one.
    fn before(&self, count: usize, address: u64) -> Option<usize> {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            if self.entry(middle).0 <= address {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }

    fn change(&self, work: impl FnOnce()) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        // The entries are not stored before the version is odd.
        fence(Ordering::Release);
        work();
        self.version.store(version + 2, Ordering::Release);
    }

    /// Attaches `bytes` bytes at an address. For the owner alone.
    ///
    /// # Errors
    ///
    /// [`AttachError`]; nothing is attached then.
    pub fn attach(&self, start: u64, bytes: u64) -> Result<(), AttachError> {
        let count = self.count();
        let at = self.before(count, start).map_or(0, |index| index + 1);
        let ends = |(start, bytes): (u64, u64)| start.saturating_add(bytes.max(1));
        let overlaps_before = at > 0 && ends(self.entry(at - 1)) > start;
        let overlaps_after = at < count && ends((start, bytes)) > self.entry(at).0;
        if overlaps_before || overlaps_after {
            return Err(AttachError::Overlaps);
        }
        if count == MOST {
            return Err(AttachError::Full);
        }
        self.change(|| {
            for index in (at..count).rev() {
                self.set(index + 1, self.entry(index));
            }
            self.set(at, (start, bytes));
            self.count.store(count as u64 + 1, Ordering::Relaxed);
        });
        Ok(())
    }

    /// Takes back what was attached at an address; whether something was. For the owner alone.
    pub fn detach(&self, start: u64) -> bool {
        let count = self.count();
        let found = self.before(count, start);
        let Some(at) = found.filter(|at| self.entry(*at).0 == start) else {
            return false;
        };
        self.change(|| {
            for index in at + 1..count {
                self.set(index - 1, self.entry(index));
            }
            self.count.store(count as u64 - 1, Ordering::Relaxed);
        });
        true
    }

    /// Whether all of `bytes` bytes at an address are attached.
    pub fn holds(&self, start: u64, bytes: u64) -> bool {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let held = self.looks_held(start, bytes);
            // The version is not looked at before the entries are.
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                return held;
            }
            spin_loop();
        }
    }

    fn looks_held(&self, start: u64, bytes: u64) -> bool {
        let Some(end) = start.checked_add(bytes) else {
            return false;
        };
        let count = self.count();
        let mut next = start;
        let mut index = match self.before(count, start) {
            Some(index) => index,
            None => return bytes == 0,
        };
        // Pieces that follow each other without a gap are as good as one.
        while next < end && index < count {
            let (first, bytes) = self.entry(index);
            if first > next || first.saturating_add(bytes) <= next {
                return false;
            }
            next = first.saturating_add(bytes);
            index += 1;
        }
        next >= end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Segment;
    use crate::segment::mapped::Mapped;
    use crate::segment::offset::Offset;
    use std::sync::Arc;

    fn table() -> Mapped<AttachedTable> {
        let segment = Arc::new(Segment::create(1 << 20).unwrap());
        Mapped::new(&segment, Offset::new(0)).unwrap()
    }

    #[test]
    fn only_what_is_attached_is_held() {
        let table = table();
        assert!(!table.holds(100, 1) && !table.detach(100));
        table.attach(1000, 100).unwrap();
        table.attach(100, 50).unwrap();
        table.attach(1100, 10).unwrap();
        for (start, bytes, held) in [
            (100, 50, true),
            (149, 2, false),
            (99, 2, false),
            (1000, 110, true),
            (1000, 111, false),
            (1099, 2, true),
            (500, 1, false),
            (u64::MAX, 2, false),
        ] {
            assert_eq!(table.holds(start, bytes), held, "{start} {bytes}");
        }
        assert_eq!(table.attach(140, 20), Err(AttachError::Overlaps));
        assert_eq!(table.attach(990, 20), Err(AttachError::Overlaps));
        assert!(!table.detach(1001) && table.detach(1000));
        assert!(!table.holds(1000, 1) && table.holds(1100, 10) && table.holds(100, 1));
        table.attach(1000, 100).unwrap();
    }

    #[test]
    fn a_full_table_takes_no_more() {
        let table = table();
        for piece in 0..MOST as u64 {
            table.attach(piece * 16, 8).unwrap();
        }
        assert_eq!(table.attach(1 << 40, 8), Err(AttachError::Full));
        assert!(table.holds(16 * (MOST as u64 - 1), 8));
        assert!(table.detach(0) && table.attach(1 << 40, 8).is_ok());
    }

    #[test]
    fn readers_never_see_half_a_change() {
        let table = table();
        table.attach(1 << 30, 64).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2000 {
                    table.attach(64, 64).unwrap();
                    assert!(table.detach(64));
                }
            });
            for _ in 0..20_000 {
                assert!(table.holds(1 << 30, 64) && !table.holds(128, 8));
            }
        });
    }
}
