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

mod epoll;
mod ring;
mod signal;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use pamir_shm::atomic::AtomicU32;
use pamir_shm::refusal::Refusal;

pub use signal::Signal;

/// Why interrupts are not delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterruptError {
    /// The kernel would not make a descriptor.
    #[error("cannot make {what}: {}", Refusal(*error))]
    Descriptor {
        /// What it should have been.
        what: &'static str,
        /// The kernel's reason.
        error: Errno,
    },
    /// There is no io_uring that can do what is asked of it.
    #[error(
        "the kernel gives no io_uring for interrupts: {reason}; unset PAMIR_INTERRUPTS or set it to epoll"
    )]
    NoRing {
        /// What the kernel lacks, or said.
        reason: String,
    },
    /// A wait failed.
    #[error("cannot wait for interrupts by {delivery}: {}", error.desc())]
    Wait {
        /// By what.
        delivery: Delivery,
        /// The kernel's reason.
        error: Errno,
    },
    /// `PAMIR_INTERRUPTS` names no controller.
    #[error("PAMIR_INTERRUPTS is {value:?}: use io_uring or epoll, or unset it")]
    Unknown {
        /// What it holds.
        value: String,
    },
}

/// By what a controller waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// One io_uring.
    IoUring,
    /// epoll, eventfd, timerfd and `futex_waitv`.
    Epoll,
}

impl fmt::Display for Delivery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::IoUring => "io_uring",
            Self::Epoll => "epoll",
        })
    }
}

impl FromStr for Delivery {
    type Err = InterruptError;

    fn from_str(word: &str) -> Result<Self, InterruptError> {
        [Self::IoUring, Self::Epoll]
            .into_iter()
            .find(|delivery| delivery.to_string() == word)
            .ok_or_else(|| InterruptError::Unknown {
                value: word.to_owned(),
            })
    }
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The signal.
    Signal,
    /// A word that was waited on.
    Doorbell,
    /// The limit.
    Timer,
}

/// What the engine thread sleeps in. It belongs to one [`Signal`].
pub trait InterruptController: Send {
    /// By what it waits.
    fn delivery(&self) -> Delivery;

    /// Sleeps until the signal comes, which is taken; or one of `words` is not
    /// [`pamir_shm::sleep::ASLEEP`]; or `limit` is over.
    ///
    /// # Errors
    ///
    /// [`InterruptError::Wait`] if the kernel does not let it sleep.
    fn wait(
        &mut self,
        words: &[&AtomicU32],
        limit: Option<Duration>,
    ) -> Result<Cause, InterruptError>;
}

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
