//! A signal from one thread of this process to its engine thread.
//!
//! Before: a task that has work for the thread calls [`Signal::raise`]. After: the controller's wait
//! ends, and it has taken the signal.
//!
//! A signal is an eventfd, for io_uring and epoll, and a word besides, for a controller that waits on futexes:
//! it is [`pamir_shm::sleep::ASLEEP`] while such a wait is under way or about to begin.
//!
//! Invariant: a signal is never lost. The eventfd keeps it until it is taken, so it does not matter
//! whether it comes before or while somebody waits; who waits on the word announces that first and
//! then looks at the eventfd ([`crate::waiting::announcement`]).

use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::eventfd::{EfdFlags, EventFd};
use pamir_shm::atomic::AtomicU32;
use pamir_shm::sleep;

use super::controller::InterruptError;
use crate::waiting::announcement;

/// Something that a thread can sleep on and others can raise.
#[derive(Debug)]
pub struct Signal {
    descriptor: EventFd,
    word: AtomicU32,
}

impl Signal {
    /// One that is not raised.
    ///
    /// # Errors
    ///
    /// [`InterruptError::Descriptor`] if the kernel makes no eventfd.
    pub fn new() -> Result<Self, InterruptError> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let descriptor =
            EventFd::from_flags(flags).map_err(|error| InterruptError::Descriptor {
                what: "an eventfd",
                error,
            })?;
        Ok(Self {
            descriptor,
            word: AtomicU32::new(sleep::AWAKE),
        })
    }

    /// Ends the wait that is under way, or the next one.
    pub fn raise(&self) {
        // The only error is a counter that is full, and then it is raised.
        let _ = self.descriptor.write(1);
        announcement::ring(&self.word);
    }

    /// Takes what was raised; whether anything was.
    pub fn take(&self) -> bool {
        self.descriptor.read().is_ok()
    }

    /// Announces a wait on the word; true if the signal has come already, and is taken.
    pub(super) fn announce(&self) -> bool {
        !announcement::announce(&self.word, || self.take())
    }

    /// The wait on the word is over; whether the signal has come, which is taken.
    pub(super) fn conclude(&self) -> bool {
        sleep::cancel(&self.word);
        self.take()
    }

    /// The word that is waited on between `announce` and `conclude`.
    pub(super) fn word(&self) -> &AtomicU32 {
        &self.word
    }
}

impl AsFd for Signal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use pamir_shm::atomic::Ordering;

    use super::*;

    #[test]
    fn what_is_raised_several_times_is_taken_once() {
        let signal = Signal::new().unwrap();
        assert!(!signal.take());
        signal.raise();
        signal.raise();
        assert!(signal.take());
        assert!(!signal.take());
    }

    #[test]
    fn a_wait_on_the_word_sees_what_was_raised_before_and_after() {
        let signal = Signal::new().unwrap();
        signal.raise();
        assert!(signal.announce());
        assert!(!signal.announce());
        signal.raise();
        assert_eq!(signal.word().load(Ordering::Relaxed), sleep::AWAKE);
        assert!(signal.conclude());
    }
}
