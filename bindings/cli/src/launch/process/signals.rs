//! The launcher's signals: blocked, and read like everything else that it waits for.
//!
//! Before: the launcher is about to start ranks, which get the mask that was before. After: [`crate::launch::supervise`] passes
//! signals on, and learns of ends.

use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::child;

/// Signals passed on to the ranks.
const FORWARDED: [Signal; 6] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// The signals of the launcher, blocked and readable.
#[derive(Debug)]
pub struct Signals {
    descriptor: SignalFd,
    /// The mask before, which ranks start with.
    pub before: SigSet,
}

impl Signals {
    /// Blocks the signals; what was ignored at the start (nohup) stays ignored. `before` is the mask
    /// that the launcher was started with.
    pub fn block(before: SigSet) -> Result<Signals, Errno> {
        let mut set = SigSet::empty();
        for signal in FORWARDED.into_iter().chain([Signal::SIGTSTP]) {
            if !child::is_ignored(signal) {
                set.add(signal);
            }
        }
        // Where it is ignored, as it may have been at the start, the kernel removes ranks that have
        // ended, and nobody learns of it. Ranks get the default, too.
        child::set_default(Signal::SIGCHLD)?;
        set.add(Signal::SIGCHLD);
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), None)?;
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        Ok(Signals {
            descriptor: SignalFd::with_flags(&set, flags)?,
            before,
        })
    }

    /// The next signal that has come, if one has.
    pub fn next(&self) -> Option<Signal> {
        loop {
            let information = self.descriptor.read_signal().ok()??;
            if let Ok(signal) = Signal::try_from(information.ssi_signo as i32) {
                return Some(signal);
            }
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}
