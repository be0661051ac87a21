//! Sleeping without losing what comes at that moment: the lock-free handshake of this crate.
//!
//! Before: a thread has found nothing to do. After: it sleeps on a word, or has seen what came
//! meanwhile. [`crate::interrupt::Signal`] and [`crate::unit::Doorbell`] stand on this.
//!
//! | sleeper | the bringer of something |
//! |---|---|
//! | word := asleep | stores what it brings |
//! | fence | fence |
//! | looks whether something came | word asleep? then awake, and wakes the sleeper |
//!
//! Invariant: of the two looks at least one sees the other's store, so either the sleeper does not
//! sleep, or it is woken; of several who bring something, at most one wakes it.
//!
//! Everything else that threads share in this crate lies behind a lock or is a sum that only a
//! report reads: injection FIFOs, counters and their status register belong to the context, which
//! one thread has at a time, the engine thread included; the engine thread's roster has a mutex.
//! Lanes and the sleep word itself are modelled in `pamir-shm`.

use pamir_shm::atomic::{AtomicU32, Ordering, fence};
use pamir_shm::sleep;

/// Announces on `word` that its reader goes to sleep, and lets it look a last time: true if it may
/// sleep; false if something `came`, and the announcement is taken back.
pub fn announce(word: &AtomicU32, came: impl FnOnce() -> bool) -> bool {
    sleep::announce(word);
    fence(Ordering::SeqCst);
    let came = came();
    if came {
        sleep::cancel(word);
    }
    !came
}

/// Wakes the reader of `word` if it sleeps, or is about to, after something was brought for it.
#[cfg(not(loom))]
pub fn ring(word: &AtomicU32) {
    if must_wake(word) {
        sleep::wake(word);
    }
}

/// After something was brought for the reader of `word`: whether the caller must wake it. At most
/// one caller gets true for an announcement.
fn must_wake(word: &AtomicU32) -> bool {
    fence(Ordering::SeqCst);
    sleep::must_wake(word)
}

#[cfg(all(test, loom))]
mod tests {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// A word, and a count of what was brought, as an eventfd keeps it.
    fn state() -> Arc<(AtomicU32, AtomicU32)> {
        Arc::new((AtomicU32::new(sleep::AWAKE), AtomicU32::new(0)))
    }

    fn bring(state: &(AtomicU32, AtomicU32)) -> bool {
        state.1.fetch_add(1, Ordering::Relaxed);
        must_wake(&state.0)
    }

    #[test]
    fn loom_who_sleeps_is_woken_by_one() {
        loom::model(|| {
            let state = state();
            let bringers = [0, 1].map(|_| {
                let shared = Arc::clone(&state);
                thread::spawn(move || bring(&shared))
            });
            let mut came = 0;
            let sleeps = announce(&state.0, || {
                came = state.1.swap(0, Ordering::Relaxed);
                came > 0
            });
            let woken: usize = bringers
                .into_iter()
                .map(|bringer| usize::from(bringer.join().unwrap()))
                .sum();
            assert!(woken <= 1);
            assert!(!sleeps || woken == 1, "asleep, and nobody wakes it");
        });
    }

    #[test]
    fn loom_nothing_is_lost_over_several_sleeps() {
        loom::model(|| {
            let state = state();
            let shared = Arc::clone(&state);
            let bringer = thread::spawn(move || {
                bring(&shared);
                bring(&shared);
            });
            let mut came = 0;
            while came < 2 {
                let look = || {
                    let new = state.1.swap(0, Ordering::Relaxed);
                    came += new;
                    new > 0
                };
                if announce(&state.0, look) {
                    // The wait: it lasts until the word is changed, which a lost signal never is.
                    while state.0.load(Ordering::Acquire) == sleep::ASLEEP {
                        thread::yield_now();
                    }
                    sleep::cancel(&state.0);
                    came += state.1.swap(0, Ordering::Relaxed);
                }
            }
            bringer.join().unwrap();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_came_takes_the_announcement_back() {
        let word = AtomicU32::new(sleep::AWAKE);
        assert!(!announce(&word, || true));
        assert!(!must_wake(&word));
        assert!(announce(&word, || false));
        assert!(must_wake(&word));
        assert!(!must_wake(&word), "one wakes it");
    }
}
