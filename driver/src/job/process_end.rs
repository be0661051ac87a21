//! Whether another process has ended, seen without being its parent; and ending one.
//!
//! Before: somebody waits for a rank that says nothing. After: [`has_ended`] tells whether it still
//! can. A process that its parent has not asked after yet (a zombie) has ended too: the launcher
//! leaves those of its ranks so until the job is over, so that no number is used again meanwhile.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// A descriptor of a process.
fn open(process: i32) -> Result<OwnedFd, Errno> {
    // SAFETY: the call takes a number and flags, and gives a new descriptor or an error.
    let opened = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let descriptor = i32::try_from(opened).ok().filter(|opened| *opened >= 0);
    let descriptor = descriptor.ok_or_else(Errno::last)?;
    // SAFETY: the kernel has just made it, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Whether process `process` has ended; false also where the kernel does not say.
pub fn has_ended(process: i32) -> bool {
    let descriptor = match open(process) {
        Ok(descriptor) => descriptor,
        Err(error) => return error == Errno::ESRCH,
    };
    // It is readable from the end of the process on.
    let mut asked = [PollFd::new(descriptor.as_fd(), PollFlags::POLLIN)];
    matches!(poll(&mut asked, PollTimeout::ZERO), Ok(1..))
}

/// Ends process `process`, if it has not ended: by its descriptor, so that no other one of this number is met.
pub fn kill(process: i32) {
    if let Ok(descriptor) = open(process) {
        let (descriptor, nothing) = (descriptor.as_raw_fd(), std::ptr::null::<u8>());
        // SAFETY: the call takes a descriptor, which is open, a signal, no further information and no flags.
        unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                descriptor,
                libc::SIGKILL,
                nothing,
                0,
            )
        };
    }
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
        kill(process);
        // It is killed at once, and a zombie a moment later.
        while !has_ended(process) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(has_ended(process));
    }
}
