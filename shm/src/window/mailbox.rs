//! A short access that the target does for an origin, while it waits in a call anyway.
//!
//! Before: an origin reaches the target's memory by the kernel only, and a system call is slow for a few bytes. After: the target,
//! which has nothing else to do, has done the access and left the result; or the origin has taken its request back, and goes the
//! other way. So nothing depends on the target.
//!
//! ```text
//! beat       a line that the target writes while it waits: when that was
//! state      a line: state │ words of the request, and of the answer
//! ```
//!
//! | state | by | becomes |
//! |---|---|---|
//! | free | an origin | claimed: it writes its request |
//! | claimed | that origin | posted |
//! | posted | the target, waiting | taken: it does the access |
//! | posted | the origin, out of patience | free |
//! | taken | the target | done |
//! | done | the origin, which has read the answer | free |
//!
//! Invariants: the words are the origin's from claimed to posted and from done to free, and the target's while taken; a request is
//! either done or taken back, never both.

use crate::atomic::{AtomicU32, AtomicU64, Ordering, spin_loop};

const FREE: u32 = 0;
const CLAIMED: u32 = 1;
const POSTED: u32 = 2;
const TAKEN: u32 = 3;
const DONE: u32 = 4;

/// Words of a request and of its answer.
pub const WORDS: usize = 11;

/// Looks at a posted request before it is taken back: some microseconds.
#[cfg(not(loom))]
const PATIENCE: u32 = 500;
#[cfg(loom)]
const PATIENCE: u32 = 1;

/// One request.
#[repr(C)]
#[derive(Debug)]
pub struct Slot {
    state: AtomicU32,
    unused: AtomicU32,
    words: [AtomicU64; WORDS],
}

impl Slot {
    /// At the target: `work` makes an answer of a request, if there is one; whether there was.
    #[inline]
    pub(super) fn serve(&self, work: impl FnOnce(&mut [u64; WORDS])) -> bool {
        if self.state.load(Ordering::Relaxed) != POSTED {
            return false;
        }
        // Acquire pairs with the Release in `ask`: the words of the request are read.
        let taken =
            self.state
                .compare_exchange(POSTED, TAKEN, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() {
            return false;
        }
        let mut words = self.read();
        work(&mut words);
        self.write(&words);
        self.state.store(DONE, Ordering::Release);
        true
    }

    /// Has the target do what the words say, if it does so at once: they are its answer then. Nothing was done if not.
    pub(super) fn ask(&self, words: &mut [u64; WORDS]) -> bool {
        let claimed =
            self.state
                .compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
        if claimed.is_err() {
            return false;
        }
        self.write(words);
        self.state.store(POSTED, Ordering::Release);
        if !self.await_done(PATIENCE) {
            let withdrawn =
                self.state
                    .compare_exchange(POSTED, FREE, Ordering::AcqRel, Ordering::Relaxed);
            if withdrawn.is_ok() {
                return false;
            }
            // It was taken: the target is at it.
            while !self.await_done(PATIENCE) {
                give_way();
            }
        }
        *words = self.read();
        self.state.store(FREE, Ordering::Release);
        true
    }

    fn read(&self) -> [u64; WORDS] {
        // Relaxed: the state orders them.
        std::array::from_fn(|word| self.words[word].load(Ordering::Relaxed))
    }

    fn write(&self, words: &[u64; WORDS]) {
        for (place, word) in self.words.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
    }

    fn await_done(&self, looks: u32) -> bool {
        for _ in 0..looks {
            // Acquire pairs with the Release in `serve`: the answer is read.
            if self.state.load(Ordering::Acquire) == DONE {
                return true;
            }
            spin_loop();
        }
        false
    }
}

#[cfg(not(loom))]
fn give_way() {
    std::thread::yield_now();
}

#[cfg(loom)]
fn give_way() {
    loom::thread::yield_now();
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;

    #[test]
    fn a_request_is_done_or_taken_back() {
        loom::model(|| {
            let slot = Arc::new(Slot {
                state: AtomicU32::new(FREE),
                unused: AtomicU32::new(0),
                words: std::array::from_fn(|_| AtomicU64::new(0)),
            });
            let target = {
                let slot = Arc::clone(&slot);
                loom::thread::spawn(move || {
                    let mut served = false;
                    slot.serve(|words| {
                        assert_eq!(words[0], 5);
                        words[0] = 6;
                        served = true;
                    });
                    served
                })
            };
            let mut words = [5; WORDS];
            let done = slot.ask(&mut words);
            assert_eq!(words[0], if done { 6 } else { 5 });
            assert_eq!(target.join().unwrap(), done);
            assert_eq!(slot.state.load(Ordering::Relaxed), FREE);
        });
    }
}
