//! What an interrupt controller does, and why it cannot.
//!
//! Before: [`super::open`] has chosen one. After: the engine thread sleeps in it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use nix::errno::Errno;
use pamir_shm::atomic::AtomicU32;
use pamir_shm::refusal::Refusal;

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

/// What the engine thread sleeps in. It belongs to one [`super::Signal`].
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
