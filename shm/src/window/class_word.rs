//! Who may be in a window: those that have locked all of it, or those that lock one member alone.
//!
//! Before: `MPI_Win_lock_all`, or `MPI_Win_lock` of an exclusive lock. After: no call of the other class is between lock and unlock.
//! `MPI_Win_lock_all` is one step on one word, however many members there are.
//!
//! ```text
//! bit 0..16    inside    how many are in, all of the class of bit 63
//! bit 16..32   waiting   how many of class Whole wait
//! bit 32..48   waiting   how many of class Single wait
//! bit 48..63   phase     how often the class has changed
//! bit 63       class
//! ```
//!
//! | state | event | becomes |
//! |---|---|---|
//! | nobody inside | a class comes | that class inside |
//! | a class inside, nobody of the other waits | the same class comes | one more inside |
//! | a class inside | the other comes, or the same while the other waits | waits for the phase in which its class is in |
//! | the last one leaves, the other class waits | | all that wait are inside, in the next phase |
//! | the last one leaves, only the own class waits | | the same, with the own class |
//!
//! Who waits is let in with all others of its class at once, so each class waits for one turn of the other: nobody starves.
//!
//! Invariant: who waits is counted as inside by whoever changes the phase, so a phase it is in does not end before it leaves.

use crate::atomic::{AtomicU64, Ordering};
use crate::shareable::Shareable;

const BITS: u32 = 16;
const MASK: u64 = (1 << BITS) - 1;
const PHASE_SHIFT: u32 = 48;
const PHASE_MASK: u64 = (1 << 15) - 1;
const CLASS_SHIFT: u32 = 63;

/// For what a window is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// All members are locked, shared.
    Whole = 0,
    /// One member is locked, exclusively.
    Single = 1,
}

impl Class {
    fn of(word: u64) -> Self {
        if word >> CLASS_SHIFT == 0 {
            Self::Whole
        } else {
            Self::Single
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Whole => Self::Single,
            Self::Single => Self::Whole,
        }
    }

    /// One of this class that waits.
    fn one_waiting(self) -> u64 {
        1 << ((self as u32 + 1) * BITS)
    }

    fn waiting(self, word: u64) -> u64 {
        word >> ((self as u32 + 1) * BITS) & MASK
    }
}

fn inside(word: u64) -> u64 {
    word & MASK
}

fn phase(word: u64) -> u64 {
    word >> PHASE_SHIFT & PHASE_MASK
}

/// The phase that one waits to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    class: Class,
    phase: u64,
}

/// Who is in a window.
#[repr(transparent)]
#[derive(Debug)]
pub struct ClassWord(AtomicU64);

// SAFETY: repr(transparent) around a 64-bit atomic.
unsafe impl Shareable for ClassWord {}

impl ClassWord {
    /// Comes in; none if that is done at once, else what to wait for.
    #[inline]
    pub fn enter(&self, class: Class) -> Option<Wait> {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let free =
                inside(word) == 0 || Class::of(word) == class && class.other().waiting(word) == 0;
            let next = match free {
                true => word & !(1 << CLASS_SHIFT) | (class as u64) << CLASS_SHIFT,
                false => word,
            };
            let next = next + if free { 1 } else { class.one_waiting() };
            // Acquire pairs with the Release in `leave`.
            match self
                .0
                .compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) if free => return None,
                Ok(_) => {
                    let phase = phase(word);
                    return Some(Wait { class, phase });
                }
                Err(now) => word = now,
            }
        }
    }

    /// Comes in if nobody of the other class is in or waits; whether it did.
    #[inline]
    pub fn try_enter(&self, class: Class) -> bool {
        let word = self.0.load(Ordering::Relaxed);
        let waits = Class::Whole.waiting(word) + Class::Single.waiting(word);
        let free = waits == 0 && (inside(word) == 0 || Class::of(word) == class);
        let next = (word & !(1 << CLASS_SHIFT) | (class as u64) << CLASS_SHIFT) + 1;
        // Acquire: as in `enter`.
        let entered = || {
            self.0
                .compare_exchange(word, next, Ordering::Acquire, Ordering::Relaxed)
        };
        free && entered().is_ok()
    }

    /// Comes in once more, for one who is in with this class: who waits for the other class waits for both of its visits.
    #[inline]
    pub fn enter_again(&self) {
        // Relaxed: this one is in, so the class does not change, and sees all that it saw when it came in.
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether who waits is in now.
    pub fn is_in(&self, wait: Wait) -> bool {
        let word = self.0.load(Ordering::Acquire);
        // A phase that let this one in does not end before it leaves.
        phase(word) != wait.phase && Class::of(word) == wait.class
    }

    /// Goes out; whether others were let in, who may sleep.
    #[inline]
    pub fn leave(&self) -> bool {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let (next, others) = left(word);
            match self
                .0
                .compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return others,
                Err(now) => word = now,
            }
        }
    }

    #[cfg(test)]
    fn empty() -> Self {
        Self(AtomicU64::new(0))
    }
}

