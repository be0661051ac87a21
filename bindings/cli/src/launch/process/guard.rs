//! The guard: ends every process group when the launcher was killed.
//!
//! What: a small process that sleeps on a pipe whose other end only the launcher holds. When the
//! launcher vanishes (SIGKILL, out of memory), the pipe ends, and the guard kills the ranks' groups and removes the status socket.
//! Why: ranks themselves die with the launcher (`PR_SET_PDEATHSIG`), but processes that they
//! started do not; nothing shall stay behind.
//! Step before: [`super::start`] has started the ranks. Step after: [`crate::launch::supervise`], which
//! dismisses the guard at the end.
//! Invariant: ranks stay unreaped until the job's end, so that no group number is used again while
//! the guard may kill it.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pipe2};

/// The guard of a running job.
#[derive(Debug)]
pub struct Guard {
    process: Pid,
    /// Held open as long as the launcher lives.
    _lifeline: OwnedFd,
}

impl Guard {
    /// Starts the guard for these process groups, and the launcher's `socket`. All signals have to be blocked.
    pub fn start(groups: &[Pid], socket: Option<&CStr>) -> Result<Guard, Errno> {
        let (reader, lifeline) = pipe2(OFlag::O_CLOEXEC)?;
        // SAFETY: the launcher may have threads, those of bridges, which the child has not: it makes
        // system calls only, and neither allocates nor locks.
        match unsafe { fork() }? {
            ForkResult::Parent { child } => Ok(Guard {
                process: child,
                _lifeline: lifeline,
            }),
            ForkResult::Child => watch(&reader, groups, socket),
        }
    }

    /// Ends the guard without its doing anything.
    pub fn dismiss(self) {
        // Errors mean that the guard is gone already.
        let _ = kill(self.process, Signal::SIGKILL);
        let _ = waitpid(self.process, None);
    }
}

fn watch(reader: &OwnedFd, groups: &[Pid], socket: Option<&CStr>) -> ! {
    // SAFETY: plain system calls in a process of one thread. Closing every other descriptor makes
    // the `OwnedFd`s of this copy of the launcher stale, and none of them is used or dropped: this
    // function ends with `_exit`.
    unsafe {
        // Away from the terminal and from whatever is sent to the launcher's group.
        libc::setsid();
        libc::prctl(libc::PR_SET_NAME, c"mpiexec-guard".as_ptr());
        libc::dup2(reader.as_raw_fd(), 0);
        if libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0) != 0 {
            // Kernels before 5.9 have no such call.
            for descriptor in 1..65_536 {
                libc::close(descriptor);
            }
        }
        let mut byte = 0_u8;
        loop {
            let count = libc::read(0, (&raw mut byte).cast(), 1);
            if count == 0 || (count < 0 && Errno::last() != Errno::EINTR) {
                break;
            }
        }
    }
    for group in groups {
        let _ = kill(Pid::from_raw(-group.as_raw()), Signal::SIGKILL);
    }
    if let Some(socket) = socket {
        // SAFETY: the path ends in a zero byte and is live; the call neither allocates nor locks.
        unsafe { libc::unlink(socket.as_ptr()) };
    }
    // SAFETY: ends this process without running the launcher's exit handlers.
    unsafe { libc::_exit(0) }
}
