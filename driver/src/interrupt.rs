//! Interrupts: how one thread gets the processor back for another.
//!
//! An [`Interrupt`] is an eventfd. Before: whoever has work for a sleeping service thread
//! signals. After: the thread's wait, or its poll or ring that watches the descriptor, ends.
//!
//! Invariant: a signal is never lost: it stays until the next [`Interrupt::drain`], so it does
//! not matter whether it comes before or while somebody waits.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

use nix::sys::eventfd::{EfdFlags, EventFd};

/// The kernel would not make an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot make an eventfd: {0}; is the limit of open files (ulimit -n) too low?")]
pub struct InterruptError(#[from] nix::errno::Errno);

/// Something that a thread can sleep on and another can signal.
#[derive(Debug)]
pub struct Interrupt(EventFd);

impl Interrupt {
    /// One that is not signalled.
    pub fn new() -> Result<Self, InterruptError> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Ok(Self(EventFd::from_flags(flags)?))
    }

    /// Ends the wait that is under way, or the next one.
    pub fn signal(&self) {
        // The only error is a counter that is full, and then it is signalled.
        let _ = self.0.write(1);
    }

    /// Takes the signals that there are; whether there were any.
    pub fn drain(&self) -> bool {
        self.0.read().is_ok()
    }

    /// Sleeps until it is signalled, and takes the signals; false if `limit` was over first.
    pub fn wait(&self, limit: Option<Duration>) -> bool {
        let mut poll = libc::pollfd {
            fd: self.0.as_fd().as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let limit = limit.map(|limit| libc::timespec {
            tv_sec: limit.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
        });
        let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: one live entry; the time limit is null or a live timespec; no signal mask.
        unsafe { libc::ppoll(&raw mut poll, 1, limit, std::ptr::null()) };
        self.drain()
    }
}

impl AsFd for Interrupt {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_kept_and_taken_together() {
        let interrupt = Interrupt::new().unwrap();
        assert!(!interrupt.drain());
        assert!(!interrupt.wait(Some(Duration::from_millis(1))));
        interrupt.signal();
        interrupt.signal();
        assert!(interrupt.wait(None));
        assert!(!interrupt.drain());
    }

    #[test]
    fn a_signal_ends_a_wait() {
        let interrupt = Interrupt::new().unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| interrupt.wait(None));
            interrupt.signal();
            assert!(waiter.join().unwrap());
        });
    }
}
