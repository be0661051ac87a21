//! The lock of a member's memory: shared or exclusive, in the order in which it was asked for.
//!
//! Before: `MPI_Win_lock` asks. After: the lock is had at once, or a [`Turn`] says when it is.
//!
//! ```text
//! bit 0..16    tickets   how many have asked
//! bit 16..32   shared    the ticket that may begin to share
//! bit 32..48   exclusive the ticket that may have it alone
//! ```
//!
//! | step | tickets | shared | exclusive |
//! |---|---|---|---|
//! | ask, and wait until the own ticket's turn has come | +1 | | |
//! | begin to share: the next one may share too | | +1 | |
//! | end of a share | | | +1 |
//! | end of an exclusive lock | | +1 | +1 |
//!
//! So a ticket may have it alone once all before it have ended, and may share once all before it share or have ended: who
//! comes later never overtakes, and nobody starves.
//!
//! Invariants: fields count modulo 2^16, and fewer than that many wait; `exclusive` <= `shared` <= `tickets`.

use crate::atomic::{AtomicU64, Ordering};
use crate::shareable::Shareable;

const BITS: u32 = 16;
const MASK: u64 = (1 << BITS) - 1;

#[derive(Clone, Copy)]
enum Field {
    Tickets = 0,
    Shared = 1,
    Exclusive = 2,
}

fn read(word: u64, field: Field) -> u64 {
    word >> (field as u32 * BITS) & MASK
}

/// The word with one more in a field; nothing is carried into the next one.
fn counted(word: u64, field: Field) -> u64 {
    let shift = field as u32 * BITS;
    let one_more = (read(word, field) + 1) & MASK;
    word & !(MASK << shift) | one_more << shift
}

/// A place in the order of those who have asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    ticket: u64,
    is_shared: bool,
}

/// A fair lock.
#[repr(transparent)]
#[derive(Debug)]
pub struct TurnLock(AtomicU64);

// SAFETY: repr(transparent) around a 64-bit atomic.
unsafe impl Shareable for TurnLock {}

impl TurnLock {
    /// Asks for a share; none if it is had at once, else the turn to wait for.
    #[inline]
    pub fn ask_shared(&self) -> Option<Turn> {
        self.ask(true)
    }

    /// Asks for the lock alone; as [`Self::ask_shared`].
    #[inline]
    pub fn ask_exclusive(&self) -> Option<Turn> {
        self.ask(false)
    }

    /// Takes a share, or the lock alone, if that is free; whether it was. Who finds it taken has asked for nothing.
    #[inline]
    pub fn try_take(&self, is_shared: bool) -> bool {
        let word = self.0.load(Ordering::Relaxed);
        let ticket = read(word, Field::Tickets);
        let turn = Turn { ticket, is_shared };
        let asked = counted(word, Field::Tickets);
        let next = match is_shared {
            true => counted(asked, Field::Shared),
            false => asked,
        };
        // Acquire: as in `ask`.
        let taken = || {
            self.0
                .compare_exchange(word, next, Ordering::Acquire, Ordering::Relaxed)
        };
        turn.has_come(word) && taken().is_ok()
    }

