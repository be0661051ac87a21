//! Posts and completions of a window, counted: how origins and targets of a general active target
//! synchronisation know of each other (MPI-5.0 section 12.5.2).
//!
//! Before: `MPI_Win_post` exposes the target's memory to a group, `MPI_Win_complete` ends an origin's accesses. After: the other
//! side sees that the count has passed what it knew, and knows one more.
//!
//! | count | written by | read by |
//! |---|---|---|
//! | posted | the target | the origin, in `MPI_Win_start` |
//! | completed | the origin | the target, in `MPI_Win_wait` and `MPI_Win_test` |
//!
//! Invariant: a count has one writer and only rises; a reader knows at most as many as were counted, and takes them one by one.

use crate::atomic::{AtomicU64, Ordering};
use crate::shareable::Shareable;

/// How often something has happened between an origin and a target.
#[repr(transparent)]
#[derive(Debug)]
pub struct Count(AtomicU64);

// SAFETY: repr(transparent) around a 64-bit atomic.
unsafe impl Shareable for Count {}

impl Count {
    /// It has happened once more. For its one writer.
    #[inline]
    pub fn add(&self) {
        // Relaxed: nobody else writes. Release pairs with the Acquire in `has_passed`: what the writer did before is seen.
        let count = self.0.load(Ordering::Relaxed);
        self.0.store(count.wrapping_add(1), Ordering::Release);
    }

    /// Whether it has happened more than `known` times.
    #[inline]
    pub fn has_passed(&self, known: u64) -> bool {
        self.0.load(Ordering::Acquire) != known
    }

    #[cfg(all(test, loom))]
    fn zero() -> Self {
        Self(AtomicU64::new(0))
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use crate::atomic::AtomicU32;
    use loom::sync::Arc;

    #[test]
    fn what_was_done_before_is_seen_on_both_sides() {
        loom::model(|| {
            let shared = Arc::new((Count::zero(), Count::zero(), AtomicU32::new(0)));
            let origin = {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || {
                    let (posted, completed, memory) = &*shared;
                    while !posted.has_passed(0) {
                        loom::thread::yield_now();
                    }
                    // The target's own store is seen, and then overwritten.
                    assert_eq!(memory.load(Ordering::Relaxed), 1);
                    memory.store(2, Ordering::Relaxed);
                    completed.add();
                })
            };
            let (posted, completed, memory) = &*shared;
            memory.store(1, Ordering::Relaxed);
            posted.add();
            while !completed.has_passed(0) {
                loom::thread::yield_now();
            }
            assert_eq!(memory.load(Ordering::Relaxed), 2);
            origin.join().unwrap();
        });
    }
}
