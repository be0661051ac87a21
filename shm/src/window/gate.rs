//! The gate of a member's memory: one accumulate at a time.
//!
//! Before: an accumulating call has its operands. After: it has read, combined and written the target's elements, and nobody else
//! has in between, however long an element is and whatever the way to it: stores, the kernel's copies, or the target itself.
//!
//! | word | by | becomes |
//! |---|---|---|
//! | open | who comes | closed |
//! | closed | who closed it | open |
//!
//! Nobody waits for anything else while the gate is closed, so who finds it closed spins, and soon lets others run: the one
//! who closed it may need this processor.
//!
//! Invariant: between closing and opening, only who closed it accumulates into the member's memory.

use crate::atomic::{AtomicU32, Ordering, spin_loop};
use crate::shareable::Shareable;

const OPEN: u32 = 0;
const CLOSED: u32 = 1;

/// Looks at a closed gate before others are let run.
const SPINS: u32 = 64;

/// A gate.
#[repr(transparent)]
#[derive(Debug)]
pub struct Gate(AtomicU32);

// SAFETY: repr(transparent) around a 32-bit atomic.
unsafe impl Shareable for Gate {}

/// The gate is closed for all others until this is dropped.
#[derive(Debug)]
pub struct Inside<'g>(&'g Gate);

impl Gate {
    /// Closes the gate, as soon as it is open.
    #[inline(always)]
    pub fn enter(&self) -> Inside<'_> {
        if !self.close() {
            self.enter_later();
        }
        Inside(self)
    }

    #[inline(always)]
    fn close(&self) -> bool {
        // Acquire pairs with the Release in `drop`: what the last one wrote is read.
        let closed = self
            .0
            .compare_exchange(OPEN, CLOSED, Ordering::Acquire, Ordering::Relaxed);
        closed.is_ok()
    }

    #[cold]
    #[inline(never)]
    fn enter_later(&self) {
        let mut looks = 0;
        loop {
            while self.0.load(Ordering::Relaxed) != OPEN {
                looks += 1;
                pause(looks);
            }
            if self.close() {
                return;
            }
        }
    }

    #[cfg(all(test, loom))]
    fn open() -> Self {
        Self(AtomicU32::new(OPEN))
    }
}

#[cfg(not(loom))]
fn pause(looks: u32) {
    if looks.is_multiple_of(SPINS) {
        std::thread::yield_now();
    } else {
        spin_loop();
    }
}

#[cfg(loom)]
fn pause(_looks: u32) {
    let _ = SPINS;
    spin_loop();
    loom::thread::yield_now();
}

impl Drop for Inside<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.0.store(OPEN, Ordering::Release);
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Counter(UnsafeCell<u32>);
    // SAFETY: the gate keeps those apart who touch it, which the model checks.
    unsafe impl Sync for Counter {}
    // SAFETY: as above.
    unsafe impl Send for Counter {}

    #[test]
    fn only_one_is_inside() {
        loom::model(|| {
            let shared = Arc::new((Gate::open(), Counter(UnsafeCell::new(0))));
            let add = |shared: &(Gate, Counter)| {
                let _inside = shared.0.enter();
                // SAFETY: the model fails if another one is at it.
                shared.1.0.with_mut(|count| unsafe { *count += 1 });
            };
            let other = {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || add(&shared))
            };
            add(&shared);
            other.join().unwrap();
            let _inside = shared.0.enter();
            // SAFETY: as above.
            shared.1.0.with(|count| assert_eq!(unsafe { *count }, 2));
        });
    }
}
