//! How a context waits: how often it looks at a lane before it polls, and when it gives the processor away.
//!
//! Before: a look or a poll has found something, or nothing. After: [`crate::context::advance`] asks how often
//! to look next.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use pamir_driver::waiting::ladder::SPIN_POLLS;

/// The most looks of a watch.
const MOST_LOOKS: u32 = 16;

/// The most messages that are received by looking before the next poll.
pub const MOST_MESSAGES: u32 = 64;

/// How a context waits.
#[derive(Debug)]
pub struct Waiting {
    /// Other ranks share this one's processor.
    oversubscribed: bool,
    /// Looks, one after another, that found nothing. Relaxed everywhere: it only decides how to
    /// wait.
    empty: AtomicU32,
    /// Looks of the next watch.
    looks: Cell<u32>,
    /// Messages that looks may still receive before the next poll.
    messages_left: Cell<u32>,
}

impl Waiting {
    /// Of a context whose rank shares its processor with others, or not.
    pub fn new(oversubscribed: bool) -> Self {
        Self {
            oversubscribed,
            empty: AtomicU32::new(0),
            looks: Cell::new(1),
            messages_left: Cell::new(MOST_MESSAGES),
        }
    }

    /// Looks of the next watch.
    #[inline(always)]
    pub fn looks(&self) -> u32 {
        self.looks.get()
    }

    /// Messages that looks may still receive before the next poll.
    #[inline(always)]
    pub fn messages_left(&self) -> u32 {
        self.messages_left.get()
    }

    /// Something was found.
    #[inline(always)]
    pub fn reset(&self) {
        self.empty.store(0, Ordering::Relaxed);
    }

    /// A look has received messages.
    #[inline(always)]
    pub fn looked(&self, messages: u32) {
        self.messages_left
            .set(self.messages_left.get().saturating_sub(messages));
        // Each empty turn gives the processor away where it is shared: then all lanes have theirs.
        let most = if self.oversubscribed { 1 } else { MOST_LOOKS };
        self.looks.set((2 * self.looks.get()).min(most));
        self.reset();
    }

    /// A poll comes; what it finds lies in the lane that looks are for, or `elsewhere`.
    pub fn polled(&self, elsewhere: bool) {
        self.messages_left.set(MOST_MESSAGES);
        if elsewhere {
            self.looks.set(1);
        }
    }

    /// After `looks` looks and a poll that found nothing. It never sleeps: who knows what else the
    /// thread has to advance.
    #[inline(always)]
    pub fn pause(&self, looks: u32) {
        let empty = self.empty.load(Ordering::Relaxed).saturating_add(looks);
        self.empty.store(empty, Ordering::Relaxed);
        if empty > SPIN_POLLS || self.oversubscribed {
            std::thread::yield_now();
        } else {
            // The reader would take the line away from the writer in the middle of its store.
            std::hint::spin_loop();
        }
    }
}
