//! Interrupts through one io_uring.
//!
//! Before: the engine thread has announced on which words it sleeps. After: one of what it waits
//! for has come, and the other requests are cancelled and have come back, so that nothing refers
//! to a word that its owner may unmap.
//!
//! ```text
//! wait ─▶ │poll signal│futex wait│...│timeout│ ─▶ kernel ─▶ first completion
//!                                                 └▶ cancel all ─▶ the other completions
//! ```
//!
//! Both ways are one system call each.

use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::time::Duration;

use io_uring::squeue::Entry;
use io_uring::types::{CancelBuilder, Fd, Timespec};
use io_uring::{IoUring, Probe, opcode};
use nix::errno::Errno;
use pamir_shm::atomic::AtomicU32;
use pamir_shm::sleep;

use super::controller::{Cause, Delivery, InterruptController, InterruptError};
use super::signal::Signal;

/// Requests that the ring takes at once; more are handed over in several calls.
const ENTRIES: u32 = 64;

/// What a completion is of: its `user_data`.
const SIGNAL: u64 = 0;
const DOORBELL: u64 = 1;
const TIMER: u64 = 2;
const CANCEL: u64 = 3;

/// `FUTEX2_SIZE_U32`, not private: senders are other processes.
const FUTEX_OF_32_BITS: u32 = 2;

/// Every waker is meant.
const ANY_BIT: u64 = 0xFFFF_FFFF;

/// The controller.
pub(super) struct Ring {
    signal: Arc<Signal>,
    ring: IoUring,
    /// Requests that the kernel has.
    armed: usize,
}

impl Ring {
    pub(super) fn new(signal: Arc<Signal>) -> Result<Self, InterruptError> {
        let no_ring = |reason: String| InterruptError::NoRing { reason };
        let ring = IoUring::new(ENTRIES).map_err(|error| no_ring(error.to_string()))?;
        let mut probe = Probe::new();
        ring.submitter()
            .register_probe(&mut probe)
            .map_err(|error| no_ring(error.to_string()))?;
        let needed = [
            (opcode::FutexWait::CODE, "futex wait (Linux 6.7)"),
            (opcode::PollAdd::CODE, "poll"),
            (opcode::Timeout::CODE, "timeout"),
            (opcode::AsyncCancel::CODE, "cancel"),
        ];
        for (code, name) in needed {
            if !probe.is_supported(code) {
                return Err(no_ring(format!("it has no {name}")));
            }
        }
        Ok(Self {
            signal,
            ring,
            armed: 0,
        })
    }

    fn arm(&mut self, request: Entry, of: u64) -> Result<(), Errno> {
        let request = request.user_data(of);
        loop {
            // SAFETY: what the kernel reads for a request is copied when it is submitted (the time
            // limit), or looked up by address and never written (the words); `disarm` takes all
            // requests back before the wait ends.
            if unsafe { self.ring.submission().push(&request) }.is_ok() {
                self.armed += 1;
                return Ok(());
            }
            // The queue is full: the kernel takes what is in it.
            self.enter(0)?;
        }
    }

    /// Hands requests over and waits until `completions` have come.
    fn enter(&mut self, completions: usize) -> Result<(), Errno> {
        loop {
            match self.ring.submit_and_wait(completions) {
                Ok(_) => return Ok(()),
                Err(error) => match Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO)) {
                    Errno::EINTR => {}
                    error => return Err(error),
                },
            }
        }
    }

    /// Takes the completions that there are; what they say, the signal before all else.
    fn take(&mut self, mut cause: Option<Cause>) -> Option<Cause> {
        for completion in self.ring.completion() {
            self.armed -= 1;
            let cancelled = completion.result() == -libc::ECANCELED;
            let new = match completion.user_data() {
                SIGNAL if !cancelled => Cause::Signal,
                // With an error, the word had changed before: that is a ring too.
                DOORBELL if !cancelled => Cause::Doorbell,
                TIMER if !cancelled => Cause::Timer,
                _ => continue,
            };
            if cause.is_none() || new == Cause::Signal {
                cause = Some(new);
            }
        }
        cause
    }

    /// Takes back every request that has not completed.
    fn disarm(&mut self, mut cause: Option<Cause>) -> Result<Option<Cause>, Errno> {
        if self.armed > 0 {
            let all = CancelBuilder::any().all();
            self.arm(opcode::AsyncCancel2::new(all).build(), CANCEL)?;
        }
        while self.armed > 0 {
            self.enter(self.armed)?;
            cause = self.take(cause);
        }
        Ok(cause)
    }

    fn wait_for(&mut self, words: &[&AtomicU32], limit: Option<Duration>) -> Result<Cause, Errno> {
        let descriptor = Fd(self.signal.as_fd().as_raw_fd());
        let poll = opcode::PollAdd::new(descriptor, libc::POLLIN as u32);
        self.arm(poll.build(), SIGNAL)?;
        for word in words {
            let asleep = sleep::ASLEEP.into();
            let wait = opcode::FutexWait::new(word.as_ptr(), asleep, ANY_BIT, FUTEX_OF_32_BITS);
            self.arm(wait.build(), DOORBELL)?;
        }
        let limit = limit.map(Timespec::from);
        if let Some(limit) = &limit {
            self.arm(opcode::Timeout::new(limit).build(), TIMER)?;
        }
        self.enter(1)?;
        let cause = self.take(None);
        let cause = self.disarm(cause)?;
        // Taken only now: the poll has come back.
        let signalled = self.signal.take();
        Ok(if signalled {
            Cause::Signal
        } else {
            cause.unwrap_or(Cause::Timer)
        })
    }
}

impl InterruptController for Ring {
    fn delivery(&self) -> Delivery {
        Delivery::IoUring
    }

    fn wait(
        &mut self,
        words: &[&AtomicU32],
        limit: Option<Duration>,
    ) -> Result<Cause, InterruptError> {
        self.wait_for(words, limit)
            .map_err(|error| InterruptError::Wait {
                delivery: Delivery::IoUring,
                error,
            })
    }
}
