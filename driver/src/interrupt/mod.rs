//! Interrupts: how a thread that sleeps gets the processor back.
//!
//! Before: the process's engine thread ([`crate::engine_thread`]) has nothing to do. After: one of
//! what it waits for has come, and it advances its contexts.
//!
//! An [`InterruptController`] waits for all of them at once:
//!
//! | interrupt | comes from | `io_uring` | `epoll` |
//! |---|---|---|---|
//! | signal | this process: work was posted, an engine came or went | poll of an eventfd | the same; or the signal's word, by `futex_waitv` |
//! | doorbell | a sender, of whatever process | futex wait | `futex_waitv`; else short sleeps |
//! | timer | a limit: a timer criterion, a lane to be tried again | timeout | a timerfd; or the time limit of `futex_waitv` |
//!
//! epoll knows no futex. So that controller waits by epoll while no doorbell is announced, and by
//! one `futex_waitv` on all words while one is. Where the kernel lacks that call too, it looks
//! every millisecond.
//!
//! [`open`] takes io_uring where the kernel gives one that can wait for futexes (Linux 6.7), and
//! epoll elsewhere, for instance in containers that refuse io_uring. `PAMIR_INTERRUPTS` chooses.
//!
//! Invariants: an interrupt is never lost: a signal stays until it is taken, and a wait on a word
//! begins only while the word says that its reader sleeps. Nothing is armed between two waits.

mod controller;
mod epoll;
mod ring;
mod signal;

use std::sync::Arc;

pub use controller::{Cause, Delivery, InterruptController, InterruptError};
pub use signal::Signal;

/// A controller for `signal`, as the environment asks for it or the kernel allows it.
///
/// # Errors
///
/// [`InterruptError`] if what `PAMIR_INTERRUPTS` asks for is not there, or nothing is.
pub fn open(signal: &Arc<Signal>) -> Result<Box<dyn InterruptController>, InterruptError> {
    match pamir_settings::INTERRUPTS.value().parse() {
        Ok(delivery) => open_as(delivery, signal),
        // The word is `automatic`: bad ones were refused when the job was joined.
        Err(_) => open_as(Delivery::IoUring, signal).or_else(|_| open_as(Delivery::Epoll, signal)),
    }
}

/// A controller for `signal` that waits by `delivery`.
///
/// # Errors
///
/// [`InterruptError`] if the kernel refuses.
pub fn open_as(
    delivery: Delivery,
    signal: &Arc<Signal>,
) -> Result<Box<dyn InterruptController>, InterruptError> {
    Ok(match delivery {
        Delivery::IoUring => Box::new(ring::Ring::new(Arc::clone(signal))?),
        Delivery::Epoll => Box::new(epoll::Epoll::new(Arc::clone(signal))?),
    })
}

#[cfg(test)]
mod tests;