/// The word once one has left, and whether others have come in.
fn left(word: u64) -> (u64, bool) {
    let less = word - 1;
    if inside(less) > 0 {
        return (less, false);
    }
    let class = Class::of(word);
    let next = [class.other(), class]
        .into_iter()
        .find(|class| class.waiting(word) > 0);
    let Some(next) = next else {
        return (less, false);
    };
    let let_in = next.waiting(word);
    let others = less & (MASK << BITS | MASK << (2 * BITS)) & !(MASK * next.one_waiting());
    let phase = (phase(word) + 1) & PHASE_MASK;
    let word = let_in | others | phase << PHASE_SHIFT | (next as u64) << CLASS_SHIFT;
    (word, true)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn classes_take_turns() {
        let word = ClassWord::empty();
        assert!(word.enter(Class::Whole).is_none() && word.enter(Class::Whole).is_none());
        let alone = word.enter(Class::Single).unwrap();
        let late = word.enter(Class::Whole).unwrap();
        assert!(!word.leave() && !word.is_in(alone));
        assert!(word.leave() && word.is_in(alone) && !word.is_in(late));
        // While one of the other class waits, nobody joins.
        let later = word.enter(Class::Single).unwrap();
        assert!(word.leave() && word.is_in(late) && !word.is_in(later));
        assert!(word.leave() && word.is_in(later));
        word.enter_again();
        let last = word.enter(Class::Whole).unwrap();
        word.enter_again();
        assert!(!word.leave() && !word.leave() && !word.is_in(last));
        assert!(word.leave() && word.is_in(last) && !word.leave());
        assert!(word.try_enter(Class::Single) && !word.try_enter(Class::Whole));
        assert!(word.try_enter(Class::Single) && !word.leave() && !word.leave());
    }

    #[test]
    fn phases_begin_again() {
        let word = ClassWord::empty();
        for _ in 0..PHASE_MASK + 10 {
            assert!(word.enter(Class::Whole).is_none());
            let wait = word.enter(Class::Single).unwrap();
            assert!(!word.is_in(wait) && word.leave() && word.is_in(wait) && !word.leave());
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::atomic::AtomicU32;
    use loom::sync::Arc;

    fn wait(word: &ClassWord, class: Class) {
        if let Some(wait) = word.enter(class) {
            while !word.is_in(wait) {
                loom::thread::yield_now();
            }
        }
    }

    #[test]
    fn classes_are_never_in_together() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Arc::new((ClassWord::empty(), [AtomicU32::new(0), AtomicU32::new(0)]));
            let visit = |shared: &(ClassWord, [AtomicU32; 2]), class: Class| {
                wait(&shared.0, class);
                shared.1[class as usize].fetch_add(1, Ordering::Relaxed);
                let others = shared.1[class.other() as usize].load(Ordering::Relaxed);
                assert_eq!(others, 0);
                shared.1[class as usize].fetch_sub(1, Ordering::Relaxed);
                shared.0.leave();
            };
            let other = {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || visit(&shared, Class::Single))
            };
            visit(&shared, Class::Whole);
            visit(&shared, Class::Whole);
            other.join().unwrap();
            assert_eq!(inside(shared.0.0.load(Ordering::Relaxed)), 0);
        });
    }
}
