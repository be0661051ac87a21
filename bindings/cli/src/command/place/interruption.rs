//! Ctrl-C during a search: it ends with the best answer so far.
//!
//! What: while an [`Interruption`] is watched for, SIGINT and SIGTERM do not end the command but
//! raise a flag, which the search looks at; a second one ends the command as ever.
//! Why: a search has an answer at any time, and who has waited long enough wants it rather than
//! nothing.
//! Step before: [`super::place`]. Step after: [`pamir_transport::placement::search`].
//! Invariant: once it is dropped, signals mean what they meant before, for the commands of `--try`
//! too.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Set when somebody has interrupted the command.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// A watch for signals that end the search.
#[derive(Debug)]
pub struct Interruption {
    before: SigSet,
}

impl Interruption {
    /// Watches from now on.
    ///
    /// # Errors
    ///
    /// What the system says of the signal mask.
    pub fn watch() -> Result<Interruption, Errno> {
        let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM]);
        // Blocked in this thread, and so in the one that waits for them.
        let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        std::thread::spawn(move || {
            if signals.wait().is_ok() {
                INTERRUPTED.store(true, Ordering::Relaxed);
            }
            // No longer blocked here: the next one ends the command.
            let _ = signals.thread_unblock();
            loop {
                std::thread::park();
            }
        });
        Ok(Interruption { before })
    }

    /// Whether a signal has come.
    pub fn has_come(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        // Restoring a mask that was in force cannot fail.
        let _ = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&self.before), None);
    }
}
