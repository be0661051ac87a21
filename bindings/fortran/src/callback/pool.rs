//! A pool of C functions: one for each procedure of a kind.
//!
//! What: C passes no state to a reduction or an error handler, so that which procedure is meant has to
//! be known from the C function's own address. [`pool!`] makes many of them, each with a slot.
//! Step before: `operation`, `error_handler`. Step after: C, which gets a function of the pool.
//! Invariant: a slot that is taken keeps its procedure: a C function means the same until the end.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many procedures of a kind a program may have.
pub const SLOTS: usize = 256;

/// All slots hold other procedures.
#[derive(Debug)]
pub struct Full;

/// The procedures of one kind.
pub struct Slots([AtomicUsize; SLOTS]);

impl Slots {
    /// None yet.
    pub const fn new() -> Self {
        Self([const { AtomicUsize::new(0) }; SLOTS])
    }

    /// The slot of a procedure, which it takes if it has none.
    pub fn of(&self, procedure: usize) -> Result<usize, Full> {
        for (index, slot) in self.0.iter().enumerate() {
            // Whoever comes second to an empty slot sees who took it.
            match slot.compare_exchange(0, procedure, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Ok(index),
                Err(holder) if holder == procedure => return Ok(index),
                Err(_) => {}
            }
        }
        Err(Full)
    }

    /// The procedure in a slot.
    pub fn procedure(&self, index: usize) -> usize {
        self.0[index].load(Ordering::Acquire)
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
