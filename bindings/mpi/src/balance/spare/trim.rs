//! The library's own housekeeping: memory that a program has freed goes back to the system.
//!
//! Before: the launcher balances the job (`mpiexec --balance`), and a rank waits for long. After: memory
//! that the C library keeps for a program that no longer uses it is the system's again, so that a
//! second program may have it.
//!
//! | free in the C library | is done |
//! |---|---|
//! | less than `LEAST_BYTES`, or less than lately | nothing: the program will take it again |
//! | as much as at the last looks | it is given back |
//!
//! Invariant: memory that was given back is not asked for at once: what a program frees and takes in
//! each cycle stays.

use std::cell::Cell;

use pamir_driver::memory::c_heap;

/// Less is not worth a look through all of it.
const LEAST_BYTES: usize = 16 << 20;

/// At so many looks the memory was there and free.
const LOOKS: u32 = 3;

/// When freed memory is given back.
#[derive(Debug, Default)]
pub struct Trim {
    /// The least that was free at the last looks.
    free_bytes: Cell<usize>,
    looks: Cell<u32>,
    given_back: Cell<usize>,
}

impl Trim {
    /// Looks, and gives back what stays free; the function of one slice.
    pub fn slice(&self) {
        if self.is_due(c_heap::free_bytes()) {
            self.given_back
                .set(self.given_back.get() + c_heap::give_back());
        }
    }

    /// How many bytes were given back.
    pub fn given_back_bytes(&self) -> usize {
        self.given_back.get()
    }

    /// Whether so much has been free for long enough.
    fn is_due(&self, free_bytes: usize) -> bool {
        let least = self.free_bytes.get();
        if free_bytes < LEAST_BYTES || free_bytes < least / 2 {
            self.free_bytes.set(free_bytes);
            self.looks.set(0);
            return false;
        }
        let known = if self.looks.get() == 0 {
            free_bytes
        } else {
            least
        };
        self.free_bytes.set(known.min(free_bytes));
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() < LOOKS {
            return false;
        }
        self.looks.set(0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_that_was_free_for_some_looks() {
        const MUCH: usize = 64 << 20;
        let due = |looks: &[usize]| {
            let trim = Trim::default();
            let due = looks.iter().map(|free| trim.is_due(*free));
            due.collect::<Vec<_>>()
        };
        assert_eq!(due(&[MUCH; 4]), [false, false, true, false]);
        assert_eq!(due(&[MUCH, 1000, MUCH, 1000, MUCH, MUCH]), [false; 6]);
        assert_eq!(
            due(&[MUCH, MUCH, MUCH / 3, MUCH / 3, MUCH / 3, MUCH / 3]),
            [false, false, false, false, false, true]
        );
    }
}
