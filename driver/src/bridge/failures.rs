//! Where bridges say that they have failed.
//!
//! Before: a thread of a bridge has ended with an error. After: the launcher, which polls the descriptor, takes it.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::BridgeError;
use crate::interrupt::Signal;

/// Where bridges say that they have failed: readable once one has.
#[derive(Debug)]
pub struct Failures {
    signal: Signal,
    first: Mutex<Option<BridgeError>>,
}

impl Failures {
    /// Nothing has failed.
    ///
    /// # Errors
    ///
    /// [`BridgeError::Interrupt`] if the kernel makes no eventfd.
    pub fn new() -> Result<Self, BridgeError> {
        Ok(Self {
            signal: Signal::new()?,
            first: Mutex::default(),
        })
    }

    /// The first failure that nobody has taken.
    pub fn take(&self) -> Option<BridgeError> {
        self.signal.take();
        self.first().take()
    }

    pub(super) fn tell(&self, error: BridgeError) {
        self.first().get_or_insert(error);
        self.signal.raise();
    }

    fn first(&self) -> MutexGuard<'_, Option<BridgeError>> {
        // It is put in or taken out, so a panic leaves it whole.
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Failures {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}
