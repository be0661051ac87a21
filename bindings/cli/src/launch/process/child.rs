//! How a child process ended, and which signals the launcher listens to.
//!
//! What: [`peek`] reads a child's end and leaves it unreaped, [`reap`] removes it, [`is_ignored`]
//! asks for a signal's disposition, [`set_default`] takes back what the launcher was started with.
//! Why: an unreaped leader keeps its process group's number from being used again: groups can be
//! killed safely until the job's last moment; and `waitid` in safe wrappers refuses real-time
//! signals.
//! Step before: [`super::spawn`]. Step after: [`crate::launch::supervise`].

use std::mem::MaybeUninit;

use nix::errno::Errno;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::Pid;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exited(i32),
    /// By a signal.
    Signalled {
        /// Its number.
        signal: i32,
        /// Whether a core was written.
        core: bool,
    },
}

/// The end of this child, if it has ended; the child stays a zombie.
pub fn peek(child: Pid) -> Option<End> {
    wait(child, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT)
}

/// Removes a child that has ended, or one that is about to, waiting for it.
pub fn reap(child: Pid) {
    wait(child, libc::WEXITED);
}

fn wait(child: Pid, flags: libc::c_int) -> Option<End> {
    let mut information = MaybeUninit::<libc::siginfo_t>::zeroed();
    let identifier = child.as_raw() as libc::id_t;
    // SAFETY: the pointer is valid for writes of a `siginfo_t`.
    let outcome = unsafe { libc::waitid(libc::P_PID, identifier, information.as_mut_ptr(), flags) };
    // SAFETY: all zeros is a valid `siginfo_t`, and the kernel may have filled it.
    let information = unsafe { information.assume_init() };
    // SAFETY: `waitid` fills the fields of SIGCHLD, or leaves them zero when nothing has ended.
    let (pid, status) = unsafe { (information.si_pid(), information.si_status()) };
    if outcome != 0 || pid == 0 {
        return None;
    }
    Some(match information.si_code {
        libc::CLD_EXITED => End::Exited(status),
        code => End::Signalled {
            signal: status,
            core: code == libc::CLD_DUMPED,
        },
    })
}

/// Gives the signal its default disposition in this process.
pub fn set_default(signal: Signal) -> Result<(), Errno> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: the default disposition runs no code of this process.
    unsafe { sigaction(signal, &default) }.map(drop)
}

/// Whether this process was started with the signal ignored, as `nohup` does with SIGHUP.
pub fn is_ignored(signal: Signal) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a null new action only asks; the pointer is valid for writes of a `sigaction`.
    let outcome =
        unsafe { libc::sigaction(signal as libc::c_int, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: all zeros is a valid `sigaction`, and the kernel has filled it on success.
    outcome == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}
