//! Marks of objects behind handles: whether one lives, is destroyed, or belongs to the process that this one was forked from.
//!
//! Before: an object was made that is never freed. After: each call asks its mark.
//!
//! A child that fork makes has its parent's handles, and its lanes: a call of the child's would take and overwrite the
//! parent's messages. So the C library calls [`in_child`] there, which takes all marks away; calls are refused then, as
//! for what is destroyed, and their sentence says why ([`is_forked`]). The way of a message is the same as without that.
//!
//! Invariant: every mark is in the list from before its object's handle is given out.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

/// The mark of an object that is never freed.
pub struct Mark {
    word: AtomicU64,
    next: AtomicPtr<Mark>,
}

/// All marks, the latest first.
static MARKS: AtomicPtr<Mark> = AtomicPtr::new(std::ptr::null_mut());

/// This process is a child of one that had any.
static FORKED: AtomicBool = AtomicBool::new(false);

impl Mark {
    /// The mark of an object of a kind, which is to be enlisted when it has its place.
    pub fn new(kind: u64) -> Self {
        Self {
            word: AtomicU64::new(kind),
            next: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Whether the object is of a kind and lives.
    #[inline(always)]
    pub fn is(&self, kind: u64) -> bool {
        // Relaxed: whoever destroys an object orders that with its other uses.
        self.word.load(Ordering::Relaxed) == kind
    }

    /// The object is destroyed.
    pub fn clear(&self) {
        self.word.store(0, Ordering::Relaxed);
    }

    /// Adds it to those that a child loses.
    pub fn enlist(&'static self) {
        watch();
        let own = std::ptr::from_ref(self).cast_mut();
        let mut first = MARKS.load(Ordering::Relaxed);
        loop {
            self.next.store(first, Ordering::Relaxed);
            // Release: who sees the mark in the list sees its successor.
            match MARKS.compare_exchange(first, own, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => first = other,
            }
        }
    }
}

/// Whether a mark stands at an address, which nothing is read from.
pub fn stands_at(address: usize) -> bool {
    let mut next = MARKS.load(Ordering::Acquire);
    // SAFETY: null, or a mark of an object that is never freed.
    while let Some(mark) = unsafe { next.as_ref() } {
        if std::ptr::from_ref(mark).addr() == address {
            return true;
        }
        next = mark.next.load(Ordering::Relaxed);
    }
    false
}

/// Whether fork made this process from one that uses PAMI.
pub fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Has the C library call [`in_child`] from now on.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only stores to atomics, which a child of several threads may do; the C library forgets
        // it if this library is unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

extern "C" fn in_child() {
    FORKED.store(true, Ordering::Relaxed);
    let mut next = MARKS.load(Ordering::Acquire);
    // SAFETY: null, or a mark of an object that is never freed.
    while let Some(mark) = unsafe { next.as_ref() } {
        mark.clear();
        next = mark.next.load(Ordering::Relaxed);
    }
}
