//! A pool of C functions: one for each procedure of a kind.
//!
//! What: C passes no state to a reduction or an error handler, so that which procedure is meant has to
//! be known from the C function's own address. [`pool!`] makes many of them, each with a slot.
//! Step before: `operation`, `error_handler`. Step after: C, which gets a function of the pool.
//! Invariant: a slot keeps its procedure while an object has it, and longer: operations that are under
//! way may use it still, so that slots without objects are taken last.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many procedures of a kind a program may have.
pub const SLOTS: usize = 256;

/// All slots hold other procedures.
#[derive(Debug)]
pub struct Full;

/// The procedures of one kind.
pub struct Slots {
    procedures: [AtomicUsize; SLOTS],
    /// How many objects have the procedure of a slot.
    users: Mutex<[usize; SLOTS]>,
}

impl Slots {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            procedures: [const { AtomicUsize::new(0) }; SLOTS],
            users: Mutex::new([0; SLOTS]),
        }
    }

    /// The slot of a procedure for one more object: the one that it has, an empty one, or at last one
    /// that no object has any more.
    pub fn take(&self, procedure: usize) -> Result<usize, Full> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let holder = |wanted| (0..SLOTS).find(|slot| self.procedure(*slot) == wanted);
        let unused = || users.iter().position(|users| *users == 0);
        let slot = holder(procedure).or_else(|| holder(0)).or_else(unused);
        let slot = slot.ok_or(Full)?;
        users[slot] += 1;
        self.procedures[slot].store(procedure, Ordering::Release);
        Ok(slot)
    }

    /// Says that one object less has the procedure of a slot.
    pub fn give_back(&self, slot: usize) {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        users[slot] = users[slot].saturating_sub(1);
    }

    /// The procedure in a slot.
    pub fn procedure(&self, slot: usize) -> usize {
        self.procedures[slot].load(Ordering::Acquire)
    }
}

/// The table of 256 instances of a function that is generic over its slot.
macro_rules! pool {
    ($function:ident) => {
        pool!(@tens $function: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@tens $function:ident: $($ten:literal)*) => {
        [$(pool!(@ones $function, $ten)),*]
    };
    (@ones $function:ident, $ten:literal) => {
        pool!(@row $function, $ten: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@row $function:ident, $ten:literal: $($one:literal)*) => {
        [$($function::<{ $ten * 16 + $one }>),*]
    };
}

pub(super) use pool;
