//! Bells: which lanes that lead to a target have carried anything.
//!
//! Before: an origin is about to write its first record into a lane. After: the target looks at the
//! lane with each poll.
//!
//! A look at a lane's ring makes memory of its first page, and a target has a lane from every rank. So
//! it looks at the rings of those lanes only whose bells have rung: a bit each, all of a target's in
//! the lines of one `Bells`.
//!
//! | a lane's bell | becomes | by |
//! |---|---|---|
//! | silent | rung | its origin, before it writes the first record |
//!
//! Nothing else is allowed: a bell rings once.
//!
//! Invariant: who sees a record sees that its lane's bell has rung, since that was written before. So a
//! look at the bells, and then at the rings of those that have rung, finds all records that a look at
//! all rings would: the last look before a sleep ([`crate::sleep`]) may be this one.

use crate::atomic::{AtomicU64, Ordering};
use crate::shareable::Shareable;

/// Bells of one word.
const WORD_BELLS: usize = u64::BITS as usize;

/// Words of a target's bells.
pub const BELL_WORDS: usize = 16;

/// The bells of all lanes that lead to one target.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Bells {
    words: [AtomicU64; BELL_WORDS],
}

// SAFETY: repr(C), nothing but 64-bit atomics.
unsafe impl Shareable for Bells {}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Bells>() == 128);

impl Bells {
    /// So many origins may have a bell.
    pub const MOST: usize = BELL_WORDS * WORD_BELLS;

    /// Rings the bell of `origin`, which is below [`Self::MOST`].
    pub fn ring(&self, origin: usize) {
        // The Release of the record's header orders it before that.
        self.words[origin / WORD_BELLS].fetch_or(1 << (origin % WORD_BELLS), Ordering::Relaxed);
    }

    /// Whether the bell of `origin` has rung.
    pub fn has_rung(&self, origin: usize) -> bool {
        self.word(origin / WORD_BELLS) >> (origin % WORD_BELLS) & 1 != 0
    }

    /// The bells of origins `64 * index` and those behind it, from the lowest bit on.
    #[inline(always)]
    pub fn word(&self, index: usize) -> u64 {
        // Nothing is read that a bell announces: the record's header has an Acquire of its own.
        self.words[index].load(Ordering::Relaxed)
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use crate::atomic::{AtomicU32, fence};
    use crate::sleep::{AWAKE, announce, must_wake};
    use loom::sync::Arc;

    /// A target that looks at a ring only where its bell has rung, and an origin that sends the first
    /// record of a lane: no sleep begins of which the origin knows nothing. The membarrier is modelled
    /// as what it does: a full fence on both sides.
    #[test]
    fn loom_no_wake_up_is_lost_behind_a_bell() {
        loom::model(|| {
            let state = (AtomicU32::new(AWAKE), Bells::default(), AtomicU64::new(0));
            let state = Arc::new(state);
            let shared = state.clone();
            let origin = loom::thread::spawn(move || {
                shared.1.ring(3);
                shared.2.store(1, Ordering::Release);
                fence(Ordering::SeqCst);
                must_wake(&shared.0)
            });
            announce(&state.0);
            fence(Ordering::SeqCst);
            let sleeps = !state.1.has_rung(3) || state.2.load(Ordering::Acquire) == 0;
            let woken = origin.join().unwrap();
            assert!(
                !sleeps || woken,
                "asleep with a message that nobody will announce"
            );
        });
    }

    /// Who sees a record sees its bell, so that nothing is behind a silent one.
    #[test]
    fn loom_a_record_is_never_behind_a_silent_bell() {
        loom::model(|| {
            let state = Arc::new((Bells::default(), AtomicU64::new(0)));
            let shared = state.clone();
            let origin = loom::thread::spawn(move || {
                shared.0.ring(64);
                shared.1.store(1, Ordering::Release);
            });
            if state.1.load(Ordering::Acquire) == 1 {
                assert!(state.0.has_rung(64));
            }
            origin.join().unwrap();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_origin_has_its_own_bell() {
        let bells = Bells::default();
        for origin in [0, 63, 64, 700, Bells::MOST - 1] {
            assert!(!bells.has_rung(origin));
            bells.ring(origin);
            bells.ring(origin);
            assert!(bells.has_rung(origin));
        }
        let rung = (0..BELL_WORDS).map(|word| bells.word(word).count_ones());
        assert_eq!(rung.sum::<u32>(), 5);
    }
}
