//! A descriptor that output leaves by, and how to write it without ever waiting for its reader.
//!
//! What: [`Target::write`] takes as much as the reader takes at this moment.
//! Why: the launcher has one thread. A write that waits for a reader would also hold up signals,
//! time limits and the ends of ranks.
//!
//! | descriptor | way |
//! |---|---|
//! | pipe, terminal | opened again, with `O_NONBLOCK` that the shared descriptor never gets |
//! | one of these that cannot be opened again (another user's terminal) | poll, then a piece that fits for certain |
//! | socket, which cannot be opened again | `send` with `MSG_DONTWAIT` |
//! | file | `write`, which waits for no reader |
//!
//! Step before: [`super::sink`]. Step after: the reader.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::{Mode, SFlag, fstat};
use nix::unistd::{close, isatty, write};

/// What a pipe takes whole once poll says that it can be written.
const PIPE_PIECE_BYTES: usize = libc::PIPE_BUF;
/// What a terminal takes whole then.
const TERMINAL_PIECE_BYTES: usize = 1;
/// What a socket is given at once, since some take no longer message than their buffer.
const SOCKET_PIECE_BYTES: usize = 64 << 10;

#[derive(Debug, Clone, Copy)]
enum Way {
    Write,
    PollAndWrite { piece_bytes: usize },
    Send,
}

/// Where output leaves.
#[derive(Debug)]
pub struct Target {
    descriptor: OwnedFd,
    way: Way,
    /// Device and number of what it leads to, which tell whether two lead to the same.
    pub identity: (u64, u64),
    /// Whether a person reads it.
    pub terminal: bool,
    /// Where it leads, if that has a name.
    pub path: Option<String>,
}

impl Target {
    /// A target on a descriptor that others may share.
    pub fn of(descriptor: BorrowedFd<'_>) -> Result<Target, Errno> {
        let status = fstat(descriptor)?;
        let name = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
        let kind = SFlag::from_bits_truncate(status.st_mode & SFlag::S_IFMT.bits());
        let anew = || {
            let flags = OFlag::O_WRONLY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC | OFlag::O_NOCTTY;
            open(name.as_str(), flags, Mode::empty()).ok()
        };
        let (anew, shared_way) = match kind {
            SFlag::S_IFIFO => (anew(), poll_and_write(PIPE_PIECE_BYTES)),
            SFlag::S_IFCHR => (anew(), poll_and_write(TERMINAL_PIECE_BYTES)),
            SFlag::S_IFSOCK => (None, Way::Send),
            _ => (None, Way::Write),
        };
        let (descriptor, way) = match anew {
            Some(descriptor) => (descriptor, Way::Write),
            None => {
                let shared = descriptor.try_clone_to_owned();
                (shared.map_err(|_| Errno::last())?, shared_way)
            }
        };
        let path = std::fs::read_link(name).ok();
        let path = path.map(|path| path.to_string_lossy().into_owned());
        Ok(Target {
            terminal: isatty(&descriptor).unwrap_or(false),
            descriptor,
            way,
            identity: (status.st_dev, status.st_ino),
            // Pipes and sockets have numbers in place of names.
            path: path.filter(|path| path.starts_with('/')),
        })
    }

    /// Writes what can be written at this moment; how many bytes that was.
    ///
    /// # Errors
    ///
    /// `EAGAIN` if the reader takes nothing now, `EPIPE` if there is none any more, and whatever
    /// else keeps bytes from being written.
    pub fn write(&self, bytes: &[u8]) -> Result<usize, Errno> {
        match self.way {
            Way::Write => write(&self.descriptor, bytes),
            Way::PollAndWrite { piece_bytes } => {
                let mut ready = [PollFd::new(self.as_fd(), PollFlags::POLLOUT)];
                if poll(&mut ready, PollTimeout::ZERO)? == 0 {
                    return Err(Errno::EAGAIN);
                }
                write(&self.descriptor, &bytes[..bytes.len().min(piece_bytes)])
            }
            Way::Send => {
                let piece = &bytes[..bytes.len().min(SOCKET_PIECE_BYTES)];
                let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
                let socket = self.descriptor.as_raw_fd();
                // SAFETY: the pointer and the length are those of a slice, which is only read.
                let count =
                    unsafe { libc::send(socket, piece.as_ptr().cast(), piece.len(), flags) };
                Errno::result(count).map(|count| count as usize)
            }
        }
    }

    /// Closes it; some file systems tell only then that what was written has no room.
    pub fn close(self) -> Result<(), Errno> {
        close(self.descriptor)
    }
}

fn poll_and_write(piece_bytes: usize) -> Way {
    Way::PollAndWrite { piece_bytes }
}

impl AsFd for Target {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    /// Writes until the reader takes nothing more; how many bytes that were.
    fn fill(target: &Target) -> usize {
        let mut written = 0;
        loop {
            match target.write(&[b'x'; 100_000]) {
                Ok(count) => written += count,
                Err(errno) => {
                    assert_eq!(errno, Errno::EAGAIN);
                    return written;
                }
            }
        }
    }

    #[test]
    fn a_full_socket_is_not_waited_for() {
        let (mut reader, writer) = UnixStream::pair().unwrap();
        let target = Target::of(writer.as_fd()).unwrap();
        let written = fill(&target);
        let mut text = vec![0; written];
        reader.read_exact(&mut text).unwrap();
        assert!(target.write(b"more").is_ok());
        drop(reader);
        assert_eq!(target.write(b"more"), Err(Errno::EPIPE));
    }

    #[test]
    fn a_full_pipe_that_cannot_be_opened_anew_is_not_waited_for() {
        let (_reader, writer) = nix::unistd::pipe().unwrap();
        let shared = Target {
            way: poll_and_write(PIPE_PIECE_BYTES),
            ..Target::of(writer.as_fd()).unwrap()
        };
        let target = Target {
            descriptor: writer,
            ..shared
        };
        assert!(fill(&target) >= PIPE_PIECE_BYTES);
    }

    #[test]
    fn files_are_named_and_pipes_are_not() {
        let (_reader, writer) = nix::unistd::pipe().unwrap();
        assert_eq!(Target::of(writer.as_fd()).unwrap().path, None);
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let target = Target::of(full.as_fd()).unwrap();
        assert_eq!(target.path.as_deref(), Some("/dev/full"));
        assert_eq!(target.write(b"text"), Err(Errno::ENOSPC));
    }
}
