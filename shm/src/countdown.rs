//! A counter that several threads count down, and that ends once.
//!
//! Before: a message is divided into submessages, which different threads move. After: the thread that
//! counts the last one is told so, and wakes the thread that owns the message.
//!
//! | from      | to        | by |
//! |-----------|-----------|----|
//! | n         | n - 1     | [`Countdown::count`], which answers false |
//! | 1         | 0: ended  | [`Countdown::count`], which answers true, to one thread |
//!
//! Invariants: what a thread did before it counted is seen by the thread that has seen the end
//! ([`Countdown::has_ended`], or the `true` of the last count); the end is told to one thread.

use crate::atomic::{AtomicU32, Ordering};

/// How many submessages are left.
#[derive(Debug)]
pub struct Countdown(AtomicU32);

impl Countdown {
    /// A counter of `submessages` that are not done; of none, it has ended.
    pub fn new(submessages: u32) -> Self {
        Self(AtomicU32::new(submessages))
    }

    /// One more is done; whether it was the last.
    pub fn count(&self) -> bool {
        // Release: what the caller moved comes before; Acquire: the last one may answer for all.
        let before = self.0.fetch_sub(1, Ordering::AcqRel);
        debug_assert_ne!(before, 0, "more submessages end than there are");
        before == 1
    }

    /// Whether all are done: then everything that they moved is seen here.
    pub fn has_ended(&self) -> bool {
        // Acquire: pairs with the Release of every count, which are one sequence.
        self.0.load(Ordering::Acquire) == 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_count_is_told() {
        let countdown = Countdown::new(3);
        assert_eq!([0; 3].map(|_| countdown.count()), [false, false, true]);
        assert!(countdown.has_ended());
        assert!(Countdown::new(0).has_ended() && !Countdown::new(1).has_ended());
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Bytes that one worker writes, and the master reads once the count has ended.
    struct Stripe(UnsafeCell<u64>);

    // SAFETY: loom checks every access.
    unsafe impl Sync for Stripe {}
    // SAFETY: as above.
    unsafe impl Send for Stripe {}

    /// Two workers and a master that moves a stripe itself: one of them ends the message, and
    /// the master reads every stripe without a race.
    #[test]
    fn loom_a_message_ends_once_with_all_its_stripes() {
        loom::model(|| {
            let stripes = [0, 1, 2].map(|_| Stripe(UnsafeCell::new(0)));
            let shared = Arc::new((Countdown::new(3), stripes));
            let move_stripe = |shared: &(Countdown, [Stripe; 3]), index: usize| {
                // SAFETY: loom checks that nobody else touches the stripe meanwhile.
                shared.1[index].0.with_mut(|bytes| unsafe { *bytes = 7 });
                shared.0.count()
            };
            let workers = [1, 2].map(|index| {
                let shared = shared.clone();
                loom::thread::spawn(move || move_stripe(&shared, index))
            });
            let mut ended = usize::from(move_stripe(&shared, 0));
            while !shared.0.has_ended() {
                loom::thread::yield_now();
            }
            for stripe in &shared.1 {
                // SAFETY: loom checks that the worker's write comes before.
                assert_eq!(stripe.0.with(|bytes| unsafe { *bytes }), 7);
            }
            for worker in workers {
                ended += usize::from(worker.join().unwrap());
            }
            assert_eq!(ended, 1);
        });
    }
}