    #[inline]
    fn ask(&self, is_shared: bool) -> Option<Turn> {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let ticket = read(word, Field::Tickets);
            let asked = counted(word, Field::Tickets);
            let turn = Turn { ticket, is_shared };
            let is_free = turn.has_come(word);
            let next = if is_free && is_shared {
                counted(asked, Field::Shared)
            } else {
                asked
            };
            // Acquire pairs with the Release of those who ended: what they did is seen.
            match self
                .0
                .compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) if is_free => return None,
                Ok(_) => return Some(turn),
                Err(now) => word = now,
            }
        }
    }

    /// Whether a turn has come: it stays so until [`Self::take`].
    pub fn has_come(&self, turn: Turn) -> bool {
        // Acquire: as in `ask`.
        turn.has_come(self.0.load(Ordering::Acquire))
    }

    /// Takes the lock, whose turn has come.
    pub fn take(&self, turn: Turn) {
        debug_assert!(self.has_come(turn));
        if turn.is_shared {
            self.change(Ordering::AcqRel, |word| counted(word, Field::Shared));
        }
    }

    /// Ends a share.
    #[inline]
    pub fn end_shared(&self) {
        self.change(Ordering::Release, |word| counted(word, Field::Exclusive));
    }

    /// Ends an exclusive lock.
    #[inline]
    pub fn end_exclusive(&self) {
        self.change(Ordering::Release, |word| {
            counted(counted(word, Field::Shared), Field::Exclusive)
        });
    }

    /// Whether somebody may wait for its turn, asked by who has just ended or begun to share.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        let word = self.0.load(Ordering::Relaxed);
        read(word, Field::Tickets) != read(word, Field::Shared)
    }

    #[inline]
    fn change(&self, order: Ordering, change: impl Fn(u64) -> u64) {
        let mut word = self.0.load(Ordering::Relaxed);
        while let Err(now) =
            self.0
                .compare_exchange_weak(word, change(word), order, Ordering::Relaxed)
        {
            word = now;
        }
    }

    #[cfg(test)]
    fn free() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl Turn {
    fn has_come(self, word: u64) -> bool {
        let field = if self.is_shared {
            Field::Shared
        } else {
            Field::Exclusive
        };
        read(word, field) == self.ticket
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nobody_overtakes() {
        let lock = TurnLock::free();
        assert!(lock.ask_shared().is_none() && lock.ask_shared().is_none());
        assert!(!lock.is_awaited());
        let alone = lock.ask_exclusive().unwrap();
        let late = lock.ask_shared().unwrap();
        assert!(lock.is_awaited());
        lock.end_shared();
        assert!(!lock.has_come(alone) && !lock.has_come(late));
        lock.end_shared();
        assert!(!lock.has_come(late) && lock.has_come(alone));
        lock.take(alone);
        lock.end_exclusive();
        assert!(lock.has_come(late));
        lock.take(late);
        assert!(!lock.is_awaited());
        lock.end_shared();
        assert!(lock.try_take(false) && !lock.try_take(false) && !lock.try_take(true));
        lock.end_exclusive();
        assert!(lock.try_take(true) && lock.try_take(true) && !lock.try_take(false));
        lock.end_shared();
        lock.end_shared();
        assert!(!lock.is_awaited());
    }

    #[test]
    fn tickets_begin_again() {
        let lock = TurnLock::free();
        for _ in 0..3 << BITS {
            assert!(lock.ask_exclusive().is_none());
            let next = lock.ask_shared().unwrap();
            lock.end_exclusive();
            assert!(lock.has_come(next));
            lock.take(next);
            lock.end_shared();
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Memory(UnsafeCell<u32>);
    // SAFETY: the lock keeps those apart who touch it, which the model checks.
    unsafe impl Sync for Memory {}
    // SAFETY: as above.
    unsafe impl Send for Memory {}

    fn wait(lock: &TurnLock, turn: Option<Turn>) {
        if let Some(turn) = turn {
            while !lock.has_come(turn) {
                loom::thread::yield_now();
            }
            lock.take(turn);
        }
    }

    #[test]
    fn a_writer_is_alone_and_readers_see_what_it_wrote() {
        loom::model(|| {
            let shared = Arc::new((TurnLock::free(), Memory(UnsafeCell::new(0))));
            let write = |shared: &(TurnLock, Memory)| {
                let turn = shared.0.ask_exclusive();
                wait(&shared.0, turn);
                // SAFETY: the model fails if another one is at it.
                shared.1.0.with_mut(|value| unsafe { *value += 1 });
                shared.0.end_exclusive();
            };
            let writer = {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || write(&shared))
            };
            let turn = shared.0.ask_shared();
            wait(&shared.0, turn);
            // SAFETY: as above.
            let seen = shared.1.0.with(|value| unsafe { *value });
            shared.0.end_shared();
            write(&shared);
            writer.join().unwrap();
            let turn = shared.0.ask_shared();
            wait(&shared.0, turn);
            // SAFETY: as above.
            shared
                .1
                .0
                .with(|value| assert!(unsafe { *value } == 2 && seen < 2));
        });
    }
}
