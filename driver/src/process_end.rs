//! Whether another process has ended, seen without being its parent.
//!
//! Before: somebody waits for a rank that says nothing. After: [`has_ended`] tells whether it still
//! can. A process that its parent has not asked after yet (a zombie) has ended too: the launcher
//! leaves those of its ranks so until the job is over, so that no number is used anew meanwhile.

use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Whether process `process` has ended; false also where the kernel does not say.
pub fn has_ended(process: i32) -> bool {
    // SAFETY: the call takes a number and flags, and gives a new descriptor or an error.
    let opened = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let Ok(descriptor) = i32::try_from(opened) else {
        return false;
    };
    if descriptor < 0 {
        return nix::errno::Errno::last() == nix::errno::Errno::ESRCH;
    }
    // SAFETY: the kernel has just made it, and nobody else has it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    // It is readable from the end of the process on.
    let mut asked = [PollFd::new(descriptor.as_fd(), PollFlags::POLLIN)];
    matches!(poll(&mut asked, PollTimeout::ZERO), Ok(1..))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_ends_once_whether_its_parent_asks_or_not() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let process = child.id() as i32;
        assert!(!has_ended(process) && !has_ended(std::process::id() as i32));
        child.kill().unwrap();
        // It is killed at once, and a zombie a moment later.
        while !has_ended(process) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(has_ended(process));
    }
}
